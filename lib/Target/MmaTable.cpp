// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Target/MmaTable.h"

#include <algorithm>

using namespace tilewright;

const std::vector<MmaFamilyRow> &tilewright::allMmaFamilies() {
  // Family, name; warps; loaded operands, computed left operand, sums; batches, in place, pays from.
  static const std::vector<MmaFamilyRow> families = {
      {MmaFamily::Fma, "fma", 1, 32, "shared", "shared", "registers", true, false, 1},
      {MmaFamily::MmaSync, "mma.sync", 1, 32, "registers", "registers", "registers", true, false, 1},
      {MmaFamily::Wgmma, "wgmma", 4, 12, "shared", "registers", "registers", false, true, 1},
      {MmaFamily::Tcgen05, "tcgen05", 4, 16, "shared", "tensor", "tensor", false, true, 32},
  };
  return families;
}

const MmaFamilyRow &tilewright::familyRow(MmaFamily family) { return allMmaFamilies()[static_cast<size_t>(family)]; }

std::optional<MmaFamily> tilewright::parseMmaFamily(std::string_view name) {
  for (const MmaFamilyRow &row : allMmaFamilies())
    if (row.name == name)
      return row.family;
  return std::nullopt;
}

std::string tilewright::quotedMmaFamilies() {
  std::string text;
  for (const MmaFamilyRow &row : allMmaFamilies())
    text += (text.empty() ? "\"" : ", \"") + std::string(row.name) + "\"";
  return text;
}

std::string MmaFamilyRow::legalWarps() const {
  if (warpUnit == 1)
    return "1 to " + std::to_string(maxWarps);
  std::string text;
  for (unsigned warps = warpUnit; warps <= maxWarps; warps += warpUnit)
    text += (warps == warpUnit ? "" : warps == maxWarps ? " or " : ", ") + std::to_string(warps);
  return text;
}

bool tilewright::hasMmaFamily(const Target &target, MmaFamily family) {
  switch (family) {
  case MmaFamily::Fma:
    return true;
  case MmaFamily::MmaSync:
    return target.hasMmaSync;
  // Both exist in code for exactly one compute capability only.
  case MmaFamily::Wgmma:
    return target.hasWgmma && target.isArchSpecific;
  case MmaFamily::Tcgen05:
    return target.hasTcgen05 && target.isArchSpecific;
  }
  return false;
}

static bool always(const Target &) { return true; }
static bool hasMmaSyncFp8(const Target &target) { return target.hasMmaSyncFp8; }
/// Source: LLVM 22 has no tcgen05.mma of kind i8 for sm_103a, and its data sheet no rate.
static bool hasTcgen05Int8(const Target &target) { return target.computeCapability != 103; }

