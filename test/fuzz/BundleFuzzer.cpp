// SPDX-License-Identifier: Apache-2.0
// Bundle files: the input is the file. The mutator repairs sizes and checksums most of the time, so that what lies behind
// them is reached. What is read is written and read again, which must give the same bytes.
#include "Require.h"
#include "tilewright/Runtime/Bundle.h"

#include <cstring>

using namespace tilewright;

extern "C" size_t LLVMFuzzerMutate(uint8_t *data, size_t size, size_t maxSize);

// The format as Bundle.h describes it.
static constexpr size_t kHeaderBytes = 32, kEntryBytes = 48;

static uint64_t checksum(const uint8_t *data, size_t size, uint64_t state = 0xcbf29ce484222325u) {
  size_t i = 0;
  for (; i + 8 <= size; i += 8) {
    uint64_t word = 0;
    std::memcpy(&word, data + i, 8);
    state = (state ^ word) * 0x100000001b3u;
    state ^= state >> 32;
  }
  for (; i < size; ++i)
    state = (state ^ data[i]) * 0x100000001b3u;
  return state;
}

template <typename T> static T get(const uint8_t *data) {
  T value;
  std::memcpy(&value, data, sizeof value);
  return value;
}

static void repair(uint8_t *data, size_t size) {
  if (size < kHeaderBytes)
    return;
  std::memcpy(data, "TILEWRGT\1\0\0\0", 12);
  uint64_t fileSize = size;
  std::memcpy(data + 16, &fileSize, 8);
  uint64_t count = get<uint32_t>(data + 12);
  if (count > (size - kHeaderBytes) / kEntryBytes)
    return;
  for (uint64_t i = 0; i < count; ++i) {
    uint8_t *entry = data + kHeaderBytes + i * kEntryBytes;
    uint64_t nameSize = get<uint32_t>(entry + 4), nameOffset = get<uint64_t>(entry + 8);
    uint64_t dataOffset = get<uint64_t>(entry + 16), dataSize = get<uint64_t>(entry + 24);
    if (nameOffset > size || nameSize > size - nameOffset || dataOffset > size || dataSize > size - dataOffset)
      continue;
    uint64_t sum = checksum(data + dataOffset, dataSize, checksum(data + nameOffset, nameSize));
    std::memcpy(entry + 32, &sum, 8);
  }
  uint64_t sum = checksum(data + kHeaderBytes, count * kEntryBytes);
  std::memcpy(data + 24, &sum, 8);
}

extern "C" size_t LLVMFuzzerCustomMutator(uint8_t *data, size_t size, size_t maxSize, unsigned seed) {
  size = LLVMFuzzerMutate(data, size, maxSize);
  if (seed % 16 != 0)
    repair(data, size);
  return size;
}

extern "C" int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size) {
  std::string error;
  std::optional<Bundle> bundle = readBundle(std::string_view(reinterpret_cast<const char *>(data), size), &error);
  if (!bundle) {
    requireMessage(error);
    return 0;
  }
  std::optional<std::string> written = writeBundle(*bundle, &error);
  require(written.has_value(), "what is read can be written: " + error);
  std::optional<Bundle> again = readBundle(*written, &error);
  require(again.has_value(), "what is written can be read: " + error);
  require(again->sections.size() == bundle->sections.size(), "sections survive");
  require(writeBundle(*again, &error) == written, "the same bundle gives the same bytes");
  return 0;
}
