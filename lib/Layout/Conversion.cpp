// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Layout/Conversion.h"

#include <algorithm>
#include <cassert>
#include <map>

using namespace tilewright::layout;

using Place = OuterDigit::Place;
using Kind = ConversionPlan::Kind;

// Rough issue cycles of one SM (four schedulers); they only have to rank the ways.
constexpr double kShuffleCost = 1.0;   ///< a warp-wide shuffle: one wavefront of the shared memory pipe
constexpr double kSelectCost = 0.5;    ///< a warp-wide select: two per cycle
constexpr double kShuffleLatency = 25; ///< until the first result

unsigned ShufflePlan::sourceLane(const Round &round, unsigned lane) const {
  uint32_t source = round.laneConst;
  for (unsigned bit = 0; bit < 5; ++bit)
    if (lane >> bit & 1)
      source ^= laneXor[bit];
  return source;
}

static std::vector<OuterDigit> digitsAt(const DistributedLayout &layout, Place place) {
  std::vector<OuterDigit> found;
  for (const OuterDigit &digit : layout.digits())
    if (digit.place == place)
      found.push_back(digit);
  return found;
}

static bool sameDigits(const DistributedLayout &a, const DistributedLayout &b, Place place) {
  return digitsAt(a, place) == digitsAt(b, place);
}

//===----------------------------------------------------------------------===//
// Registers
//===----------------------------------------------------------------------===//

/// What tells register offsets apart, whatever the thread adds: the sum where both layouts add it, else the part
/// that is exclusive-ored and the part that is added.
static std::vector<int64_t> registerKey(const DistributedLayout &layout, const std::vector<bool> &adds, int64_t reg) {
  Coord total = layout.registerOffset(reg);
  Coord core = layout.registerOffset(reg & ((int64_t(1) << layout.registerBases().size()) - 1));
  std::vector<int64_t> key;
  for (unsigned dim = 0; dim < layout.rank(); ++dim) {
    key.push_back(total[dim]);
    if (!adds[dim])
      key.push_back(core[dim]);
  }
  return key;
}

/// Finds for each register of `dst` the register of `src` that holds the same element in every thread.
static std::optional<std::vector<int64_t>> matchRegisters(const DistributedLayout &src, const DistributedLayout &dst) {
  if (src.laneBases() != dst.laneBases() || src.warpBases() != dst.warpBases() || !sameDigits(src, dst, Place::Warp))
    return std::nullopt;
  std::vector<bool> adds(src.rank());
  for (unsigned dim = 0; dim < src.rank(); ++dim)
    adds[dim] = src.registersAddTo(dim) && dst.registersAddTo(dim);
  std::map<std::vector<int64_t>, int64_t> holders;
  for (int64_t reg = 0; reg < src.registersPerThread(); ++reg)
    holders.insert({registerKey(src, adds, reg), reg});
  std::vector<int64_t> match(dst.registersPerThread(), -1);
  for (int64_t reg = 0; reg < dst.registersPerThread(); ++reg) {
    auto found = holders.find(registerKey(dst, adds, reg));
    if (found != holders.end()) {
      match[reg] = found->second;
      continue;
    }
    // Padding in every thread: the smallest coordinate is outside already.
    Coord offset = dst.registerOffset(reg);
    bool outside = false;
    for (unsigned dim = 0; dim < dst.rank(); ++dim)
      outside |= dst.registersAddTo(dim) && offset[dim] >= dst.shape()[dim];
    if (!outside)
      return std::nullopt;
  }
  return match;
}

/// True if register i is taken from register i, for all of the same number of registers.
static bool isIdentity(const std::vector<int64_t> &match, int64_t sourceRegisters) {
  for (size_t reg = 0; reg < match.size(); ++reg)
    if (match[reg] >= 0 && match[reg] != int64_t(reg))
      return false;
  return int64_t(match.size()) == sourceRegisters;
}

//===----------------------------------------------------------------------===//
// Shuffles
//===----------------------------------------------------------------------===//

/// Columns [first, first + count) of `map`, cut to the rows [firstRow, firstRow + rows).
static LinearMap block(const LinearMap &map, unsigned first, unsigned count, unsigned firstRow, unsigned rows) {
  LinearMap part(count, rows);
  for (unsigned bit = 0; bit < count; ++bit)
    part.setColumn(bit, map.column(first + bit) >> firstRow & ((uint64_t(1) << rows) - 1));
  return part;
}

static LinearMap add(const LinearMap &a, const LinearMap &b) {
  LinearMap sum(a.inBits(), a.outBits());
  for (unsigned bit = 0; bit < a.inBits(); ++bit)
    sum.setColumn(bit, a.column(bit) ^ b.column(bit));
  return sum;
}

