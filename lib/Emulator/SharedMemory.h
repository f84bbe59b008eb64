// SPDX-License-Identifier: Apache-2.0
/// \file
/// The shared memory of the CTA that a host thread executes: a window of 256 KiB, aligned to its size, below 4 GiB, so
/// that 32-bit shared addresses and matrix descriptors carry real offsets; and one bit per byte: was it written?
#ifndef TILEWRIGHT_EMULATOR_SHAREDMEMORY_H
#define TILEWRIGHT_EMULATOR_SHAREDMEMORY_H

#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

class SharedMemory {
public:
  SharedMemory() = default;
  ~SharedMemory();
  SharedMemory(const SharedMemory &) = delete;
  SharedMemory &operator=(const SharedMemory &) = delete;

  static constexpr uint32_t kWindowBytes = 256 * 1024;
  /// What memory that nobody wrote holds: NaN as every float type.
  static constexpr int kPoison = 0xFF;

  /// Maps the window. Returns false and sets `error` if there is no place for it.
  bool map(std::string *error);

  /// Starts a CTA with `bytes` of shared memory, none of it written.
  void reset(uint32_t bytes);

  char *host(uint32_t offset) const { return base + offset; }
  uint32_t size() const { return sizeBytes; }
  bool contains(int64_t offset, int64_t bytes) const {
    return offset >= 0 && bytes > 0 && bytes <= int64_t(sizeBytes) && offset <= int64_t(sizeBytes) - bytes;
  }

  /// Marks bytes as written; they must be contained.
  void markWritten(uint32_t offset, uint32_t bytes) {
    if ((offset & 63) + bytes <= 64)
      written[offset >> 6] |= mask(bytes) << (offset & 63);
    else
      markWrittenSlow(offset, bytes);
  }
  /// True if all these bytes were written; they must be contained.
  bool isWritten(uint32_t offset, uint32_t bytes) const {
    if ((offset & 63) + bytes <= 64)
      return (~written[offset >> 6] & mask(bytes) << (offset & 63)) == 0;
    return findUnwritten(offset, bytes) == offset + bytes;
  }
  /// Offset of the first byte that was not written, or the end.
  uint32_t findUnwritten(uint32_t offset, uint32_t bytes) const;

private:
  static uint64_t mask(uint32_t bytes) { return ~uint64_t(0) >> (64 - bytes); }
  void markWrittenSlow(uint32_t offset, uint32_t bytes);

  char *base = nullptr;
  uint32_t sizeBytes = 0;
  std::vector<uint64_t> written;
};

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_SHAREDMEMORY_H
