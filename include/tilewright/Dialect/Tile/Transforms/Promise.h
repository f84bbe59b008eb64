// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a variant of a kernel promises about its arguments, apart from how variants are chosen: a promise can be put
/// on a function as type and attributes, be turned into a condition that a host evaluates, and be said in words.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROMISE_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROMISE_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/IR/SymbolTable.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include <limits>

namespace tilewright {

/// One fact about one parameter that a host can check before a launch.
struct Promise {
  enum Kind {
    UnitStride,    ///< The stride of view dimension `dim` is 1.
    BaseDivisor,   ///< `divisor` divides the address of a pointer or of a view's first element, in bytes.
    StrideDivisor, ///< `divisor` divides the stride of `dim`, in elements.
    SizeDivisor,   ///< `divisor` divides the size of `dim`.
    ValueDivisor,  ///< `divisor` divides an integer.
    EqualSizes,    ///< The size of `dim` is that of `otherDim` of view parameter `otherArgument`.
    SizeRange,     ///< The size of `dim` is from `low` to `high`.
    StrideRange,   ///< The stride of `dim` is from `low` to `high`, in elements.
    ValueRange,    ///< An integer is from `low` to `high`.
  };
  Kind kind;
  unsigned argument;
  unsigned dim = 0;
  int64_t divisor = 1;
  unsigned otherArgument = 0, otherDim = 0;
  int64_t low = std::numeric_limits<int64_t>::min(), high = std::numeric_limits<int64_t>::max();
};

/// Whether every use of `view`, also behind permute_view, is one that a change of its strides can follow: accesses and
/// queries. A loop, branch or call that carries the view is `blocker` then.
bool canRefineView(mlir::Value view, mlir::Operation *&blocker);

/// Whether an access behind `view`, or a view that takes its stride over, walks its dimension `dim` by more than one
/// element.
bool isDimWalked(mlir::Value view, int64_t dim);

/// Puts the promises on a function: unit strides into the types of the arguments and of all views made from them, the
/// divisors and ranges of integers into argument attributes, joined with what stands there. Equal sizes and ranges of sizes
/// and strides have no attribute: whoever promises them uses them at once.
void applyPromises(mlir::func::FuncOp func, mlir::ArrayRef<Promise> promises);

/// A private function over the parameters of `kernel` that returns whether all promises hold, in front of `kernel`.
/// Where there is a guard `base`, of one block, it must hold, too.
mlir::func::FuncOp createGuard(mlir::func::FuncOp kernel, mlir::StringRef name, mlir::ArrayRef<Promise> promises,
                               mlir::func::FuncOp base = {});

/// Adds a variant of `kernel` under `promises` and returns it: a clone of `base`, which is the kernel or one of its
/// variants, with a guard and a grid function of its own, in front of `base`. `name`, `name`_guard and `name`_grid must
/// be free.
mlir::func::FuncOp addVariant(mlir::func::FuncOp kernel, mlir::func::FuncOp base, mlir::StringRef name,
                              mlir::ArrayRef<Promise> promises, mlir::SymbolTable &symbols);

/// How messages call a parameter: its `tile.name`, or "parameter 2".
std::string describeParameter(mlir::func::FuncOp kernel, unsigned argument);

/// E.g. "a: stride 1 in dim 1" with the parameter's `tile.name` or, without one, its position.
std::string describePromise(mlir::func::FuncOp kernel, const Promise &promise);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_PROMISE_H
