# What `cmake --install` lays down: tools, headers (the generated ones too), the static libraries of every room, the
# shared library of the C interface, the Python package, and what find_package(Tilewright) reads.
include(CMakePackageConfigHelpers)

# One name for all C++ libraries.
get_property(rooms GLOBAL PROPERTY TILEWRIGHT_INSTALL_TARGETS)
add_library(TilewrightCxx INTERFACE)
target_link_libraries(TilewrightCxx INTERFACE ${rooms})
target_include_directories(TilewrightCxx INTERFACE $<INSTALL_INTERFACE:${CMAKE_INSTALL_INCLUDEDIR}>)
set_target_properties(TilewrightCxx PROPERTIES EXPORT_NAME Cxx)
install(TARGETS TilewrightCxx ${rooms} EXPORT TilewrightCxxTargets ARCHIVE DESTINATION ${CMAKE_INSTALL_LIBDIR})

set(package_folder ${CMAKE_INSTALL_LIBDIR}/cmake/Tilewright)
install(EXPORT TilewrightCxxTargets NAMESPACE Tilewright:: DESTINATION ${package_folder})
install(EXPORT TilewrightCTargets NAMESPACE Tilewright:: DESTINATION ${package_folder})
configure_package_config_file(${CMAKE_CURRENT_LIST_DIR}/TilewrightConfig.cmake.in
                              ${CMAKE_BINARY_DIR}/cmake/TilewrightConfig.cmake INSTALL_DESTINATION ${package_folder})
write_basic_package_version_file(${CMAKE_BINARY_DIR}/cmake/TilewrightConfigVersion.cmake
                                 COMPATIBILITY SameMinorVersion)
install(FILES ${CMAKE_BINARY_DIR}/cmake/TilewrightConfig.cmake
              ${CMAKE_BINARY_DIR}/cmake/TilewrightConfigVersion.cmake DESTINATION ${package_folder})

install(DIRECTORY ${CMAKE_SOURCE_DIR}/include/ ${CMAKE_BINARY_DIR}/include/
        DESTINATION ${CMAKE_INSTALL_INCLUDEDIR}
        FILES_MATCHING PATTERN "*.h" PATTERN "*.td" PATTERN "*.inc" PATTERN "CMakeFiles" EXCLUDE)
install(DIRECTORY ${CMAKE_SOURCE_DIR}/python/tilewright DESTINATION ${CMAKE_INSTALL_LIBDIR}/python
        FILES_MATCHING PATTERN "*.py" PATTERN "py.typed" PATTERN "__pycache__" EXCLUDE)
