// SPDX-License-Identifier: Apache-2.0
#include "HostSymbols.h"
#include "tilewright/Emulator/Abi.h"

#include <cmath>
#include <cstring>

using namespace tilewright;

//===----------------------------------------------------------------------===//
// 16-bit floats
//===----------------------------------------------------------------------===//

uint16_t tilewright::narrowFloat(double value, unsigned exponentBits, unsigned mantissaBits) {
  uint64_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  uint16_t sign = uint16_t(bits >> 63 << 15);
  uint16_t infinity = uint16_t(((1u << exponentBits) - 1) << mantissaBits);
  int exponent = int(bits >> 52 & 0x7ff);
  uint64_t mantissa = bits & ((uint64_t(1) << 52) - 1);
  unsigned dropped = 52 - mantissaBits;
  if (exponent == 0x7ff && mantissa)
    return uint16_t(sign | infinity | 1u << (mantissaBits - 1) | mantissa >> dropped);
  if (exponent == 0x7ff)
    return sign | infinity;
  int bias = (1 << (exponentBits - 1)) - 1;
  int rebiased = exponent - 1023 + bias;
  if (rebiased >= (1 << exponentBits) - 1)
    return sign | infinity;
  // Below the smallest normal number more bits are dropped; subnormal doubles are far below and round to zero.
  mantissa |= exponent ? uint64_t(1) << 52 : 0;
  if (rebiased <= 0) {
    dropped += unsigned(1 - rebiased);
    rebiased = 0;
    if (dropped > 54)
      return sign;
  } else {
    mantissa &= (uint64_t(1) << 52) - 1;
  }
  uint64_t kept = (uint64_t(rebiased) << mantissaBits) + (mantissa >> dropped);
  uint64_t rest = mantissa & ((uint64_t(1) << dropped) - 1), half = uint64_t(1) << (dropped - 1);
  if (rest > half || (rest == half && (kept & 1)))
    ++kept; // May carry into the exponent, up to infinity, which is what rounding asks for.
  return uint16_t(sign | kept);
}

uint16_t tilewright::narrowToBfloat(float value) {
  uint32_t bits;
  std::memcpy(&bits, &value, sizeof bits);
  if (!std::isnan(value))
    return narrowFloat(value, 8, 7);
  constexpr uint32_t kMantissa = 0x7f, kQuiet = 0x40;
  uint32_t kept = bits >> 16;
  return uint16_t(kept & kMantissa ? kept : kept | kQuiet); // Without a mantissa it would be an infinity.
}

float tilewright::widenHalf(uint16_t half) {
  uint32_t sign = uint32_t(half >> 15) << 31, exponent = half >> 10 & 31, mantissa = half & 1023;
  if (exponent == 0) {
    float value = std::ldexp(float(mantissa), -24);
    return sign ? -value : value;
  }
  uint32_t bits = exponent == 31 ? sign | 0x7f800000u | (mantissa ? 0x400000u | mantissa << 13 : 0)
                                 : sign | (exponent + 112) << 23 | mantissa << 13;
  float value;
  std::memcpy(&value, &bits, sizeof value);
  return value;
}

/// On x86-64 a 16-bit float is passed and returned in the low 16 bits of an SSE register (System V psABI), which is
/// where a `float` is too: so these need no compiler that knows 16-bit floats.
using InSseRegister = float;

static InSseRegister toRegister(uint16_t bits) {
  uint32_t wide = bits;
  float value;
  std::memcpy(&value, &wide, sizeof value);
  return value;
}

static uint16_t fromRegister(InSseRegister value) {
  uint32_t wide;
  std::memcpy(&wide, &value, sizeof wide);
  return uint16_t(wide);
}

static InSseRegister truncateSingleToHalf(float value) { return toRegister(narrowFloat(value, 5, 10)); }
static InSseRegister truncateDoubleToHalf(double value) { return toRegister(narrowFloat(value, 5, 10)); }
static float extendHalfToSingle(InSseRegister half) { return widenHalf(fromRegister(half)); }
static InSseRegister truncateSingleToBfloat(float value) { return toRegister(narrowToBfloat(value)); }
static InSseRegister truncateDoubleToBfloat(double value) { return toRegister(narrowFloat(value, 8, 7)); }

//===----------------------------------------------------------------------===//
// The table
//===----------------------------------------------------------------------===//

// Of the compiler's runtime library; they have no header.
extern "C" {
__int128 __divti3(__int128, __int128);
__int128 __modti3(__int128, __int128);
unsigned __int128 __udivti3(unsigned __int128, unsigned __int128);
unsigned __int128 __umodti3(unsigned __int128, unsigned __int128);
}

