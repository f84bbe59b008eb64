// SPDX-License-Identifier: Apache-2.0
/// \file
/// Where a transpose goes, as a decision apart from the rewrite.
///
/// Asking for a value in another order of its dimensions is a *request* (value, order). Each op answers a request in
/// one of a few ways: a load reads through a permuted view, an element-wise op computes on operands that are requested
/// in turn, a loop carries the permuted value beside the old one, and what can do none of it is *moved*: a
/// `tile.permute` stays behind it. The answer to one request is thus a graph of requests. An op answers by itself, so
/// each answer is a sound rewrite alone; the plan only says which of them pay.
///
/// A plan costs the bytes that its moves move and that values kept in both orders repeat, each times 16 for every loop
/// around. It saves the bytes of the permutes that die. Worked example: in a loop, `permute(load)` of 64x64xf16 moves
/// 8192 bytes * 16; the plan "load through the permuted view" moves none, and nothing is repeated unless another op
/// uses the load: then half of 8192 * 16, for the second load.
///
/// There are two places to ask from. *Folding* asks for what is in front of a permute. *Sinking* follows the permute's
/// result to stores and reductions, which take any order at no cost, and asks there for the order that undoes it.
#ifndef TILEWRIGHT_DIALECT_TILE_TRANSFORMS_TRANSPOSEPLAN_H
#define TILEWRIGHT_DIALECT_TILE_TRANSFORMS_TRANSPOSEPLAN_H

#include "tilewright/Dialect/Tile/IR/Tile.h"

#include <string>

namespace tilewright {

/// How a request is answered.
enum class TransposeAnswer {
  Same,        ///< The order is the one that the value has.
  Relabel,     ///< Only dimensions of extent 1 change places: a reshape.
  Constant,    ///< A constant or poison is made in the other order.
  Splat,       ///< One scalar everywhere.
  Load,        ///< A block is read through a permuted view.
  Elementwise, ///< The op runs on permuted operands; loads behind pointers, too.
  Shape,       ///< A broadcast, reshape or permute of a requested operand.
  LoopValue,   ///< What scf.for carries: requests for its first value and for what is yielded.
  LoopResult,  ///< The last of these.
  IfResult,    ///< Requests in both branches.
  Move,        ///< A tile.permute behind the value.
};

/// One request of a plan. `operands` are the numbers of the requests that its answer needs: per tile operand for
/// element-wise ops, [first value, yielded value] for loops, [then, else] for branches.
struct TransposeRequest {
  mlir::Value value;
  llvm::SmallVector<int64_t> order;
  TransposeAnswer answer = TransposeAnswer::Move;
  llvm::SmallVector<unsigned> operands;
  /// Why a move: the op, and what keeps it from answering; empty where other answers cost more.
  std::string reason;
  /// Whether the plan uses it; requests behind a cheaper move are not.
  bool isUsed = false;
  /// Whether the value is still used in its old order.
  bool staysAlive = false;
};

/// An op that takes requested values: the permute itself when it is folded, else a store or reduction. One request per
/// tile operand in question: the source of permute; value; value, pointer and mask; all sources.
struct TransposeRoot {
  mlir::Operation *op = nullptr;
  llvm::SmallVector<int64_t> order;
  llvm::SmallVector<unsigned> requests;
};

enum class TransposeOutcome {
  Folded,       ///< Answered without a move.
  Sunk,         ///< Undone in front of stores and reductions.
  Moved,        ///< Moves are left, of fewer bytes or outside of a loop.
  OperandOrder, ///< Left in front of products only, which read an operand in either order at no cost.
  Kept,         ///< Nothing pays.
};

struct TransposeDecision {
  TransposeOutcome outcome = TransposeOutcome::Kept;
  llvm::SmallVector<TransposeRequest> requests;
  llvm::SmallVector<TransposeRoot> roots;
  int64_t costBytes = 0;
  int64_t savedBytes = 0;
  /// Why it was kept.
  std::string reason;

  unsigned count(TransposeAnswer answer) const;
  /// Accesses that are made twice because both orders stay in use.
  unsigned countSecondLoads() const;
};

/// What is best for `permute`. Pure.
TransposeDecision planTranspose(tile::PermuteOp permute);

/// The order in which to ask for the source of a reshape so that a reshape of it gives the result in `order`; nothing
/// where elements of one source dimension would be torn apart. Shapes have equal element counts.
std::optional<llvm::SmallVector<int64_t>>
orderThroughReshape(llvm::ArrayRef<int64_t> source, llvm::ArrayRef<int64_t> result, llvm::ArrayRef<int64_t> order);

} // namespace tilewright

#endif // TILEWRIGHT_DIALECT_TILE_TRANSFORMS_TRANSPOSEPLAN_H
