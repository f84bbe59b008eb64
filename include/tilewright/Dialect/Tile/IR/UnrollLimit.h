// SPDX-License-Identifier: Apache-2.0
/// \file
/// The bound of `tile.unroll`, for the verifier and for who makes the copies.
#ifndef TILEWRIGHT_DIALECT_TILE_IR_UNROLLLIMIT_H
#define TILEWRIGHT_DIALECT_TILE_IR_UNROLLLIMIT_H

#include <cstdint>

namespace tilewright::tile {
/// Most copies of a loop's body, `tile.unroll`; more is a mistake.
inline constexpr int64_t kMaxUnroll = 1 << 16;
} // namespace tilewright::tile

#endif // TILEWRIGHT_DIALECT_TILE_IR_UNROLLLIMIT_H
