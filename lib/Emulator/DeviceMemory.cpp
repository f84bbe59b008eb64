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
    freeHost(at(id), details[id]);
}

void DeviceMemory::freeHost(Buffer &buffer, const Details &details) {
  if (!buffer.host)
    return;
  if (details.origin == Origin::Mapping)
    munmap(buffer.host, buffer.bytes);
  else if (details.origin == Origin::Heap)
    std::free(buffer.host);
  buffer.bytes = buffer.writableBytes = 0;
  buffer.host = nullptr;
}

static uint64_t refuse(uint64_t bytes, const std::string &label, const std::string &why, std::string *error) {
  if (error)
    *error = "cannot allocate " + std::to_string(bytes) + " bytes for buffer '" + label + "': " + why;
  return 0;
}

/// Why no buffer can have this size, or null.
static const char *checkSize(uint64_t bytes) {
  if (bytes == 0)
    return "a buffer has at least one byte";
  // An adopted buffer may start up to kAlignment - 1 bytes later.
  return bytes > DeviceMemory::kStart - kAlignment ? "the emulator's buffers end at 2^39 bytes" : nullptr;
}
static constexpr const char *kNoIds = "2^23 buffers are alive";

uint64_t DeviceMemory::allocate(uint64_t bytes, const std::string &label, std::string *error) {
  if (const char *why = checkSize(bytes))
    return refuse(bytes, label, why, error);
  std::lock_guard<std::mutex> lock(mutex);
  if (isFull())
    return refuse(bytes, label, kNoIds, error);

  Origin origin = bytes >= kMapBytes ? Origin::Mapping : Origin::Heap;
  char *host;
  if (origin == Origin::Mapping) {
    void *mapped =
        mmap(nullptr, bytes, PROT_READ | PROT_WRITE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, /*fd=*/-1, 0);
    host = mapped == MAP_FAILED ? nullptr : static_cast<char *>(mapped);
  } else {
    host = static_cast<char *>(std::aligned_alloc(kAlignment, (bytes + kAlignment - 1) & ~(kAlignment - 1)));
    if (host)
      std::memset(host, kPoison, bytes);
  }
  if (!host)
    return refuse(bytes, label, "the host has no memory left", error);
  return enter(host, bytes, /*isWritable=*/true, origin, label);
}

uint64_t DeviceMemory::adopt(char *host, uint64_t bytes, bool isWritable, const std::string &label,
                             std::string *error) {
  if (const char *why = checkSize(bytes))
    return refuse(bytes, label, why, error);
  std::lock_guard<std::mutex> lock(mutex);
  if (isFull())
    return refuse(bytes, label, kNoIds, error);
  return enter(host, bytes, isWritable, Origin::Caller, label);
}

uint64_t DeviceMemory::enter(char *host, uint64_t bytes, bool isWritable, Origin origin, const std::string &label) {
  uint64_t id = details.size();
  if (id < kMaxIds) {
    details.emplace_back();
  } else {
    id = freeIds.front();
    freeIds.pop_front();
  }
  if (id >> kChunkBits >= ownedChunks.size())
    ownedChunks.push_back(std::make_unique<Chunk>());
  uint64_t address = (id << kWindowBits) + kStart + reinterpret_cast<uintptr_t>(host) % kAlignment;
  details[id] = {label, origin, address, bytes};
  at(id) = {address, bytes, isWritable ? bytes : 0, host};
  chunks[id >> kChunkBits].store(ownedChunks[id >> kChunkBits].get(), std::memory_order_release);
  return address;
}

bool DeviceMemory::release(uint64_t address) {
  std::lock_guard<std::mutex> lock(mutex);
  uint64_t id = address >> kWindowBits;
  if (id == 0 || id >= details.size() || address != details[id].begin || !at(id).host)
    return false;
  freeHost(at(id), details[id]);
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
  const Buffer &entry = ownedChunks[id >> kChunkBits]->buffers[id & ((1u << kChunkBits) - 1)];
  if (!entry.host)
    return "in " + buffer + ", which was freed";
  if (address < known.begin)
    return std::to_string(known.begin - address) + " bytes before the start of " + buffer;
  uint64_t offset = address - known.begin;
  if (offset >= known.bytes)
    return std::to_string(offset - known.bytes) + " bytes past the end of " + buffer;
  if (bytes > known.bytes - offset)
    return "at offset " + std::to_string(offset) + ", across the end of " + buffer;
  return "at offset " + std::to_string(offset) + " of " + buffer;
}
