// SPDX-License-Identifier: Apache-2.0
/// \file
/// Diagnostics that are about no place of a program, such as those about options: MLIR would print them at a line 0 of
/// the file or as "<unknown>".
#ifndef TILEWRIGHT_PARSER_PLACELESSERRORS_H
#define TILEWRIGHT_PARSER_PLACELESSERRORS_H

#include "mlir/IR/Location.h"

#include <string>

namespace mlir {
class MLIRContext;
} // namespace mlir

namespace tilewright {

/// Whether a location names a line of some text.
bool hasPlace(mlir::Location loc);

/// From now on `context` prints diagnostics without a place to the standard error as "FILE: error: MESSAGE", or with
/// the name of the tool where no file is known; others go on to the handlers that were there. Call behind them: the
/// last handler is asked first.
void printPlacelessErrors(mlir::MLIRContext &context, std::string tool);

} // namespace tilewright

#endif // TILEWRIGHT_PARSER_PLACELESSERRORS_H
