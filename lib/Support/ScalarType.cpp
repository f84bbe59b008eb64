// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Support/ScalarType.h"

#include <iterator>

using namespace tilewright;

namespace {
struct ScalarTypeInfo {
  std::string_view name;
  uint8_t bits;
  uint8_t bytes;
  bool isInteger;
};
} // namespace

/// In the order of the enumerators.
static constexpr ScalarTypeInfo kTypes[] = {
    {"i1", 1, 1, true},        {"i4", 4, 0, true},        {"i8", 8, 1, true},         {"i16", 16, 2, true},
    {"i32", 32, 4, true},      {"i64", 64, 8, true},      {"index", 64, 8, true},     {"f16", 16, 2, false},
    {"bf16", 16, 2, false},    {"tf32", 19, 4, false},    {"f32", 32, 4, false},      {"f64", 64, 8, false},
    {"f8E4M3FN", 8, 1, false}, {"f8E5M2", 8, 1, false},   {"f8E8M0FNU", 8, 1, false}, {"f6E2M3FN", 6, 1, false},
    {"f6E3M2FN", 6, 1, false}, {"f4E2M1FN", 4, 0, false},
};
static_assert(std::size(kTypes) == kNumScalarTypes);

static const ScalarTypeInfo &getInfo(ScalarType type) { return kTypes[static_cast<unsigned>(type)]; }

std::string_view tilewright::scalarTypeName(ScalarType type) { return getInfo(type).name; }
unsigned tilewright::scalarTypeBits(ScalarType type) { return getInfo(type).bits; }
unsigned tilewright::scalarTypeBytes(ScalarType type) { return getInfo(type).bytes; }
bool tilewright::isIntegerType(ScalarType type) { return getInfo(type).isInteger; }

std::optional<ScalarType> tilewright::parseScalarType(std::string_view name) {
  for (unsigned i = 0; i < kNumScalarTypes; ++i)
    if (kTypes[i].name == name)
      return static_cast<ScalarType>(i);
  return std::nullopt;
}
