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

/// The value of an f16, which f32 holds exactly.
float widenHalf(uint16_t bits);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_EMULATORJIT_HOSTSYMBOLS_H
