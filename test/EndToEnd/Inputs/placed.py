# SPDX-License-Identifier: Apache-2.0
"""Launches on rooms in device memory, so that an array may begin at any element.

An array of the host is copied to an aligned address without what surrounds it. Here the whole room goes to the device, and
the argument lies in it where the array lies in the room: unaligned, with poison before and behind it within reach.
"""

import ctypes

from tilewright._library import CArg, lib
from tilewright.arguments import pack_arguments
from tilewright.runtime import backend_for, check

DEVICE_ARRAY = 1

lib.twDeviceAllocate.restype, lib.twDeviceAllocate.argtypes = ctypes.c_uint64, [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_void_p]
lib.twDeviceRelease.restype, lib.twDeviceRelease.argtypes = None, [ctypes.c_void_p, ctypes.c_uint64]
for _copy in (lib.twDeviceUpload, lib.twDeviceDownload):
    _copy.restype, _copy.argtypes = ctypes.c_int, None


class Arguments:
    """The arguments of a launch with some arrays in rooms on the emulator; a context that brings the rooms back.

    `rooms` has the room of each argument that shall lie in it, None for the others.
    """

    def __init__(self, kernel, arguments, rooms, sm_count=0):
        self.kernel, self.rooms = kernel, rooms
        self.backend = backend_for("emulator", 0, 0, sm_count)
        self.packed = pack_arguments(kernel.name, kernel.parameters, arguments, {})
        self.addresses = []

    def __enter__(self):
        for parameter, room in zip(self.kernel.parameters, self.rooms):
            if room is None:
                continue
            error = ctypes.c_void_p()
            address = lib.twDeviceAllocate(self.backend.pointer, max(room.nbytes, 1), ctypes.byref(error))
            self.addresses.append((address, room))
            self._copy(lib.twDeviceUpload, ctypes.c_uint64(address), ctypes.c_void_p(room.ctypes.data), room.nbytes)
            arg: CArg = self.packed.array[parameter.index]
            arg.kind, arg.address = DEVICE_ARRAY, address + arg.data - room.ctypes.data
            if parameter.kind == "pointer":
                arg.rank = 0
        return self

    def __exit__(self, *_):
        for address, room in self.addresses:
            self._copy(lib.twDeviceDownload, ctypes.c_void_p(room.ctypes.data), ctypes.c_uint64(address), room.nbytes)
            lib.twDeviceRelease(self.backend.pointer, address)

    def _copy(self, function, to, source, size):
        error = ctypes.c_void_p()
        check(function(self.backend.pointer, to, source, ctypes.c_size_t(size), ctypes.byref(error)), error)

    def _handle(self):
        return self.kernel._handle(self.backend).pointer

    def launch(self):
        """Runs the kernel; raises tilewright.LaunchError."""
        error = ctypes.c_void_p()
        check(lib.twLaunch(self._handle(), self.packed.array, self.packed.count, ctypes.byref(error)), error)

    def variant(self):
        """The symbol of the variant that these arguments choose."""
        variant, grid, error = ctypes.c_size_t(), (ctypes.c_uint64 * 3)(), ctypes.c_void_p()
        status = lib.twSelectVariant(
            self._handle(), self.packed.array, self.packed.count, ctypes.byref(variant), grid, ctypes.byref(error)
        )
        check(status, error)
        return self.kernel.variants[variant.value]
