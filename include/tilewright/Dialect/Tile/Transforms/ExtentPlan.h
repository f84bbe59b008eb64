// SPDX-License-Identifier: Apache-2.0
/// \file
/// Which tile extents of a kernel can be changed and what goes with them, apart from the rewrite.
///
/// A kernel walks a dimension of a view in blocks of E indices: programs or steps of a loop have one block each, and
/// position p of a tile is index `base + p`. Where every value is a function of `base + p` alone, E is a choice: any
/// other one computes the same elements, in other groups. Dimensions of tiles that must have one extent form a *class*.
/// A class can be resized if
///
///  - it is walked by one base: a loop with step E, or a block number (a program id, or what division by numbers of
///  blocks
///    leaves of it) times E, with as many programs as there are blocks;
///  - each use of the base is an offset of a dimension of the class, or meets the position: `base + p < n`;
///  - what a loop carries from block to block is a sum, product, minimum or maximum over what the blocks give, or a
///    sum that is kept relative to a running maximum, `s * exp(m - m') + sum(exp(x - m'))`;
///  - nothing else depends on the block: no store of one block's sum, no condition, no scan, no cut.
///
/// In the last block positions lie behind the end of what is walked. A store must skip them and what a loop sums must be
/// neutral there (a padding of zero, -inf or a mask); that follows if views end where the walk ends, which is a
/// requirement on the launch where it is not known. A new extent that divides the old one touches no position that the
/// old one did not, but fewer of them, so that it may do without where the walk is whole blocks of the old extent: that
/// is the requirement then. What the device alone knows of the walk must be whole blocks by itself, or the class is
/// pinned.
///
/// Worked example, examples/matmul.mlir: rows of a, of the product and of c are class M with base program_id x * 128,
/// the columns of a and rows of b are class K with the loop's variable as base. K = 128 needs that b has no more rows
/// than a has columns: the zeros behind the end of a then meet zeros.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_EXTENTPLAN_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_EXTENTPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Dialect/Tile/IR/Tile.h"

#include <string>

namespace tilewright {

/// Why an extent is what it is: an op and what it does, in words that follow its name.
struct ExtentReason {
  mlir::Operation *op = nullptr;
  std::string text;
  explicit operator bool() const { return op; }
};

/// The size of `view` along `dim` must be at most what the class walks.
struct ExtentRequirement {
  mlir::Value view;
  unsigned dim = 0;
  /// What is walked, a value of the kernel or, if `isInGrid`, of its grid function.
  mlir::Value walked;
  bool isInGrid = false;
  /// The access that needs it.
  mlir::Operation *op = nullptr;
};

/// Dimensions of tiles that have one extent.
struct ExtentClass {
  /// What a user may call it: M, N, K, B for its role in products, with the product's number behind it where there are
  /// several, and PARAMETER.DIM for each view dimension that it walks. Classes may share names; the first is its own,
  /// with #0, #1, ... behind it where all are shared.
  llvm::SmallVector<std::string> names;
  int64_t extent = 1;
  /// Tiles and their dimensions, in program order.
  llvm::SmallVector<std::pair<mlir::Value, unsigned>> dims;
  /// Set if the extent cannot change at all.
  ExtentReason pin;
  /// Set if only divisors of the extent are right.
  ExtentReason onlyDivisors;
  /// Whether the results show what is behind the end of the walk, so that blocks of divisors give the same only where
  /// nothing is: `onlyDivisors` for more than what is safe to touch. Pinned where a launch cannot check that.
  bool showsEnd = false;
  /// What is walked: from `begin` (null: 0) to the number `end`, which may be one of the grid function. Null if pinned.
  mlir::Value begin, end;
  /// Operands that hold the extent as a number.
  llvm::SmallVector<mlir::OpOperand *> numbers;
  /// What a launch must meet; an extent that divides this one needs it only where the walk is no whole blocks.
  llvm::SmallVector<ExtentRequirement> requirements;
  /// Accesses and their view dimensions whose `in_bounds` is no longer true for extents that do not divide this one.
  llvm::SmallVector<std::pair<mlir::Operation *, unsigned>> promises;

  bool hasName(llvm::StringRef name) const { return llvm::is_contained(names, name); }
};

/// An operand of kernel or grid function that is a product of factors, of which those with a class are
/// `ceildiv(size, extent)`.
struct ExtentProduct {
  struct Factor {
    mlir::Value value, size;
    /// An index into the classes; -1 for a factor that stays.
    int extentClass = -1;
  };
  mlir::OpOperand *operand = nullptr;
  llvm::SmallVector<Factor> factors;
};

/// All that can be resized in one kernel, and what cannot.
struct KernelExtents {
  std::vector<ExtentClass> classes;
  std::vector<ExtentProduct> products;
};

/// Gives each use of a constant, splat or iota a copy of its own, since uses by different classes are no reason for one
/// extent; gives copies and their originals.
llvm::SmallVector<std::pair<mlir::Operation *, mlir::Operation *>> splitSharedTiles(mlir::func::FuncOp kernel);
/// Undoes it for copies that are still equal to their originals.
void mergeSharedTiles(llvm::ArrayRef<std::pair<mlir::Operation *, mlir::Operation *>> copies);

/// Decides for `kernel` and its grid function, which may be null. Changes nothing. Classes are in program order.
KernelExtents planExtents(mlir::func::FuncOp kernel, mlir::func::FuncOp grid);

/// Why `extent` is not possible for a class; nothing if it is.
ExtentReason reasonAgainst(const ExtentClass &extentClass, int64_t extent);

/// What a launch of a kernel with another extent must meet: the requirement, or with `orWhole` that whole blocks of the
/// old extent are walked; that alone if there is no requirement.
struct LaunchCondition {
  const ExtentRequirement *requirement = nullptr;
  bool orWhole = false;
};

/// The conditions of `extent`, which `reasonAgainst` allows: none where whole blocks of the old extent are always walked
/// and the new one divides it.
llvm::SmallVector<LaunchCondition> launchConditions(const ExtentClass &extentClass, int64_t extent);

/// Largest extent that can be asked for; a tile of more elements is a mistake.
constexpr int64_t kMaxExtent = 1 << 16;

/// "M:128" as a name and a number from 1 to `kMaxExtent`; nothing for anything else.
std::optional<std::pair<llvm::StringRef, int64_t>> parseExtentRequest(llvm::StringRef text);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_EXTENTPLAN_H
