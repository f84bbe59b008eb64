// SPDX-License-Identifier: Apache-2.0
/// \file
/// The launch plan: everything that a host must know to launch the kernels of one bundle, as plain data. The
/// compiler fills it in, the runtime evaluates it (PlanEvaluator.h), a bundle carries it as JSON. Host
/// computations (grid, guards, kernel arguments) are lists of small integer expressions over the caller's
/// arguments, never code and never finished bytes, so one plan serves every argument.
///
/// Worked example: `@copy(%v: !tile.view<?x64xf16, strides = [?, 1]>, %n: index)` with the grid ceildiv(n, 128):
///
///     params      v: view of f16, sizes [?, 64], strides [?, 1]       n: scalar index
///     exprs       0: arg_base 0    1: arg_size 0, 0    2: arg_stride 0, 0    3: arg_scalar 1
///                 4: constant 128  5: ceildiv_s 3, 4
///     variant     grid [5], launchArgs [0: i64, 1: index, 2: index, 3: index]
///
/// The parameter order of a compiled kernel is that of the source; each view becomes its base address, then its
/// dynamic sizes, then its dynamic strides (in elements) in dimension order, all 64 bits wide; a pointer becomes
/// its address; a scalar stays what it is.
#ifndef TILEWRIGHT_SUPPORT_LAUNCHPLAN_H
#define TILEWRIGHT_SUPPORT_LAUNCHPLAN_H

#include "tilewright/Support/ScalarType.h"
#include "tilewright/Support/TmaRules.h"

#include <array>
#include <cstdint>
#include <limits>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

