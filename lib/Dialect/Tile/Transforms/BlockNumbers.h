// SPDX-License-Identifier: Apache-2.0
/// \file
/// How a kernel finds its blocks: which numbers count blocks of a tile dimension and which are the first index of one.
///
/// A *base* is the first index of a block: the variable of a loop whose step is the extent, or a *block number* times
/// the extent. Block numbers are program ids, variables of loops over a number of blocks, and what is left of them
/// after division by numbers of blocks. A *count* is a number of blocks, `ceildiv(size, extent)`. A block number runs
/// over the product of a list of factors, some of them counts: that of the grid function, or the bound of the loop. `n
/// / t` keeps the factors that are not in `t`, `n mod t` those that are, so a number that is left with one count counts
/// the blocks of one dimension.
///
/// Worked example: with the grid `ceildiv(m, 16) * ceildiv(n, 128)` and `t = ceildiv(n, 128)`, `id / t` has the factor
/// `ceildiv(m, 16)` and `id mod t` has `ceildiv(n, 128)`, so `(id mod t) * 128` is a base of blocks of 128.
///
/// Integers are sums of multiples of atoms, bases among them, plus a step per tile dimension. A tile of integers means
/// the same elements for every extent if the step along a dimension is the multiple of the dimension's base: it then
/// depends on `base + i` alone. Indices are taken to fit integers of 32 bits or more: one that does not is wrong for
/// any extent.
#ifndef TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BLOCKNUMBERS_H
#define TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BLOCKNUMBERS_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "mlir/Dialect/SCF/IR/SCF.h"

#include <map>
#include <string>

namespace tilewright {

/// One factor of a number of programs or blocks. `size` and `extent` are set if it is a count.
struct CountFactor {
  mlir::Value value;
  unsigned number = 0;
  mlir::Value size;
  int64_t extent = 0;
};

/// A walk over blocks: by a loop whose step is the extent, or by one factor of a grid or of a loop over blocks.
struct BlockWalk {
  /// The loop; null for programs.
  mlir::scf::ForOp loop;
  int64_t extent = 0;
  /// What is walked: the bound of the loop or the size in the count, which is a value of the grid function for
  /// programs.
  mlir::Value size;
  bool isInGrid = false;
  /// The atom of the base.
  unsigned base = 0;
  /// Operands that hold the extent as a number: the step, or what block numbers are multiplied by.
  llvm::SmallVector<mlir::OpOperand *> numbers;
};

/// An operand that is a product of factors, some of them counts: rebuilt when one changes. `walks` has -1 for a factor
/// that is none.
struct CountUse {
  mlir::OpOperand *operand;
  llvm::SmallVector<CountFactor> factors;
  llvm::SmallVector<int> walks;
};

/// `constant + sum of coefficient * atom + sum of step_d * i_d`.
struct IndexForm {
  std::map<unsigned, int64_t> terms;
  int64_t constant = 0;
  llvm::SmallVector<int64_t, 4> steps;
  /// The value is the smaller of this and that constant.
  mlir::OpOperand *cap = nullptr;
};

class BlockNumbers {
public:
  /// `grid` may be null: nothing is known of programs then.
  BlockNumbers(mlir::func::FuncOp kernel, mlir::func::FuncOp grid);

  /// Null for what has no form.
  const IndexForm *formOf(mlir::Value value) const;
  /// Equal numbers are equal values, also of kernel and grid function. Floats have none.
  unsigned numberOf(mlir::Value value) const { return numbers.lookup(value); }
  unsigned numberOfSize(mlir::Value view, unsigned dim);
  /// The first index behind a walk.
  IndexForm formOfEnd(const BlockWalk &walk) const;

  std::vector<BlockWalk> walks;
  std::vector<CountUse> counts;
  /// The walk whose base the atom is; -1 for none.
  int walkOfBase(unsigned atom) const;
  /// The walks that a block number counts; empty for other atoms. A block number is never a base.
  llvm::ArrayRef<int> walksCounted(unsigned atom) const;
  /// Whether the op gives a form made from those of its operands, so that its result is to be judged, not they.
  bool passesOn(mlir::Operation *op) const { return passing.contains(op); }
  /// Whether the operand is one that divides a block number, or is divided, by counts.
  bool isDivision(mlir::Operation *op) const { return divisions.contains(op); }

private:
  std::map<std::string, unsigned> interned;
  llvm::DenseMap<mlir::Value, unsigned> numbers;
  llvm::DenseMap<mlir::Value, IndexForm> forms;
  std::map<unsigned, llvm::SmallVector<int>> blockNumbers;
  std::map<unsigned, llvm::SmallVector<CountFactor>> factorsOf; // of block numbers, in step with blockNumbers
  llvm::DenseSet<mlir::Operation *> passing, divisions;

  unsigned intern(const llvm::Twine &key);
  void number(mlir::Operation *op);
  void addFunction(mlir::func::FuncOp func);
  void addGrid(mlir::func::FuncOp grid);
  void addLoop(mlir::scf::ForOp loop);
  bool addDivision(mlir::Operation *op);
  bool addForm(mlir::Operation *op);
  llvm::SmallVector<CountFactor> factor(mlir::Value product) const;
  void addBlockNumber(unsigned atom, llvm::ArrayRef<CountFactor> factors, mlir::OpOperand &product,
                      mlir::scf::ForOp loop, bool isInGrid);
};

/// The scalar that a view has as size along `dim`, if it is made with one: {null, static size or -1 of a parameter}.
struct ViewSize {
  mlir::Value scalar;
  int64_t constant = -1;
  mlir::Value view;
  unsigned dim = 0;
};
ViewSize resolveViewSize(mlir::Value view, unsigned dim);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_DIALECT_TILE_TRANSFORMS_BLOCKNUMBERS_H
