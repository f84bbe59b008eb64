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

/// One `mma.sync` of a warp: `words[lane]` holds the lane's fragments of the left operand (4 words), the right one (2) and
/// the sum (4, or 2 of pairs of f16), and receives the new sum. `kind` as packMmaKind() makes it.
///
/// Products are exact. Each sum is formed in f64 and rounded once to its type, to nearest even: tensor cores keep
/// fewer bits while they add and truncate, so that a result may differ from theirs in the last place unless
/// all partial sums are exact. Integers wrap around.
void multiplyFragments(int32_t kind, const std::array<int32_t *, kWarpSize> &words);

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_MMA_H
