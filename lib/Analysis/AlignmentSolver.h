// SPDX-License-Identifier: Apache-2.0
/// \file
/// The dataflow analysis behind AlignmentAnalysis: one lattice per value and the transfer rules of each op.
#ifndef TILEWRIGHT_LIB_ANALYSIS_ALIGNMENTSOLVER_H
#define TILEWRIGHT_LIB_ANALYSIS_ALIGNMENTSOLVER_H

#include "mlir/Analysis/DataFlow/SparseAnalysis.h"
#include "tilewright/Analysis/Alignment.h"

namespace tilewright {

using AlignmentLattice = mlir::dataflow::Lattice<AlignmentFacts>;
/// The range of a value from a solver that has come to rest.
using RangeQuery = std::function<std::optional<mlir::ConstantIntRanges>(mlir::Value)>;

class AlignmentDataFlow : public mlir::dataflow::SparseForwardDataFlowAnalysis<AlignmentLattice> {
public:
  AlignmentDataFlow(mlir::DataFlowSolver &solver, RangeQuery ranges)
      : SparseForwardDataFlowAnalysis(solver), ranges(std::move(ranges)) {}

  void setToEntryState(AlignmentLattice *lattice) override;
  mlir::LogicalResult visitOperation(mlir::Operation *op, mlir::ArrayRef<const AlignmentLattice *> operands,
                                     mlir::ArrayRef<AlignmentLattice *> results) override;
  void visitNonControlFlowArguments(mlir::Operation *op, const mlir::RegionSuccessor &successor,
                                    mlir::ArrayRef<AlignmentLattice *> arguments, unsigned firstIndex) override;

private:
  RangeQuery ranges;
};

/// The one value in a range, sign-extended (an i1 counts as 0 or 1).
std::optional<int64_t> constantIn(const std::optional<mlir::ConstantIntRanges> &range);

/// Facts of the result of an op whose operands have the facts `operands`; ops that are not known give those of the
/// type.
AlignmentFacts transferAlignment(mlir::Operation *op, mlir::ArrayRef<AlignmentFacts> operands,
                                 const RangeQuery &ranges);

/// Facts of a function argument: its type and what its attributes promise.
AlignmentFacts argumentAlignment(mlir::Value argument);

/// Facts of a tile or scalar whose every element is `value`.
AlignmentFacts constantAlignment(mlir::Type type, int64_t value);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_ALIGNMENTSOLVER_H
