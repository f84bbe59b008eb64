// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Dialect/TileGPU/IR/MmaTypes.h"
#include "tilewright/Layout/MmaLayout.h"

#include "mlir/IR/BuiltinTypes.h"

using namespace mlir;
using namespace tilewright;
using namespace tilewright::tile_gpu;

static std::optional<MmaElement> elementOf(Type type, bool isUnsigned) {
  if (type.isF16())
    return MmaElement::F16;
  if (type.isBF16())
    return MmaElement::BF16;
  if (type.isF32() || type.isTF32())
    return MmaElement::TF32;
  if (type.isInteger(8))
    return isUnsigned ? MmaElement::U8 : MmaElement::S8;
  if (isa<Float8E4M3FNType>(type))
    return MmaElement::E4M3;
  if (isa<Float8E5M2Type>(type))
    return MmaElement::E5M2;
  return std::nullopt;
}

std::optional<MmaKind> tile_gpu::findMmaKind(Type lhs, Type rhs, Type acc, bool lhsUnsigned, bool rhsUnsigned) {
  std::optional<MmaElement> left = elementOf(lhs, lhsUnsigned), right = elementOf(rhs, rhsUnsigned);
  if (!left || !right)
    return std::nullopt;
  bool alike = *left == *right || (isFp8(*left) && isFp8(*right)) || (isInteger(*left) && isInteger(*right));
  if (!alike)
    return std::nullopt;
  if (isInteger(*left))
    return acc.isInteger(32) ? std::optional<MmaKind>({*left, *right, MmaSum::S32}) : std::nullopt;
  if (acc.isF32())
    return MmaKind{*left, *right, MmaSum::F32};
  if (acc.isF16() && (*left == MmaElement::F16 || isFp8(*left)))
    return MmaKind{*left, *right, MmaSum::F16};
  return std::nullopt;
}

static const char *ptxName(MmaElement element) {
  switch (element) {
  case MmaElement::F16:
    return "f16";
  case MmaElement::BF16:
    return "bf16";
  case MmaElement::TF32:
    return "tf32";
  case MmaElement::S8:
    return "s8";
  case MmaElement::U8:
    return "u8";
  case MmaElement::E4M3:
    return "e4m3";
  case MmaElement::E5M2:
    return "e5m2";
  }
  llvm_unreachable("all elements are named");
}

static const char *ptxName(MmaSum sum) { return sum == MmaSum::F32 ? "f32" : sum == MmaSum::F16 ? "f16" : "s32"; }

std::string MmaKind::ptxSuffix() const {
  return "m16n8k" + std::to_string(layout::kMmaKBytes / bytesOf(lhs)) + ".row.col." + ptxName(sum) + "." +
         ptxName(lhs) + "." + ptxName(rhs) + "." + ptxName(sum);
}