/// Returns S with S∘m == t, where `m` is a map of lanes; nullopt if t distinguishes lanes that m does not.
static std::optional<LinearMap> factorThrough(const LinearMap &m, const LinearMap &t) {
  // Independent columns of m, completed by unit vectors to a basis of the lanes; `images` is S on that basis.
  LinearMap basis(0, m.outBits()), images(0, t.outBits());
  auto append = [](LinearMap &map, uint64_t column) {
    LinearMap wider(map.inBits() + 1, map.outBits());
    for (unsigned bit = 0; bit < map.inBits(); ++bit)
      wider.setColumn(bit, map.column(bit));
    wider.setColumn(map.inBits(), column);
    map = wider;
  };
  for (unsigned bit = 0; bit < m.inBits() + m.outBits(); ++bit) {
    bool fromMap = bit < m.inBits();
    uint64_t column = fromMap ? m.column(bit) : uint64_t(1) << (bit - m.inBits());
    if (basis.solve(column))
      continue;
    append(basis, column);
    append(images, fromMap ? t.column(bit) : 0);
  }
  LinearMap result = images.compose(*basis.inverse());
  if (result.compose(m) != t)
    return std::nullopt;
  return result;
}

/// Solves the conversion inside each warp; nullopt if elements cross warps, the digits differ, or one shuffle per
/// destination register does not do.
static std::optional<ShufflePlan> planShuffle(const DistributedLayout &src, const DistributedLayout &dst) {
  constexpr unsigned kLaneBits = 5;
  for (Place place : {Place::Register, Place::Warp})
    if (!sameDigits(src, dst, place))
      return std::nullopt;
  for (unsigned dim = 0; dim < src.rank(); ++dim)
    if (src.coreExtent(dim) != dst.coreExtent(dim))
      return std::nullopt;
  if (src.warpBases() != dst.warpBases())
    return std::nullopt;
  unsigned srcBits = src.registerBases().size(), dstBits = dst.registerBases().size();
  LinearMap srcCore = src.coreMap(), dstCore = dst.coreMap();
  unsigned coordBits = srcCore.outBits();
  LinearMap a = block(srcCore, 0, srcBits + kLaneBits, 0, coordBits);
  LinearMap aRegisters = block(srcCore, 0, srcBits, 0, coordBits);

  // g: (register, lane) of the destination -> (register, lane) of the source. Where only the register has to change,
  // the lane stays.
  LinearMap g(dstBits + kLaneBits, srcBits + kLaneBits);
  for (unsigned bit = 0; bit < dstBits + kLaneBits; ++bit) {
    uint64_t wanted = dstCore.column(bit);
    if (bit >= dstBits) {
      unsigned lane = bit - dstBits;
      if (std::optional<uint64_t> reg = aRegisters.solve(wanted ^ a.column(srcBits + lane))) {
        g.setColumn(bit, *reg | uint64_t(1) << (srcBits + lane));
        continue;
      }
    }
    std::optional<uint64_t> place = a.solve(wanted);
    if (!place)
      return std::nullopt;
    g.setColumn(bit, *place);
  }
  LinearMap regReg = block(g, 0, dstBits, 0, srcBits), regLane = block(g, dstBits, kLaneBits, 0, srcBits);
  LinearMap laneReg = block(g, 0, dstBits, srcBits, kLaneBits),
            laneLane = block(g, dstBits, kLaneBits, srcBits, kLaneBits);

  // In round k lane l receives for register k ^ P l. Choose P so that few lanes read from one lane: a direction of
  // lanes that all read from one is turned into a direction of registers that reads from another.
  LinearMap receive(kLaneBits, dstBits);
  LinearMap lanes = laneLane;
  uint64_t redundant = laneLane.redundantInputs();
  for (unsigned lane = 0; lane < kLaneBits; ++lane) {
    if (!(redundant >> lane & 1))
      continue;
    for (unsigned reg = 0; reg < dstBits; ++reg)
      if (!lanes.solve(laneReg.column(reg))) {
        receive.setColumn(lane, uint64_t(1) << reg);
        lanes.setColumn(lane, lanes.column(lane) ^ laneReg.column(reg));
        break;
      }
  }
  // Source register of round k in lane l: regReg k ^ wantedReg l, to be told by the lane that sends.
  LinearMap wantedReg = add(regReg.compose(receive), regLane);
  std::optional<LinearMap> send = factorThrough(lanes, wantedReg);
  if (!send)
    return std::nullopt;

  ShufflePlan plan;
  for (unsigned bit = 0; bit < kLaneBits; ++bit) {
    plan.laneXor[bit] = lanes.column(bit);
    plan.sendXor[bit] = send->column(bit);
    plan.receiveXor[bit] = receive.column(bit);
  }
  int64_t dstCoreRegisters = int64_t(1) << dstBits, digitValues = dst.registersPerThread() >> dstBits;
  for (int64_t digit = 0; digit < digitValues; ++digit)
    for (int64_t reg = 0; reg < dstCoreRegisters; ++reg) {
      uint32_t laneConst = laneReg.apply(reg);
      int64_t source = regReg.apply(reg) ^ send->apply(laneConst);
      plan.rounds.push_back({source + (digit << srcBits), reg + (digit << dstBits), laneConst});
    }
  return plan;
}

