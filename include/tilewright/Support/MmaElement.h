// SPDX-License-Identifier: Apache-2.0
/// \file
/// What tensor cores multiply: names that compiler and emulator share.
#ifndef TILEWRIGHT_SUPPORT_MMAELEMENT_H
#define TILEWRIGHT_SUPPORT_MMAELEMENT_H

#include <cstdint>
#include <string>

namespace tilewright {

/// Elements of an operand.
enum class MmaElement : int32_t { F16, BF16, TF32, S8, U8, E4M3, E5M2 };
/// Elements of the sum.
enum class MmaSum : int32_t { F32, F16, S32 };

inline bool isFp8(MmaElement element) { return element == MmaElement::E4M3 || element == MmaElement::E5M2; }
inline bool isInteger(MmaElement element) { return element == MmaElement::S8 || element == MmaElement::U8; }
/// Bytes of one element in a fragment.
inline int64_t bytesOf(MmaElement element) {
  return element == MmaElement::TF32 ? 4 : element == MmaElement::F16 || element == MmaElement::BF16 ? 2 : 1;
}

/// A kind of instruction as one number of the emulator's interface, and back.
inline int32_t packMmaKind(MmaElement lhs, MmaElement rhs, MmaSum sum) {
  return static_cast<int32_t>(lhs) | static_cast<int32_t>(rhs) << 4 | static_cast<int32_t>(sum) << 8;
}

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_MMAELEMENT_H
