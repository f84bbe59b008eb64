// SPDX-License-Identifier: Apache-2.0
/// \file
/// Upstream's integer ranges, taught the ops and argument attributes of the tile dialect.
#ifndef TILEWRIGHT_LIB_ANALYSIS_TILERANGES_H
#define TILEWRIGHT_LIB_ANALYSIS_TILERANGES_H

#include "mlir/Analysis/DataFlow/IntegerRangeAnalysis.h"

namespace tilewright {

class TileRangeAnalysis : public mlir::dataflow::IntegerRangeAnalysis {
public:
  using IntegerRangeAnalysis::IntegerRangeAnalysis;

  /// Takes the variables of unsigned loops for unknown: upstream reads their bounds as signed.
  void visitNonControlFlowArguments(mlir::Operation *op, const mlir::RegionSuccessor &successor,
                                    mlir::ArrayRef<mlir::dataflow::IntegerValueRangeLattice *> arguments,
                                    unsigned firstIndex) override;
  void setToEntryState(mlir::dataflow::IntegerValueRangeLattice *lattice) override;
  mlir::LogicalResult visitOperation(mlir::Operation *op,
                                     mlir::ArrayRef<const mlir::dataflow::IntegerValueRangeLattice *> operands,
                                     mlir::ArrayRef<mlir::dataflow::IntegerValueRangeLattice *> results) override;
};

/// The attribute `name` of a function argument, or null.
mlir::Attribute argumentAttribute(mlir::Value value, mlir::StringRef name);

} // namespace tilewright

#endif // TILEWRIGHT_LIB_ANALYSIS_TILERANGES_H