/// True if no value leaves its lane.
static bool staysInLane(const ShufflePlan &plan) {
  for (unsigned bit = 0; bit < 5; ++bit)
    if (plan.laneXor[bit] != 1u << bit)
      return false;
  return std::all_of(plan.rounds.begin(), plan.rounds.end(),
                     [](const ShufflePlan::Round &round) { return round.laneConst == 0; });
}

static double shuffleCost(const ShufflePlan &plan, const DistributedLayout &src, unsigned elementBytes) {
  double selects = 0;
  for (unsigned bit = 0; bit < 5; ++bit)
    selects += (plan.sendXor[bit] ? double(src.registersPerThread()) : 0) +
               (plan.receiveXor[bit] ? double(plan.rounds.size()) : 0);
  bool moves = !staysInLane(plan);
  double perWarp = (moves ? kShuffleCost * double(plan.rounds.size()) : 0) + kSelectCost * selects;
  return perWarp * double(std::max(1u, elementBytes / 4)) * src.numWarps() + (moves ? kShuffleLatency : 0);
}

//===----------------------------------------------------------------------===//
// The choice
//===----------------------------------------------------------------------===//

static std::string checkPair(const DistributedLayout &src, const DistributedLayout &dst, unsigned elementBytes) {
  if (src.shape() != dst.shape())
    return "conversion expects two layouts of one shape, found " + src.str() + " and " + dst.str();
  if (src.numWarps() != dst.numWarps())
    return "conversion expects equal warp counts, found " + std::to_string(src.numWarps()) + " and " +
           std::to_string(dst.numWarps());
  if (src.blockBases() != dst.blockBases() || !sameDigits(src, dst, Place::Block))
    return "conversion expects both layouts to spread the tile over blocks alike, found " + src.str() + " and " +
           dst.str();
  if (elementBytes == 0 || elementBytes > 16 || (elementBytes & (elementBytes - 1)) != 0)
    return "conversion expects elements of 1, 2, 4, 8 or 16 bytes, found " + std::to_string(elementBytes);
  return "";
}

std::optional<ConversionPlan> tilewright::layout::tryPlanConversion(const DistributedLayout &src,
                                                                    const DistributedLayout &dst, unsigned elementBytes,
                                                                    std::string *error, bool allowMatrix) {
  auto fail = [&](const std::string &text) -> std::optional<ConversionPlan> {
    if (error)
      *error = text;
    return std::nullopt;
  };
  if (std::string wrong = checkPair(src, dst, elementBytes); !wrong.empty())
    return fail(wrong);

  ConversionPlan plan;
  if (std::optional<std::vector<int64_t>> match = matchRegisters(src, dst)) {
    bool same = isIdentity(*match, src.registersPerThread());
    plan.kind = same ? Kind::None : Kind::Registers;
    plan.sourceRegister = std::move(*match);
    plan.reason = same ? "each register keeps its element" : "each element stays in its thread";
    return plan;
  }

  int64_t elements = 1;
  for (int64_t extent : src.shape())
    elements *= extent; // Candidates that round rows up or pad them and grow too large are left out by chooseShared.
  bool fitsShared = elements <= SharedLayout::kMaxElements && !(src.numBlocks() > 1 && src.ownerBlocks() != 1);
  if (std::optional<ShufflePlan> shuffle = planShuffle(src, dst)) {
    plan.kind = Kind::Shuffle;
    plan.cost = shuffleCost(*shuffle, src, elementBytes);
    plan.reason = staysInLane(*shuffle) ? "each element stays in its thread, in a register that depends on the lane"
                                        : "each element stays in its warp";
    plan.shuffle = std::move(*shuffle);
  } else if (!fitsShared) {
    return fail("conversion expects a tile that one block holds in shared memory, found " + src.str());
  }
  if (!fitsShared)
    return plan;
  SharedChoice shared = chooseShared(src, dst, elementBytes, src.shape(), /*readerWeight=*/1.0, allowMatrix);
  double sharedCost = shared.cost + kSharedTripLatency;
  if (plan.kind == Kind::Shuffle && plan.cost <= sharedCost)
    return plan;
  plan.reason = plan.kind == Kind::Shuffle ? "shared memory costs less than " +
                                                 std::to_string(plan.shuffle.rounds.size()) + " rounds of shuffles"
                                           : "elements cross warps, or padding and digits differ";
  plan.kind = Kind::Shared;
  plan.shuffle = {};
  plan.cost = sharedCost;
  plan.shared = std::move(shared);
  return plan;
}

ConversionPlan tilewright::layout::planConversion(const DistributedLayout &src, const DistributedLayout &dst,
                                                  unsigned elementBytes, bool allowMatrix) {
  std::optional<ConversionPlan> plan = tryPlanConversion(src, dst, elementBytes, nullptr, allowMatrix);
  assert(plan && "both layouts spread one tile over the same warps and blocks");
  return *plan;
}