template <typename Function> static void *addressOf(Function *function) { return reinterpret_cast<void *>(function); }

// The functions of <cmath> by their C names, in f32 and f64.
#define TILEWRIGHT_MATH1(NAME)                                                                                         \
  {#NAME, addressOf(static_cast<double (*)(double)>(&::NAME))}, {                                                      \
    #NAME "f", addressOf(static_cast<float (*)(float)>(&::NAME##f))                                                    \
  }
#define TILEWRIGHT_MATH2(NAME)                                                                                         \
  {#NAME, addressOf(static_cast<double (*)(double, double)>(&::NAME))}, {                                              \
    #NAME "f", addressOf(static_cast<float (*)(float, float)>(&::NAME##f))                                             \
  }
#define TILEWRIGHT_MATH3(NAME)                                                                                         \
  {#NAME, addressOf(static_cast<double (*)(double, double, double)>(&::NAME))}, {                                      \
    #NAME "f", addressOf(static_cast<float (*)(float, float, float)>(&::NAME##f))                                      \
  }

const std::vector<std::pair<const char *, void *>> &tilewright::getHostSymbols() {
  static const auto *symbols = [] {
    auto *made = new std::vector<std::pair<const char *, void *>>{
        TILEWRIGHT_MATH1(acos),
        TILEWRIGHT_MATH1(acosh),
        TILEWRIGHT_MATH1(asin),
        TILEWRIGHT_MATH1(asinh),
        TILEWRIGHT_MATH1(atan),
        TILEWRIGHT_MATH1(atanh),
        TILEWRIGHT_MATH1(cbrt),
        TILEWRIGHT_MATH1(ceil),
        TILEWRIGHT_MATH1(cos),
        TILEWRIGHT_MATH1(cosh),
        TILEWRIGHT_MATH1(erf),
        TILEWRIGHT_MATH1(erfc),
        TILEWRIGHT_MATH1(exp),
        TILEWRIGHT_MATH1(exp2),
        TILEWRIGHT_MATH1(expm1),
        TILEWRIGHT_MATH1(fabs),
        TILEWRIGHT_MATH1(floor),
        TILEWRIGHT_MATH1(log),
        TILEWRIGHT_MATH1(log10),
        TILEWRIGHT_MATH1(log1p),
        TILEWRIGHT_MATH1(log2),
        TILEWRIGHT_MATH1(nearbyint),
        TILEWRIGHT_MATH1(rint),
        TILEWRIGHT_MATH1(round),
        TILEWRIGHT_MATH1(sin),
        TILEWRIGHT_MATH1(sinh),
        TILEWRIGHT_MATH1(sqrt),
        TILEWRIGHT_MATH1(tan),
        TILEWRIGHT_MATH1(tanh),
        TILEWRIGHT_MATH1(trunc),
        TILEWRIGHT_MATH2(atan2),
        TILEWRIGHT_MATH2(copysign),
        TILEWRIGHT_MATH2(fmax),
        TILEWRIGHT_MATH2(fmin),
        TILEWRIGHT_MATH2(fmod),
        TILEWRIGHT_MATH2(pow),
        TILEWRIGHT_MATH3(fma),
        // The C library's own, which C++17 headers hide; the host rounds to nearest even.
        {"roundeven", addressOf(static_cast<double (*)(double)>(&::nearbyint))},
        {"roundevenf", addressOf(static_cast<float (*)(float)>(&::nearbyintf))},
        {"ldexp", addressOf(static_cast<double (*)(double, int)>(&::ldexp))},
        {"ldexpf", addressOf(static_cast<float (*)(float, int)>(&::ldexpf))},
        {"memcpy", addressOf(&std::memcpy)},
        {"memmove", addressOf(&std::memmove)},
        {"memset", addressOf(&std::memset)},
        {"memcmp", addressOf(&std::memcmp)},
        {"__divti3", addressOf(&__divti3)},
        {"__modti3", addressOf(&__modti3)},
        {"__udivti3", addressOf(&__udivti3)},
        {"__umodti3", addressOf(&__umodti3)},
        {"__truncsfhf2", addressOf(&truncateSingleToHalf)},
        {"__truncdfhf2", addressOf(&truncateDoubleToHalf)},
        {"__extendhfsf2", addressOf(&extendHalfToSingle)},
        {"__truncsfbf2", addressOf(&truncateSingleToBfloat)},
        {"__truncdfbf2", addressOf(&truncateDoubleToBfloat)},
    };
    const auto &abi = getEmulatorSymbols();
    made->insert(made->end(), abi.begin(), abi.end());
    return made;
  }();
  return *symbols;
}