const std::vector<MmaRow> &tilewright::allMmaRows() {
  using S = ScalarType;
  const std::vector<S> fp8 = {S::F8E4M3FN, S::F8E5M2};
  constexpr MmaMajor any = MmaMajor::Any, k = MmaMajor::K, mn = MmaMajor::MN;
  // Shapes.
  const std::vector<MmaRow::Shape> scalar = {{1, {1, 1, 1, 1}}}, warp = {{16, {8, 8, 8, 8}}}, small = {{8, {8, 8, 8, 8}}},
                                   group = {{64, {8, 256, 8, 256}}}, groupInt = {{64, {8, 32, 16, 256}}},
                                   // Of 128 rows the ISA takes N in steps of 8; its users take steps of 16, and so do we.
                                   tensor = {{64, {8, 256, 8, 256}}, {128, {16, 256, 16, 256}}},
                                   tensorInt = {{64, {8, 32, 16, 256}}, {128, {16, 32, 16, 256}}};
  // Family, operands, sums; shapes, k; majorness of both, step of an N-major one, pads, lowered, on.
  static const std::vector<MmaRow> rows = {
      {MmaFamily::Fma, {S::F16}, {S::F16, S::F32}, scalar, 1, mn, mn, 1, true, true, always},
      {MmaFamily::Fma, {S::BF16}, {S::F32}, scalar, 1, mn, mn, 1, true, true, always},
      {MmaFamily::Fma, {S::TF32}, {S::F32}, scalar, 1, mn, mn, 1, true, true, always},
      {MmaFamily::Fma, {S::F32}, {S::F32}, scalar, 1, mn, mn, 1, true, true, always},
      {MmaFamily::Fma, {S::F64}, {S::F64}, scalar, 1, mn, mn, 1, true, true, always},
      {MmaFamily::Fma, fp8, {S::F16, S::F32}, scalar, 1, mn, mn, 1, true, true, always},
      {MmaFamily::Fma, {S::I8}, {S::I32}, scalar, 1, mn, mn, 1, true, true, always},

      {MmaFamily::MmaSync, {S::F16}, {S::F16, S::F32}, warp, 16, any, any, 1, true, true, always},
      {MmaFamily::MmaSync, {S::BF16}, {S::F32}, warp, 16, any, any, 1, true, true, always},
      {MmaFamily::MmaSync, {S::TF32}, {S::F32}, warp, 8, k, k, 1, true, true, always},
      {MmaFamily::MmaSync, fp8, {S::F16, S::F32}, warp, 32, k, k, 1, true, true, hasMmaSyncFp8},
      {MmaFamily::MmaSync, {S::I8}, {S::I32}, warp, 32, k, k, 1, true, true, always},
      {MmaFamily::MmaSync, {S::F64}, {S::F64}, small, 4, k, k, 1, true, false, always},

      {MmaFamily::Wgmma, {S::F16}, {S::F16, S::F32}, group, 16, any, any, 1, false, false, always},
      {MmaFamily::Wgmma, {S::BF16}, {S::F32}, group, 16, any, any, 1, false, false, always},
      {MmaFamily::Wgmma, {S::TF32}, {S::F32}, group, 8, k, k, 1, false, false, always},
      {MmaFamily::Wgmma, fp8, {S::F16, S::F32}, group, 32, k, k, 1, false, false, always},
      {MmaFamily::Wgmma, {S::I8}, {S::I32}, groupInt, 32, k, k, 1, false, false, always},

      {MmaFamily::Tcgen05, {S::F16}, {S::F16, S::F32}, tensor, 16, any, any, 1, true, false, always},
      {MmaFamily::Tcgen05, {S::BF16}, {S::F32}, tensor, 16, any, any, 1, true, false, always},
      // The one mode that takes tf32 along M or N has a swizzle of its own; it is not used.
      {MmaFamily::Tcgen05, {S::TF32}, {S::F32}, tensor, 8, k, k, 1, true, false, always},
      {MmaFamily::Tcgen05, fp8, {S::F32}, tensor, 32, any, any, 16, true, false, always},
      {MmaFamily::Tcgen05, {S::I8}, {S::I32}, tensorInt, 32, any, any, 16, true, false, hasTcgen05Int8},
  };
  return rows;
}

std::string_view MmaRow::firstTarget() const {
  const Target *first = findFirstTarget([&](const Target &target) { return isAvailable(target); });
  return first ? first->name : std::string_view();
}

bool MmaRow::isAvailable(const Target &target) const { return hasMmaFamily(target, family) && isOn(target); }

static bool contains(const std::vector<ScalarType> &types, ScalarType type) {
  return std::find(types.begin(), types.end(), type) != types.end();
}

bool MmaRow::takes(ScalarType lhs, ScalarType rhs) const { return contains(operands, lhs) && contains(operands, rhs); }
bool MmaRow::sumsUpIn(ScalarType type) const { return contains(sums, type); }

unsigned tilewright::multiplyAddsPerClock(const Target &target, MmaFamily family, ScalarType operand,
                                          unsigned instructionM) {
  if (!hasMmaFamily(target, family))
    return 0;
  unsigned cc = target.computeCapability;
  if (family == MmaFamily::Fma) {
    if (operand == ScalarType::F64)
      return cc == 80 ? 32 : cc == 90 || cc == 100 ? 64 : 2;
    return cc == 80 ? 64 : 128;
  }
  // Sixteen-bit operands; the others by their width.
  unsigned halves = family == MmaFamily::Wgmma               ? 2048
                    : family == MmaFamily::Tcgen05           ? (instructionM < 128 ? 2048 : 4096)
                    : cc == 86 || cc == 89 || cc == 120      ? 512
                                                             : 1024;
  switch (operand) {
  case ScalarType::F64:
    return cc == 80 ? 64 : cc == 90 || cc == 100 ? 128 : 2;
  case ScalarType::TF32:
  case ScalarType::F32:
    return halves / 2;
  case ScalarType::F16:
  case ScalarType::BF16:
    return halves;
  default:
    return halves * 2;
  }
}
