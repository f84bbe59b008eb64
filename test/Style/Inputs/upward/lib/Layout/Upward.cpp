// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Analysis/Alignment.h"
#include "mlir/IR/Builders.h"
#include "tilewright/Support/IndexExpr.h"
