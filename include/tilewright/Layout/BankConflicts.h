// SPDX-License-Identifier: Apache-2.0
/// \file
/// The cost of one warp-wide access to shared memory. Apart from SharedLayout.h because it knows addresses only.
///
/// Shared memory has 32 banks of 4 bytes; byte address a lies in bank (a / 4) % 32. Each bank serves one word per
/// step (*wavefront*) and gives it to all lanes that want it. Accesses of 8 and 16 bytes are served in phases of 16
/// and 8 lanes, since one step moves at most 128 bytes.
///
/// Example. 32 lanes read 4 bytes each from a column of a row-major f32 tile with 32 columns: the offsets are 128*lane,
/// all in bank 0, so the access takes 32 steps, 31 more than needed. With a pitch of 33 words each lane has its own
/// bank and it takes one.
#ifndef TILEWRIGHT_LAYOUT_BANKCONFLICTS_H
#define TILEWRIGHT_LAYOUT_BANKCONFLICTS_H

#include <cstdint>
#include <vector>

namespace tilewright::layout {

/// Returns the bank conflicts of one warp-wide access: in each phase the most words that are wanted from one bank,
/// minus one, summed over phases. `offsetsBytes` holds up to 32 byte offsets in lane order, multiples of
/// `accessBytes`; a negative offset is a lane that does not take part. `accessBytes` is 1, 2, 4, 8 or 16. Lanes that
/// access the same word do not conflict. Source: CUDA programming guide, shared memory of compute capability 5.x and
/// later; the phases are those of hardware.md 1.5.
unsigned countBankConflicts(const std::vector<int64_t> &offsetsBytes, unsigned accessBytes);

/// Returns the phases of such an access: the steps it takes without conflicts.
inline unsigned countPhases(unsigned accessBytes) { return accessBytes <= 4 ? 1 : accessBytes / 4; }

} // namespace tilewright::layout

#endif // TILEWRIGHT_LAYOUT_BANKCONFLICTS_H
