// SPDX-License-Identifier: Apache-2.0
/// \file
/// What each GPU offers, as one table: a new generation is a new row. Passes ask a row for a number or a feature and
/// never compare names of targets. No IR and no LLVM here, so that the runtime can read it too.
///
/// Numbers are from the table of technical specifications per compute capability in the CUDA C++ Programming Guide and
/// from cuda_occupancy.h of CUDA 13.0.
#ifndef TILEWRIGHT_TARGET_TARGET_H
#define TILEWRIGHT_TARGET_TARGET_H

#include "tilewright/Support/ScalarType.h"

#include <cstdint>
#include <functional>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Threads of a warp, on every target.
inline constexpr unsigned kWarpSize = 32;

/// One kind of GPU. All sizes are in bytes, all counts are per what the name says.
struct Target {
  /// What the user writes and ptxas takes as `-arch`: "sm_90a".
  std::string_view name;
  /// LLVM's name of the processor, and the feature that chooses the PTX version. The oldest PTX that the target and our
  /// instructions allow, so that the oldest driver that knows the GPU loads it: 8.0 came with the drivers of CUDA 12.0;
  /// the Blackwell targets exist from 8.6 (sm_100a), 8.7 (sm_120a) and 8.8 (sm_103a) on.
  /// Modules with instructions that came later ask for more: MmaKind::firstPtxVersion.
  std::string_view llvmCpu, llvmFeatures;
  /// ".version" of the PTX: 10 * major + minor.
  unsigned ptxVersion;
  /// 10 * major + minor, as the driver reports the device.
  unsigned computeCapability;
  /// True for the `a` targets, whose code runs on exactly this compute capability.
  bool isArchSpecific;

  unsigned maxSharedBytesPerBlock, maxSharedBytesPerSm;
  unsigned maxThreadsPerSm, maxBlocksPerSm;
  /// Widest load or store of global memory by one thread.
  unsigned maxGlobalAccessBytes;

  /// Families of tensor-core instructions.
  bool hasMmaSync, hasMmaSyncFp8, hasWgmma, hasTcgen05;
  /// Bulk copies by tensor map, thread-block clusters, and mbarriers that count bytes.
  bool hasTma;
  /// f32x2 arithmetic, and bf16 addition and multiplication that are not spelt as fma.
  bool hasPackedF32, hasNativeBf16Add;

  /// SMs of the largest common product, for estimates alone: A100, RTX 3090, RTX 4090, H100 and H200 SXM, B200, B300,
  /// RTX 5090. Source: NVIDIA data sheets. What is exact asks the device (`tile.device_info`).
  unsigned typicalSms;

  /// The same on all targets of the table.
  static constexpr unsigned kRegistersPerSm = 65536, kMaxRegistersPerThread = 255, kMaxThreadsPerBlock = 1024;
  static constexpr unsigned kReservedSharedBytesPerBlock = 1024, kMaxStaticSharedBytes = 48 * 1024;
  static constexpr unsigned kNamedBarriers = 16, kSharedBanks = 32;
  /// Bytes that shared memory of an SM reads or writes per clock, a word of each bank; and parts of an SM that issue for
  /// warps of their own, each with a quarter of its arithmetic units and tensor cores.
  static constexpr unsigned kSharedBytesPerClock = 4 * kSharedBanks, kSchedulersPerSm = 4;

  /// True if there are instructions that add, multiply and compare such elements; tf32 is computed as f32. Floats of eight
  /// bits and less are converted and multiplied in tensor cores, no more, on all targets of the table. Source: PTX ISA
  /// 9.0, types of add, mul, fma, min and setp.
  bool hasArithmetic(ScalarType type) const;

  unsigned maxWarpsPerSm() const { return maxThreadsPerSm / kWarpSize; }
  /// Largest cluster that every GPU of this kind can launch; 1 without clusters.
  unsigned maxPortableClusterCtas() const { return hasTma ? 8 : 1; }
  /// Widest access of shared memory by one thread.
  static constexpr unsigned kMaxSharedAccessBytes = 16;
};

/// All rows, oldest first.
const std::vector<Target> &allTargets();

/// The row of that name; or null, and `*error` (where given) says which names there are.
const Target *findTarget(std::string_view name, std::string *error = nullptr);

/// The oldest target of which `has` is true; null if there is none. For messages: where to find what a target lacks.
const Target *findFirstTarget(const std::function<bool(const Target &)> &has);

/// The newest target whose code runs on a device of that compute capability, e.g. sm_90a for 90; null if there is none.
const Target *findTargetForDevice(unsigned computeCapability);

/// Blocks that one SM holds at once; 0 if it cannot hold even one. `registersPerThread` is what ptxas reports,
/// `sharedBytes` static and dynamic shared memory together. Registers are given out to warps in units of 256, shared
/// memory in units of 128 bytes.
unsigned blocksPerSm(const Target &target, unsigned threads, unsigned registersPerThread, unsigned sharedBytes);

} // namespace tilewright

#endif // TILEWRIGHT_TARGET_TARGET_H
