// SPDX-License-Identifier: Apache-2.0
/// \file
/// The emulated global memory. Each buffer owns a window of 2^40 addresses and starts in its middle:
///
///     address = id << 40 | 2^39 + offset
///
/// so an access before or after a buffer never lands in another one, whatever its stride, and the buffer that was
/// meant is known. Looking an address up is two loads. Large buffers take memory only where they are touched, and
/// memory of the host can be a buffer as it is.
#ifndef TILEWRIGHT_EMULATOR_DEVICEMEMORY_H
#define TILEWRIGHT_EMULATOR_DEVICEMEMORY_H

#include <atomic>
#include <cstddef>
#include <cstdint>
#include <deque>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

namespace tilewright {

/// Buffers in an address space of their own. Thread-safe; a buffer must not be freed while a run uses it.
class DeviceMemory {
public:
  /// A live buffer, or a dead one: 0 bytes. `writableBytes` is `bytes`, or 0 for a buffer that is only read.
  struct Buffer {
    uint64_t begin = 0, bytes = 0, writableBytes = 0;
    char *host = nullptr;
  };

  DeviceMemory();
  ~DeviceMemory();
  DeviceMemory(const DeviceMemory &) = delete;
  DeviceMemory &operator=(const DeviceMemory &) = delete;

  /// Makes a buffer of `bytes` > 0 bytes, 256-byte aligned, that reports call `label`. Returns its address, or 0 and
  /// sets `error`. Small buffers are filled with 0xCB, large ones (64 MiB) are zero.
  uint64_t allocate(uint64_t bytes, const std::string &label, std::string *error);

  /// Makes a buffer of the host's memory [host, host + bytes), which stays the caller's and outlives the buffer. Its
  /// address is that of the host modulo 256, so what is aligned for one of them is aligned for both. Returns 0 and
  /// sets `error` as `allocate` does.
  uint64_t adopt(char *host, uint64_t bytes, bool isWritable, const std::string &label, std::string *error);

  /// Frees the buffer that starts at `address`. Returns false if there is none. Its addresses stay invalid
  /// until 2^23 later buffers have been made.
  bool release(uint64_t address);

  /// Where the host finds [address, address + bytes), or null if the range is not inside one buffer.
  char *find(uint64_t address, uint64_t bytes) const {
    const Buffer &buffer = lookUp(address);
    return contains(buffer, buffer.bytes, address, bytes) ? buffer.host + (address - buffer.begin) : nullptr;
  }
  /// The same for a range that is going to be written.
  char *findWritable(uint64_t address, uint64_t bytes) const {
    const Buffer &buffer = lookUp(address);
    return contains(buffer, buffer.writableBytes, address, bytes) ? buffer.host + (address - buffer.begin) : nullptr;
  }

  /// Says where a range that `find` refuses lies, e.g. "8 bytes past the end of buffer 'c' of 4096 bytes".
  std::string describe(uint64_t address, uint64_t bytes) const;

  /// Bytes of an address window, and where in it a buffer starts.
  static constexpr unsigned kWindowBits = 40;
  static constexpr uint64_t kStart = uint64_t(1) << (kWindowBits - 1);

private:
  static constexpr unsigned kChunkBits = 10, kIdBits = 23;
  static constexpr uint64_t kMaxIds = uint64_t(1) << kIdBits;
  /// Who gave the memory of a buffer and takes it back.
  enum class Origin : uint8_t { Heap, Mapping, Caller };
  struct Chunk {
    Buffer buffers[size_t(1) << kChunkBits];
  };
  struct Details {
    std::string label;
    Origin origin = Origin::Heap;
    uint64_t begin = 0, bytes = 0; ///< Kept after the buffer is freed
  };

  static bool contains(const Buffer &buffer, uint64_t size, uint64_t address, uint64_t bytes) {
    return bytes <= size && address - buffer.begin <= size - bytes;
  }
  const Buffer &lookUp(uint64_t address) const {
    // The top bit pattern of a negative address is outside of every chunk that is ever made.
    uint64_t id = address >> kWindowBits;
    return chunks[id >> kChunkBits].load(std::memory_order_acquire)->buffers[id & ((1u << kChunkBits) - 1)];
  }
  Buffer &at(uint64_t id) { return ownedChunks[id >> kChunkBits]->buffers[id & ((1u << kChunkBits) - 1)]; }
  void freeHost(Buffer &buffer, const Details &details);
  /// Gives the memory an id and an address; needs `mutex` and a free id.
  uint64_t enter(char *host, uint64_t bytes, bool isWritable, Origin origin, const std::string &label);
  bool isFull() const { return details.size() == kMaxIds && freeIds.empty(); }

  /// One entry for every chunk of 24-bit ids; a chunk not made yet is the empty one.
  std::unique_ptr<std::atomic<Chunk *>[]> chunks;
  mutable std::mutex mutex;
  std::vector<std::unique_ptr<Chunk>> ownedChunks;
  std::vector<Details> details; ///< By id
  std::deque<uint64_t> freeIds; ///< Used once all ids have been given out
};

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_DEVICEMEMORY_H
