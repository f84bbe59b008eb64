// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Target/Target.h"

#include <algorithm>

using namespace tilewright;

static constexpr unsigned kKiB = 1024;

const std::vector<Target> &tilewright::allTargets() {
  // name, cpu, features, PTX, cc, arch-specific; shared per block, per SM; threads, blocks per SM; global access;
  // mma.sync, its fp8, wgmma, tcgen05; TMA; f32x2, bf16 add; SMs.
  static const std::vector<Target> targets = {
      {"sm_80", "sm_80", "+ptx80", 80, 80, false, 163 * kKiB, 164 * kKiB, 2048, 32, 16, true, false, false, false,
       false, false, false, 108},
      {"sm_86", "sm_86", "+ptx80", 80, 86, false, 99 * kKiB, 100 * kKiB, 1536, 16, 16, true, false, false, false, false,
       false, false, 82},
      {"sm_89", "sm_89", "+ptx80", 80, 89, false, 99 * kKiB, 100 * kKiB, 1536, 24, 16, true, true, false, false, false,
       false, false, 128},
      {"sm_90a", "sm_90a", "+ptx80", 80, 90, true, 227 * kKiB, 228 * kKiB, 2048, 32, 16, true, true, true, false, true,
       false, true, 132},
      {"sm_100a", "sm_100a", "+ptx86", 86, 100, true, 227 * kKiB, 228 * kKiB, 2048, 32, 32, true, true, false, true,
       true, true, true, 148},
      {"sm_103a", "sm_103a", "+ptx88", 88, 103, true, 227 * kKiB, 228 * kKiB, 2048, 32, 32, true, true, false, true,
       true, true, true, 160},
      {"sm_120a", "sm_120a", "+ptx87", 87, 120, true, 99 * kKiB, 100 * kKiB, 1536, 24, 32, true, true, false, false,
       true, true, true, 170},
  };
  return targets;
}

const Target *tilewright::findTarget(std::string_view name, std::string *error) {
  for (const Target &target : allTargets())
    if (target.name == name)
      return &target;
  if (error) {
    *error = "unknown target '" + std::string(name) + "': expected one of";
    for (const Target &target : allTargets())
      *error += (&target == &allTargets().front() ? " " : ", ") + std::string(target.name);
  }
  return nullptr;
}

bool Target::hasArithmetic(ScalarType type) const {
  switch (type) {
  case ScalarType::F8E4M3FN:
  case ScalarType::F8E5M2:
  case ScalarType::F8E8M0FNU:
  case ScalarType::F6E2M3FN:
  case ScalarType::F6E3M2FN:
  case ScalarType::F4E2M1FN:
    return false;
  default:
    return true;
  }
}

const Target *tilewright::findFirstTarget(const std::function<bool(const Target &)> &has) {
  for (const Target &target : allTargets())
    if (has(target))
      return &target;
  return nullptr;
}

const Target *tilewright::findTargetForDevice(unsigned computeCapability) {
  const Target *best = nullptr;
  for (const Target &target : allTargets()) {
    bool runs = target.computeCapability == computeCapability ||
                (!target.isArchSpecific && target.computeCapability < computeCapability);
    if (runs && (!best || target.computeCapability > best->computeCapability))
      best = &target;
  }
  return best;
}

static unsigned roundUp(unsigned value, unsigned unit) { return (value + unit - 1) / unit * unit; }

unsigned tilewright::blocksPerSm(const Target &target, unsigned threads, unsigned registersPerThread,
                                 unsigned sharedBytes) {
  if (threads == 0 || threads > Target::kMaxThreadsPerBlock || sharedBytes > target.maxSharedBytesPerBlock ||
      registersPerThread > Target::kMaxRegistersPerThread)
    return 0;
  unsigned warps = roundUp(threads, kWarpSize) / kWarpSize;
  unsigned perWarp = roundUp(std::max(registersPerThread, 1u) * kWarpSize, 256);
  // The four sub-partitions of an SM own a quarter of the registers each.
  unsigned byRegisters = Target::kRegistersPerSm / 4 / perWarp * 4 / warps;
  unsigned byShared = target.maxSharedBytesPerSm / (roundUp(sharedBytes, 128) + Target::kReservedSharedBytesPerBlock);
  return std::min({byRegisters, byShared, target.maxWarpsPerSm() / warps, target.maxBlocksPerSm});
}
