// SPDX-License-Identifier: Apache-2.0
#include "SharedMemory.h"

#include <algorithm>
#include <cstring>
#include <sys/mman.h>

using namespace tilewright;

#ifndef MAP_FIXED_NOREPLACE
#define MAP_FIXED_NOREPLACE 0x100000
#endif

SharedMemory::~SharedMemory() {
  if (base)
    munmap(base, kWindowBytes);
}

bool SharedMemory::map(std::string *error) {
  if (base)
    return true;
  // Every aligned place from 1 GiB to 4 GiB is tried until one is free. The kernel knows no such search.
  for (uint64_t address = uint64_t(1) << 30; address < uint64_t(1) << 32; address += kWindowBytes) {
    void *hint = reinterpret_cast<void *>(static_cast<uintptr_t>(address));
    void *mapped = mmap(hint, kWindowBytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_FIXED_NOREPLACE,
                        /*fd=*/-1, 0);
    if (mapped == MAP_FAILED)
      continue;
    if (mapped == hint) {
      base = static_cast<char *>(mapped);
      written.resize(kWindowBytes / 64);
      return true;
    }
    munmap(mapped, kWindowBytes); // A kernel before 4.17 takes the address as a wish.
  }
  *error = "no free 256 KiB below 4 GiB for shared memory";
  return false;
}

void SharedMemory::reset(uint32_t bytes) {
  sizeBytes = bytes;
  std::memset(base, kPoison, bytes);
  std::fill_n(written.begin(), (bytes + 63) / 64, 0);
}

void SharedMemory::markWrittenSlow(uint32_t offset, uint32_t bytes) {
  for (uint32_t end = offset + bytes; offset < end; ++offset)
    written[offset >> 6] |= uint64_t(1) << (offset & 63);
}

uint32_t SharedMemory::findUnwritten(uint32_t offset, uint32_t bytes) const {
  uint32_t end = offset + bytes;
  while (offset < end && (written[offset >> 6] >> (offset & 63) & 1))
    ++offset;
  return offset;
}
