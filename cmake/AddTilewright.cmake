# Functions that every CMakeLists.txt of the project uses. Sources are listed by hand.
#
# Two flag sets exist. Code that sees MLIR is compiled without exceptions and shares one precompiled header
# (a lowering source takes about 20 s without it and 1 s with it). Code that must not see LLVM - Support,
# Layout, Target, Runtime, Emulator - is plain C++17 with exceptions, for the JSON library.

# What code that sees MLIR links: the dylibs, or for fuzzers, which must run where no LLVM is, the archives. All of them,
# because lld takes from them what is needed, in any order.
set(TILEWRIGHT_MLIR_LIBS MLIR LLVM)
if(TILEWRIGHT_FUZZ)
  file(GLOB archives ${LLVM_LIBRARY_DIR}/libMLIR*.a ${LLVM_LIBRARY_DIR}/libLLVM*.a)
  set(TILEWRIGHT_MLIR_LIBS ${archives} -l:libz.a -l:libzstd.a)
endif()

# The one precompiled header of the MLIR flag set.
add_library(TilewrightPCH OBJECT ${CMAKE_SOURCE_DIR}/cmake/Precompiled.cpp)
# Without its time stamps a precompiled header is the same bytes in every clone, so ccache can hit.
target_compile_options(TilewrightPCH PRIVATE -fno-exceptions "SHELL:-Xclang -fno-pch-timestamp")
target_precompile_headers(TilewrightPCH PRIVATE ${CMAKE_SOURCE_DIR}/cmake/Precompiled.h)

# tilewright_use_mlir(TARGET): puts TARGET into the MLIR flag set.
function(tilewright_use_mlir target)
  target_compile_options(${target} PRIVATE -fno-exceptions)
  # An executable would get -fPIE, and clang refuses a precompiled header that was made with -fPIC.
  get_target_property(type ${target} TYPE)
  if(type STREQUAL "EXECUTABLE")
    set_target_properties(${target} PROPERTIES POSITION_INDEPENDENT_CODE OFF)
    target_compile_options(${target} PRIVATE -fPIC)
  endif()
  target_precompile_headers(${target} REUSE_FROM TilewrightPCH)
endfunction()

# add_tilewright_mlir_library(NAME SOURCES... [DEPENDS generated...] [LINK_LIBS ours...])
function(add_tilewright_mlir_library name)
  cmake_parse_arguments(ARG "" "" "DEPENDS;LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  tilewright_use_mlir(${name})
  # Every generated header exists before any source of ours is compiled.
  add_dependencies(${name} tilewright-headers)
  if(ARG_DEPENDS)
    add_dependencies(${name} ${ARG_DEPENDS})
  endif()
  # Only the dylibs: naming a static archive as well would load MLIR twice.
  target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS} ${TILEWRIGHT_MLIR_LIBS})
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_INSTALL_TARGETS ${name})
endfunction()

# add_tilewright_plain_library(NAME SOURCES... [LINK_LIBS ...]): no LLVM in it.
function(add_tilewright_plain_library name)
  cmake_parse_arguments(ARG "" "" "LINK_LIBS" ${ARGN})
  add_library(${name} STATIC ${ARG_UNPARSED_ARGUMENTS})
  if(ARG_LINK_LIBS)
    target_link_libraries(${name} PUBLIC ${ARG_LINK_LIBS})
  endif()
  set_property(GLOBAL APPEND PROPERTY TILEWRIGHT_INSTALL_TARGETS ${name})
endfunction()

# add_tilewright_mlir_tool(NAME SOURCES... [LINK_LIBS ...] [TEST_ONLY]): installed unless it is for tests only.
function(add_tilewright_mlir_tool name)
  cmake_parse_arguments(ARG "TEST_ONLY" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} ${ARG_UNPARSED_ARGUMENTS})
  tilewright_use_mlir(${name})
  add_dependencies(${name} tilewright-headers)
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} ${TILEWRIGHT_MLIR_LIBS})
  if(NOT ARG_TEST_ONLY)
    install(TARGETS ${name} RUNTIME DESTINATION ${CMAKE_INSTALL_BINDIR})
  endif()
endfunction()

# add_tilewright_unit_test(NAME SOURCES... [LINK_LIBS ...] [MLIR]): a GoogleTest binary; its name ends in Tests
# and lit finds it under build/test/unit.
add_custom_target(tilewright-unit-tests)
function(add_tilewright_unit_test name)
  cmake_parse_arguments(ARG "MLIR" "" "LINK_LIBS" ${ARGN})
  add_executable(${name} EXCLUDE_FROM_ALL ${ARG_UNPARSED_ARGUMENTS})
  set_target_properties(${name} PROPERTIES RUNTIME_OUTPUT_DIRECTORY ${CMAKE_CURRENT_BINARY_DIR})
  target_link_libraries(${name} PRIVATE ${ARG_LINK_LIBS} GTest::gtest GTest::gtest_main)
  if(ARG_MLIR)
    tilewright_use_mlir(${name})
    add_dependencies(${name} tilewright-headers)
    target_link_libraries(${name} PRIVATE ${TILEWRIGHT_MLIR_LIBS})
  endif()
  add_dependencies(tilewright-unit-tests ${name})
endfunction()
