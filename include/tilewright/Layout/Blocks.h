// SPDX-License-Identifier: Apache-2.0
/// \file
/// Blocks of a tile, and which part of a place names the block.
///
/// Cut a tile into equal blocks, k of them along each dimension. Where the bits and digits of a layout that choose the
/// block are register bits and register digits alone, every thread holds the same places of every block: taking
/// a block out, or putting blocks together, then renames registers and moves nothing.
///
/// Example. 8x64 with register bases {(0,1), (4,0)}: rows 0..3 and rows 4..7 differ in register bit 1 only, so the two
/// 4x64 blocks are registers {0, 1} and {2, 3} of each thread, both in the layout with the register base {(0,1)}.
///
/// This is apart from DistributedLayout.h because its shape operations keep every element and these do not.
#ifndef TILEWRIGHT_LAYOUT_BLOCKS_H
#define TILEWRIGHT_LAYOUT_BLOCKS_H

#include "tilewright/Layout/DistributedLayout.h"

namespace tilewright::layout {

/// The layout of each block of extents `blockShape`, which divide those of `whole`; nullopt where blocks do not differ
/// by whole registers.
std::optional<DistributedLayout> blockOf(const DistributedLayout &whole, const std::vector<int64_t> &blockShape);

/// The layout of `count` tiles in layout `part`, one after the other along `dim`, each in registers of its own; its
/// blocks have the layout `part`. Nullopt where `part` is ragged along `dim`, or has too many registers then.
std::optional<DistributedLayout> stackBlocks(const DistributedLayout &part, unsigned dim, int64_t count);

/// For each register of `to` the register of `from` whose offset is that of the register plus `shift`, -1 where there
/// is none. With `to` a block of `from` and `shift` its origin these are the registers of the block.
std::vector<int64_t> shiftedRegisters(const DistributedLayout &from, const DistributedLayout &to, const Coord &shift);

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_BLOCKS_H
