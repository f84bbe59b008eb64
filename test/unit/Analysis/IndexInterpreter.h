// SPDX-License-Identifier: Apache-2.0
/// \file
/// Runs index arithmetic for given parameters and programs, by the definitions of the ops alone. Shares nothing with
/// the analyses that it checks.
#ifndef TILEWRIGHT_TEST_UNIT_ANALYSIS_INDEXINTERPRETER_H
#define TILEWRIGHT_TEST_UNIT_ANALYSIS_INDEXINTERPRETER_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "llvm/ADT/DenseMap.h"

#include <array>
#include <functional>
#include <optional>

namespace indextest {

class IndexInterpreter {
public:
  /// Numbers of the launch: scalar arguments by position, sizes by argument and dimension.
  llvm::DenseMap<unsigned, int64_t> scalars;
  llvm::DenseMap<std::pair<unsigned, int64_t>, int64_t> sizes;
  std::array<int64_t, 3> id = {0, 0, 0}, programs = {1, 1, 1};
  /// Runs loops as a machine does: their variable wraps around, and any step is taken. Else a step below 1 is undefined.
  bool wrapsLoops = false;
  /// Whether arithmetic of 64 bits ends in an error where it overflows, as that of a launcher.
  bool reportsOverflow = false;
  /// Called at each op of an unregistered dialect and each access to memory.
  std::function<void(mlir::Operation *)> probe;

  /// Runs the function; false where it ends in undefined behaviour, a broken promise or too many steps. What was probed
  /// before holds all the same.
  bool run(mlir::func::FuncOp func);
  /// The number, sign-extended; nothing for poison.
  std::optional<int64_t> valueOf(mlir::Value value) const { return values.lookup(value); }
  /// What the function returned.
  llvm::SmallVector<std::optional<int64_t>> results;

private:
  bool runBlock(mlir::Block &block, llvm::SmallVector<std::optional<int64_t>> &yielded);
  bool runOp(mlir::Operation &op);
  std::optional<int64_t> sizeOf(mlir::Value view, int64_t dim) const;

  llvm::DenseMap<mlir::Value, std::optional<int64_t>> values;
  int steps = 0;
};

} // namespace indextest

#endif // TILEWRIGHT_TEST_UNIT_ANALYSIS_INDEXINTERPRETER_H
