// SPDX-License-Identifier: Apache-2.0
/// \file
/// The arithmetic of tensor cores.
#ifndef TILEWRIGHT_EMULATOR_MMA_H
#define TILEWRIGHT_EMULATOR_MMA_H

#include "tilewright/Target/Target.h"

#include <array>
#include <cstdint>

namespace tilewright {

/// True if the number names a kind of instruction that exists.
bool isMmaKind(int32_t kind);

/// One `mma.sync` of a warp: `words[lane]` holds the lane's fragments of the left operand (4 words), the right one (2)
/// and the sum (4, or 2 of pairs of f16), and receives the new sum. `kind` as packMmaKind() makes it.
///
/// Gives the bits that an H200 gives (docs/Numerics.md, "Sums of tensor cores"; measured there). One step adds 16
/// products, 8 of tf32, to the sum so far: every term is cut toward zero to 25 places behind the point of the largest
/// one, where the exponent of a product is the sum of its factors' exponents; the terms are added exactly; the sum is
/// cut toward zero to f32, or rounded to f16, to nearest even. Elements of 8 bits become f16 and take two steps, the
/// second with the upper halves of all words; what they give is added to the old sum and rounded to nearest even. A NaN
/// is 0x7fffffff or 0x7fff. Integers wrap around.
void multiplyFragments(int32_t kind, const std::array<int32_t *, kWarpSize> &words);

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_MMA_H
