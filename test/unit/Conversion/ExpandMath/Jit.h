// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs one op of `math` or `arith` on arrays: expands it by the pass, compiles it for this machine, calls it.
#ifndef TILEWRIGHT_TEST_UNIT_CONVERSION_EXPANDMATH_JIT_H
#define TILEWRIGHT_TEST_UNIT_CONVERSION_EXPANDMATH_JIT_H

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

namespace llvm::orc {
class LLJIT;
}

namespace expandtest {

/// One op compiled: `%r = OP` over `vector<8x...>` of `%x`, `%y`, in textual form, its types in terms of $X, $Y and $R.
class Kernel {
public:
  /// `op` names %x, %y and has `$V{T}` for vector<8xT>, e.g. "math.exp %x : $V{f32}". Types are element types; `y` may
  /// be empty; ops of `before` come first. Aborts with the diagnostics when something fails.
  Kernel(const std::string &op, const std::string &x, const std::string &y, const std::string &result,
         const std::string &before = "");
  ~Kernel();
  /// `count` elements, a multiple of 8.
  void run(const void *x, const void *y, void *result, int64_t count) const { function(x, y, result, count); }
  template <typename R, typename X> std::vector<R> map(std::vector<X> x) const { return map<R, X, X>(x, x); }
  template <typename R, typename X, typename Y> std::vector<R> map(std::vector<X> x, std::vector<Y> y) const {
    size_t count = x.size();
    x.resize((count + 7) / 8 * 8);
    y.resize(x.size());
    std::vector<R> result(x.size());
    run(x.data(), y.data(), result.data(), int64_t(x.size()));
    result.resize(count);
    return result;
  }

private:
  std::unique_ptr<llvm::orc::LLJIT> jit;
  void (*function)(const void *, const void *, void *, int64_t) = nullptr;
};

} // namespace expandtest

#endif // TILEWRIGHT_TEST_UNIT_CONVERSION_EXPANDMATH_JIT_H