namespace tilewright {

/// Marks a size or stride that only the caller knows; equal to `mlir::ShapedType::kDynamic`.
inline constexpr int64_t kPlanDynamic = std::numeric_limits<int64_t>::min();

/// The plan format that this library writes and the only one that it reads.
/// Version 2 added host functions (`PlanKernel::steps`), version 3 tensor maps (`PlanVariant::descriptors`).
inline constexpr int64_t kLaunchPlanVersion = 4;

/// Operations of host expressions. Values are 64-bit two's complement; narrower integers are kept sign-extended,
/// and i1 values and comparison results are 0 or 1. The comment gives the use of the operands a, b and c; "x" is
/// the index of an earlier expression of the same kernel.
enum class ExprOp : uint8_t {
  Constant,   ///< a: the value itself
  ArgScalar,  ///< a: parameter. Integers sign-extended (i1 zero-extended), floats as their bits, zero-extended
  ArgBase,    ///< a: parameter (view or pointer). The address of element 0
  ArgSize,    ///< a: parameter (view), b: dimension
  ArgStride,  ///< a: parameter (view), b: dimension. In elements
  DeviceInfo, ///< a: a DeviceInfoKind
  Add,
  Sub,
  Mul, ///< a x, b x; overflow is an error
  DivS,
  DivU,
  RemS,
  RemU,
  FloorDivS,
  CeilDivS,
  CeilDivU, ///< a x, b x; a zero divisor is an error
  MinS,
  MaxS,
  MinU,
  MaxU, ///< a x, b x
  And,
  Or,
  Xor,
  Shl,
  ShrS,
  ShrU, ///< a x, b x; a shift outside 0..63 is an error
  CmpEq,
  CmpNe,
  CmpSlt,
  CmpSle,
  CmpSgt,
  CmpSge,
  CmpUlt,
  CmpUle,
  CmpUgt,
  CmpUge, ///< a x, b x
  Select, ///< a x: condition, b x: value if it is not zero, c x: value otherwise. Errors of the other are ignored
  SExt,   ///< a x, b: bits 1..64. The low bits, sign-extended: also how narrow arithmetic wraps
  ZExt,   ///< a x, b: bits 1..64. The low bits, zero-extended
};

/// How many enumerators `ExprOp` has.
inline constexpr unsigned kNumExprOps = 39;

/// The spelling of an operation in plan JSON, e.g. "ceildiv_s"; and its inverse.
std::string_view exprOpName(ExprOp op);
std::optional<ExprOp> parseExprOp(std::string_view name);

/// How many of a, b and c name earlier expressions: the first 0 to 3.
unsigned numExprOperands(ExprOp op);

/// What an expression may ask about the device that will run the kernel.
enum class DeviceInfoKind : uint8_t {
  SmCount,              ///< Number of streaming multiprocessors
  MaxSharedBytesPerCta, ///< Largest shared memory of one CTA, opt-in included
  MaxThreadsPerCta,
  ComputeCapability, ///< 10 * major + minor
  L2Bytes,
  /// CTAs of the chosen variant that one SM holds at a time, as its registers, threads and shared memory allow. Known once
  /// the variant is chosen and its code is loaded, so grids, launch arguments and descriptors may ask for it, guards,
  /// checks and steps not.
  MaxCtasPerSm,
};
inline constexpr unsigned kNumDeviceInfoKinds = 6;
std::string_view deviceInfoName(DeviceInfoKind kind);
std::optional<DeviceInfoKind> parseDeviceInfo(std::string_view name);

/// The values of every DeviceInfoKind, indexed by it; that of MaxCtasPerSm is no fact of the device alone and stays 0.
using DeviceInfoValues = std::array<int64_t, kNumDeviceInfoKinds>;

/// One host expression; see ExprOp for the operands. Its index in `PlanKernel::exprs` is its name.
struct PlanExpr {
  ExprOp op = ExprOp::Constant;
  int64_t a = 0, b = 0, c = 0;
  bool operator==(const PlanExpr &o) const { return op == o.op && a == o.a && b == o.b && c == o.c; }
};

enum class ParamKind : uint8_t { View, Pointer, Scalar };

/// One parameter of a kernel as its caller sees it, with everything that is promised about it. The launcher checks
/// each promise before a launch.
struct PlanParam {
  /// The `tile.name` attribute; empty if the parameter is known by its position only.
  std::string name;
  ParamKind kind = ParamKind::Scalar;
  /// Element type of a view or pointer, type of a scalar.
  ScalarType type = ScalarType::I32;
  /// Views: one entry per dimension, kPlanDynamic where the caller decides. Strides are in elements.
  std::vector<int64_t> sizes, strides;
  /// Views and pointers: bytes that divide the base address. Scalars: a number that divides the value.
  int64_t divBy = 1;
  /// Views: numbers that divide the sizes and strides (in elements); empty or one entry per dimension.
  std::vector<int64_t> sizesDivBy, stridesDivBy;
  /// Integer scalars: bounds of the value, signed.
  std::optional<int64_t> min, max;
  /// What the kernel does with the memory; decides what is copied to and from a device.
  bool isRead = true, isWritten = true;
};

/// One parameter of the compiled kernel, i.e. one 64-bit slot that holds the value of `expr` in its low bits.
struct PlanLaunchArg {
  uint32_t expr = 0;
  ScalarType type = ScalarType::I64;
};

/// A condition over the arguments alone that must hold for a launch, e.g. a `tile.assume` on a parameter.
struct PlanCheck {
  uint32_t expr = 0;
  /// What was expected, e.g. "parameter 'k' must be a multiple of 64".
  std::string message;
};

/// A tensor map that a variant copies boxes by, as expressions: what it says in bytes depends on the arguments. The dimensions
/// stand innermost first. Elements are interleaved in no way and all of a box is copied, so a plan does not say so.
struct PlanDescriptor {
  /// For messages: whose memory, and which access of the source, e.g. "a, tile.load at k.mlir:7:10".
  std::string label;
  ScalarType type = ScalarType::I8;
  /// The expression of the address of element 0.
  uint32_t address = 0;
  /// The expressions of the sizes and strides (in elements), one each per dimension.
  std::vector<uint32_t> sizes, strides;
  /// Per dimension, the elements of a box, and what messages call the dimension: its number in the view.
  std::vector<uint32_t> box, dims;
  TmaSwizzle swizzle = TmaSwizzle::None;
  TmaFill fill = TmaFill::Zero;

