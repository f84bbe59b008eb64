// SPDX-License-Identifier: Apache-2.0
/// \file
/// Every function that host code of a kernel may call: the emulator's interface, mathematics and memory functions of
/// the C library, and conversions of 16-bit floats. A table, not the process's symbols: what a kernel needs and is not
/// here is an error, the same on each machine.
#ifndef TILEWRIGHT_LIB_EMULATORJIT_HOSTSYMBOLS_H
#define TILEWRIGHT_LIB_EMULATORJIT_HOSTSYMBOLS_H

#include <cstdint>
#include <utility>
#include <vector>

namespace tilewright {

const std::vector<std::pair<const char *, void *>> &getHostSymbols();

/// Round to nearest even from f64 to a narrow float of `exponentBits` and `mantissaBits`, IEEE-like (f16: 5, 10; bf16:
/// 8, 7); overflow gives infinity, a NaN stays one with the quiet bit set. An f32 is converted by way of f64, which
/// holds it exactly, so each conversion rounds once.
uint16_t narrowFloat(double value, unsigned exponentBits, unsigned mantissaBits);

/// Round to nearest even from f32 to bf16. A NaN keeps what bf16 can hold of it, also where it is a signalling one: LLVM
/// carries a bf16 from block to block as f32 and calls this at the end, and a number that only moves keeps its bits.
uint16_t narrowToBfloat(float value);

/// The value of an f16, which f32 holds exactly.
float widenHalf(uint16_t bits);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_EMULATORJIT_HOSTSYMBOLS_H
