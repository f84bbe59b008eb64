// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Emulator/DeviceMemory.h"

#include <cstdlib>
#include <cstring>
#include <sys/mman.h>

using namespace tilewright;

/// From here on a buffer is a mapping of its own, so that it costs memory only where it is touched.
static constexpr uint64_t kMapBytes = uint64_t(64) << 20;
static constexpr uint64_t kAlignment = 256;
static constexpr int kPoison = 0xCB;

DeviceMemory::DeviceMemory() {
  // Addresses have 64 bits, so ids seen by lookUp have 24: half of the table is never filled.
  size_t numChunks = size_t(1) << (64 - kWindowBits - kChunkBits);
  static Chunk emptyChunk;
  chunks.reset(new std::atomic<Chunk *>[numChunks]);
  for (size_t i = 0; i < numChunks; ++i)
    chunks[i].store(&emptyChunk, std::memory_order_relaxed);
  details.emplace_back(); // Id 0 stays empty: small integers are no addresses.
}

DeviceMemory::~DeviceMemory() {
  for (size_t id = 1; id < details.size(); ++id)
    freeHost(ownedChunks[id >> kChunkBits]->buffers[id & ((1u << kChunkBits) - 1)], details[id]);
}

void DeviceMemory::freeHost(Buffer &buffer, const Details &details) {
  if (!buffer.host)
    return;
  if (details.isMapped)
    munmap(buffer.host, buffer.bytes);
  else
    std::free(buffer.host);
  buffer.bytes = 0;
  buffer.host = nullptr;
}

uint64_t DeviceMemory::allocate(uint64_t bytes, const std::string &label, std::string *error) {
  auto fail = [&](const std::string &why) {
    if (error)
      *error = "cannot allocate " + std::to_string(bytes) + " bytes for buffer '" + label + "': " + why;
    return uint64_t(0);
  };
  if (bytes == 0)
    return fail("a buffer has at least one byte");
  if (bytes > kStart)
    return fail("the emulator's buffers end at 2^39 bytes");
  std::lock_guard<std::mutex> lock(mutex);
  if (details.size() == kMaxIds && freeIds.empty())
    return fail("2^23 buffers are alive");

  bool isMapped = bytes >= kMapBytes;
  char *host;
  if (isMapped) {
    void *mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
    host = mapped == MAP_FAILED ? nullptr : static_cast<char *>(mapped);
  } else {
    host = static_cast<char *>(std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) & ~(kAlignment - 1)));
    if (host)
      std::memset(host, kPoison, bytes);
  }
  if (!host)
    return fail("the host has no memory left");

  uint64_t id = details.size();
  if (id < kMaxIds) {
    details.emplace_back();
  } else {
    id = freeIds.front();
    freeIds.pop_front();
  }
  if (id >> kChunkBits >= ownedChunks.size())
    ownedChunks.push_back(std::make_unique<Chunk>());
  details[id] = {label, isMapped, bytes};
  uint64_t address = (id << kWindowBits) + kStart;
  Chunk *chunk = ownedChunks[id >> kChunkBits].get();
  chunk->buffers[id & ((1u << kChunkBits) - 1)] = {address, bytes, host};
  chunks[id >> kChunkBits].store(chunk, std::memory_order_release);
  return address;
}

bool DeviceMemory::release(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t id = address >> kWindowBits;
  if (id == 0 || id >= details.size() || address != (id << kWindowBits) + kStart)
    return false;
  Buffer &buffer = ownedChunks[id >> kChunkBits]->buffers[id & ((1u << kChunkBits) - 1)];
  if (!buffer.host)
    return false;
  freeHost(buffer, details[id]);
  freeIds.push_back(id);
  return true;
}

std::string DeviceMemory::describe(uint64_t address, uint64_t bytes) const {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t id = address >> kWindowBits;
  if (id == 0 || id >= details.size())
    return "in no buffer";
  const Details &known = details[id];
  std::string buffer = "buffer '" + known.label + "' of " + std::to_string(known.bytes) + " bytes";
  if (!ownedChunks[id >> kChunkBits]->buffers[id & ((1u << kChunkBits) - 1)].host)
    return "in " + buffer + ", which was freed";
  uint64_t start = (id << kWindowBits) + kStart;
  if (address < start)
    return std::to_string(start - address) + " bytes before the start of " + buffer;
  uint64_t offset = address - start;
  if (offset >= known.bytes)
    return std::to_string(offset - known.bytes) + " bytes past the end of " + buffer;
  if (bytes > known.bytes - offset)
    return "at offset " + std::to_string(offset) + ", across the end of " + buffer;
  return "at offset " + std::to_string(offset) + " of " + buffer;
}
