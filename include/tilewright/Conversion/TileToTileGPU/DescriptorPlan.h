// SPDX-License-Identifier: Apache-2.0
/// \file
/// The tensor maps of a kernel, once layouts are known: boxes and swizzle follow from who reads a tile (TmaBox.h). Until copies are
/// asynchronous, marked accesses are copies by threads, and the plan alone speaks of maps.
#ifndef TILEWRIGHT_CONVERSION_TILETOTILEGPU_DESCRIPTORPLAN_H
#define TILEWRIGHT_CONVERSION_TILETOTILEGPU_DESCRIPTORPLAN_H

#include "mlir/Dialect/Func/IR/FuncOps.h"
#include "tilewright/Conversion/HostToPlan/HostToPlan.h"
#include "tilewright/Target/Target.h"

#include <vector>

namespace tilewright {

/// One for each access of `func`, on the buffer level, that is marked `tile.tma`, in walk order. Emits one located diagnostic and
/// fails where a mark stands on an access that no tensor map can serve, or the target has none. Changes nothing.
mlir::FailureOr<std::vector<DescriptorSpec>> planDescriptors(mlir::func::FuncOp func, const Target &target);

} // namespace tilewright

#endif // TILEWRIGHT_CONVERSION_TILETOTILEGPU_DESCRIPTORPLAN_H