  /// Bytes of a box in shared memory.
  uint64_t boxBytes() const;
};

/// One compiled version of a kernel. The launcher takes the first whose guard holds.
struct PlanVariant {
  /// Entry point in the module, and the name of the bundle's sections (PTX, cubin, SIMT text) that hold it.
  std::string symbol, module;
  /// Index of the guard expression; -1 for the last variant, which has none. A guard whose evaluation fails (e.g. by a
  /// division by zero) does not hold.
  int64_t guard = -1;
  /// One to three expressions: the grid in x, y, z. A grid with a zero launches nothing, which is no error.
  std::vector<uint32_t> grid;
  uint32_t numThreads = 128;
  std::array<uint32_t, 3> cluster = {1, 1, 1};
  /// Shared memory requested at launch, and what the module declares by itself, in bytes. 0 for a module that is lowered
  /// at its first launch.
  uint32_t dynamicSharedBytes = 0, staticSharedBytes = 0;
  std::vector<PlanLaunchArg> launchArgs;
  /// Each must be legal at a launch (TmaRules.h).
  std::vector<PlanDescriptor> descriptors;
  /// What the guard assumes, in words, e.g. "a: unit stride in dim 1". For reports.
  std::vector<std::string> assumptions;
  /// Facts for reports in a stable order, e.g. {"registers", "98"}, {"spill bytes", "0"}.
  std::vector<std::pair<std::string, std::string>> facts;
};

/// One argument of a launch in a host function, by expressions: the address of a view or pointer or the value of a
/// scalar, and a view's sizes and strides, one per dimension.
struct PlanStepArg {
  uint32_t value = 0;
  std::vector<uint32_t> sizes, strides;
};

/// One launch of a host function.
struct PlanStep {
  /// A kernel of the same plan, which is no host function.
  std::string kernel;
  /// One per parameter of that kernel.
  std::vector<PlanStepArg> args;
};

/// What can be launched by name: a kernel, which has variants, or a host function, which has steps instead.
struct PlanKernel {
  std::string name;
  std::vector<PlanParam> params;
  /// In SSA order: an expression refers to earlier ones only.
  std::vector<PlanExpr> exprs;
  std::vector<PlanCheck> checks;
  /// Exactly the last has no guard. Empty for a host function.
  std::vector<PlanVariant> variants;
  /// Launches in their order, each of which sees what those before it wrote. Empty for a kernel.
  std::vector<PlanStep> steps;

  bool isHostFunction() const { return !steps.empty(); }
};

struct LaunchPlan {
  int64_t version = kLaunchPlanVersion;
  /// E.g. "sm_90a".
  std::string target;
  std::string compilerVersion, ptxasVersion, options;
  std::vector<PlanKernel> kernels;

  /// The kernel called `name`, or null.
  const PlanKernel *findKernel(std::string_view name) const;
};

/// Limits of a valid plan; a plan from outside that exceeds one is refused before anything is computed.
struct PlanLimits {
  static constexpr size_t kKernels = 4096, kParams = 256, kRank = 8, kExprs = 4096, kChecks = 1024, kVariants = 64,
                          kLaunchArgs = 1024, kDescriptors = 64, kSteps = 4096, kNotes = 1024, kTextBytes = 1 << 16, kJsonBytes = 64 << 20;
  static constexpr uint32_t kThreads = 1024, kClusterCtas = 16, kSharedBytes = 1 << 20;
  /// CTAs of one SM; the most that any GPU holds is 32. What a driver says beyond is taken for a mistake.
  static constexpr int64_t kCtasPerSm = 64;
  /// Of a grid. CUDA C++ Programming Guide, table of technical specifications per compute capability.
  static constexpr int64_t kGridX = 2147483647, kGridY = 65535, kGridZ = 65535;
};

/// Checks every rule of the structure (index bounds, backward references, limits, agreement of kinds and ranks).
/// Returns false and sets `error` to one message that names the place, e.g. "kernel 'k', expr 3: ...".
bool verifyLaunchPlan(const LaunchPlan &plan, std::string *error);

/// The plan as JSON text; the same plan gives the same bytes.
std::string printLaunchPlan(const LaunchPlan &plan);

/// Parses and verifies untrusted JSON text. Unknown, missing and mistyped fields are errors. Returns nothing and sets
/// `error` on failure; never throws.
std::optional<LaunchPlan> parseLaunchPlan(std::string_view json, std::string *error);

/// How messages call a parameter: "parameter 'a'" or, without a name, "parameter 2".
std::string describeParam(const PlanKernel &kernel, size_t index);

/// The index of the parameter with that name or, failing that, that decimal position; nothing if there is none.
std::optional<size_t> findParam(const PlanKernel &kernel, std::string_view nameOrPosition);

} // namespace tilewright

#endif // TILEWRIGHT_SUPPORT_LAUNCHPLAN_H
