// SPDX-License-Identifier: Apache-2.0
// Costs of moving tiles between registers and shared memory, and the choice of a shared layout by them.
#include "tilewright/Layout/BankConflicts.h"
#include "tilewright/Layout/SharedLayout.h"

#include <algorithm>
#include <cassert>
#include <map>
#include <numeric>

using namespace tilewright::layout;

/// Bytes that one thread moves at most in one instruction.
constexpr int64_t kMaxVectorBytes = 16;
/// Issue cost of an instruction relative to a wavefront: each SM issues four instructions while its shared memory
/// serves one wavefront.
constexpr double kIssueCost = 0.25;
/// Accesses of a layout whose conflicts are counted, where they may differ from one another.
constexpr int64_t kSampledAccesses = 8;
/// The same for blocks of a tile, which many accesses do not meet.
constexpr int64_t kSampledBlockAccesses = 256;

int64_t tilewright::layout::sharedVectorWidth(const DistributedLayout &dist, const SharedLayout &shared,
                                              unsigned elementBytes) {
  assert(dist.rank() == shared.rank() && "both are layouts of one tile");
  if (dist.rank() == 0)
    return 1;
  unsigned dim = shared.fastestDim();
  int64_t width = std::min(dist.contiguousPerThread(dim), shared.contiguous(dim));
  width = std::max<int64_t>(1, std::min(width, kMaxVectorBytes / elementBytes));
  if (dist.isRagged(dim))
    while (dist.shape()[dim] % width != 0)
      width /= 2;
  return width;
}

std::optional<LinearMap> tilewright::layout::placeToOffset(const DistributedLayout &dist, const SharedLayout &shared) {
  std::optional<LinearMap> offsets = shared.toLinearMap();
  if (!offsets || !dist.digits().empty())
    return std::nullopt;
  for (unsigned dim = 0; dim < dist.rank(); ++dim)
    if (dist.coreExtent(dim) != shared.allocatedShape()[dim])
      return std::nullopt;
  return offsets->compose(dist.coreMap());
}

/// True if all accesses of the same width differ by an exclusive or of their addresses, so that all have the
/// conflicts of the first.
static bool isUniform(const DistributedLayout &dist, const SharedLayout &shared) {
  return dist.digits().empty() && !dist.isRagged() && shared.toLinearMap().has_value();
}

namespace {
/// Counts what one side costs with any shared layout. The accesses that are looked at depend on the layout through the
/// vector width only, so they are kept: a search tries many layouts.
class AccessCounter {
public:
  AccessCounter(const DistributedLayout &dist, unsigned elementBytes, bool ownersOnly, const Coord *origin = nullptr)
      : dist(dist), elementBytes(elementBytes), ownersOnly(ownersOnly), origin(origin) {}

  SharedAccessCost count(const SharedLayout &shared) {
    SharedAccessCost cost;
    cost.vector = sharedVectorWidth(dist, shared, elementBytes);
    if (origin && dist.rank() > 0) { // Blocks may begin and end inside of vectors.
      unsigned dim = shared.fastestDim();
      cost.vector = std::gcd(std::gcd(cost.vector, shared.shape()[dim]), (*origin)[dim]);
    }
    const Sample &sample = sampleOf(cost.vector, !origin && isUniform(dist, shared), shared.shape());
    cost.accesses = sample.accesses;
    unsigned accessBytes = unsigned(cost.vector) * elementBytes;
    int64_t conflicts = 0, wavefronts = 0;
    std::vector<int64_t> offsets(kWarpSize);
    for (const std::vector<Coord> &lanes : sample.coords) {
      bool anyLane = false;
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        bool active = lanes[lane].size() == dist.rank();
        offsets[lane] = active ? shared.offsetOf(lanes[lane]) * elementBytes : -1;
        anyLane |= active;
      }
      unsigned found = countBankConflicts(offsets, accessBytes);
      conflicts += found;
      wavefronts += anyLane ? countPhases(accessBytes) + found : 0;
    }
    cost.conflicts = double(conflicts) / double(sample.coords.size());
    cost.wavefronts = double(wavefronts) / double(sample.coords.size()) * double(cost.accesses);
    return cost;
  }

private:
  /// Accesses of one vector width.
  struct Sample {
    int64_t accesses;                       ///< of all warps
    std::vector<std::vector<Coord>> coords; ///< [access][lane]; of too high a rank where the lane takes no part
  };

  const Sample &sampleOf(int64_t vector, bool uniform, const std::vector<int64_t> &shape) {
    auto [entry, isNew] = samples.try_emplace({vector, uniform});
    Sample &sample = entry->second;
    if (!isNew)
      return sample;
    uint32_t lanes = ownersOnly ? dist.ownerLanes() : ~uint32_t(0);
    uint32_t owners = ownersOnly ? dist.ownerWarps() : ~uint32_t(0);
    uint64_t freeRegisters = ownersOnly ? dist.freeRegisterMask() : 0;
    std::vector<unsigned> warps;
    for (unsigned warp = 0; warp < dist.numWarps(); ++warp)
      if (owners >> warp & 1)
        warps.push_back(warp);
    std::vector<int64_t> groups; // first registers of the vectors
    for (int64_t reg = 0, count = dist.registersPerThread(); reg < count; reg += vector)
      if (!(reg & freeRegisters))
        groups.push_back(reg);
    int64_t numGroups = groups.size();
    sample.accesses = numGroups * int64_t(warps.size());
    int64_t numSamples = uniform ? 1 : std::min(sample.accesses, origin ? kSampledBlockAccesses : kSampledAccesses);
    for (int64_t i = 0; i < numSamples; ++i) {
      int64_t access = i * sample.accesses / numSamples;
      sample.coords.emplace_back(kWarpSize);
      for (unsigned lane = 0; lane < kWarpSize; ++lane) {
        Coord coord = dist.coordinates(groups[access % numGroups], lane, warps[access / numGroups]);
        bool isActive = (lanes >> lane & 1) && dist.isInside(coord);
        for (unsigned dim = 0; origin && dim < dist.rank(); ++dim) {
          coord[dim] -= (*origin)[dim];
          isActive &= coord[dim] >= 0 && coord[dim] < shape[dim];
        }
        if (!isActive)
          coord.push_back(0);
        sample.coords.back()[lane] = std::move(coord);
      }
    }
    return sample;
  }

  const DistributedLayout &dist;
  unsigned elementBytes;
  bool ownersOnly;
  const Coord *origin; ///< of a block, null for the whole tile
  std::map<std::pair<int64_t, bool>, Sample> samples;
};
} // namespace

double SharedAccessCost::cycles() const { return wavefronts + kIssueCost * double(accesses); }

SharedAccessCost tilewright::layout::sharedAccessCost(const DistributedLayout &dist, const SharedLayout &shared,
                                                      unsigned elementBytes, bool ownersOnly, const Coord *origin) {
  return AccessCounter(dist, elementBytes, ownersOnly, origin).count(shared);
}

/// Order of dimensions, fastest first, that suits one side: the dimension with the longest run in a thread first,
/// among equals the one along which lane 1 lies.
static std::vector<unsigned> naturalOrder(const DistributedLayout &dist) {
  std::vector<unsigned> order;
  for (unsigned dim = dist.rank(); dim-- > 0;)
    order.push_back(dim);
  auto rate = [&](unsigned dim) {
    return std::pair<int64_t, bool>(dist.contiguousPerThread(dim), dist.laneBases()[0][dim] != 0);
  };
  auto best = order.begin();
  for (auto it = order.begin(); it != order.end(); ++it)
    if (rate(*it) > rate(*best))
      best = it;
  if (best != order.end())
    std::rotate(order.begin(), best, best + 1);
  // Dimensions of extent 1 last: rows of one element could not be swizzled.
  std::vector<unsigned> result;
  for (bool single : {false, true})
    for (unsigned dim : order)
      if ((dist.shape()[dim] == 1) == single)
        result.push_back(dim);
  return result;
}

/// True if `vector` is no sum of vectors of `list`.
static bool isIndependent(const std::vector<uint64_t> &list, uint64_t vector, unsigned bits) {
  LinearMap map(list.size(), bits);
  for (size_t i = 0; i < list.size(); ++i)
    map.setColumn(i, list[i]);
  return !map.solve(vector);
}

/// The directions, in numbers of granules of 2^granuleBits elements, in which the lanes that one phase serves
/// together lie apart: at most `bankBits`, since more cannot be kept apart.
static std::vector<uint64_t> phaseDirections(const DistributedLayout &dist, const SharedLayout &plain,
                                             unsigned granuleBits, unsigned bankBits) {
  unsigned dim = plain.fastestDim();
  int64_t run = std::min(dist.contiguousPerThread(dim), int64_t(1) << granuleBits);
  unsigned granuleBytes = 128u >> bankBits, bits = plain.toLinearMap()->inBits() - granuleBits;
  unsigned accessBytes = unsigned(granuleBytes * run >> granuleBits);
  unsigned phaseLanes = kWarpSize / countPhases(std::max(accessBytes, 1u));
  std::vector<uint64_t> directions;
  for (unsigned bit = 0; (2u << bit) <= phaseLanes; ++bit) {
    uint64_t granule = uint64_t(plain.linearOf(dist.laneBases()[bit])) >> granuleBits;
    if (directions.size() < bankBits && isIndependent(directions, granule, bits))
      directions.push_back(granule);
  }
  return directions;
}

/// Returns a regular map of granule numbers whose low `bankBits` output bits, the bank, differ for any two granules of
/// span(a) and for any two of span(b). Granules share a bank if their difference lies in the space S that the upper
/// output bits number, so S may meet span(a) and span(b) in zero only. Two spaces of one dimension always have such
/// a common complement: with A = I + <a_i>, B = I + <b_i>, where I is their intersection, it is <a_i ^ b_i> and
/// anything that completes A + B.
static LinearMap separateBanks(std::vector<uint64_t> a, std::vector<uint64_t> b, unsigned bits, unsigned bankBits) {
  auto fill = [&](std::vector<uint64_t> &list, const std::vector<uint64_t> &from) {
    for (uint64_t vector : from)
      if (list.size() < from.size() && isIndependent(list, vector, bits))
        list.push_back(vector);
  };
  fill(a, b);
  fill(b, a);
  std::vector<uint64_t> both = a, onlyA, onlyB, others = b;
  for (uint64_t vector : b)
    if (isIndependent(both, vector, bits)) {
      both.push_back(vector);
      onlyB.push_back(vector);
    }
  for (uint64_t vector : a)
    if (isIndependent(others, vector, bits)) {
      others.push_back(vector);
      onlyA.push_back(vector);
    }
  // Banks: span(a), then what completes it. Upper bits: S.
  std::vector<uint64_t> banks = a, space;
  for (size_t i = 0; i < onlyA.size(); ++i)
    space.push_back(onlyA[i] ^ onlyB[i]);
  for (unsigned bit = 0; bit < bits; ++bit)
    if (isIndependent(both, uint64_t(1) << bit, bits)) {
      both.push_back(uint64_t(1) << bit);
      (banks.size() < bankBits ? banks : space).push_back(uint64_t(1) << bit);
    }
  for (; banks.size() < bankBits; space.pop_back())
    banks.push_back(space.back());
  LinearMap placed(bits, bits); // output bit -> granule
  for (unsigned bit = 0; bit < bits; ++bit)
    placed.setColumn(bit, bit < bankBits ? banks[bit] : space[bit - bankBits]);
  return *placed.inverse();
}

namespace {
/// Tries layouts and keeps the best.
class SharedSearch {
public:
  SharedSearch(const DistributedLayout &writer, const DistributedLayout &reader, unsigned elementBytes,
               double readerWeight)
      : writer(writer), reader(reader), elementBytes(elementBytes), readerWeight(readerWeight),
        writes(writer, elementBytes, /*ownersOnly=*/true), reads(reader, elementBytes, /*ownersOnly=*/false) {}

  void consider(const std::vector<int64_t> &allocated, const std::vector<unsigned> &order, Swizzle swizzle,
                Padding padding, std::optional<LinearMap> matrix = std::nullopt) {
    std::optional<SharedLayout> layout =
        SharedLayout::create(writer.shape(), allocated, order, swizzle, std::move(matrix), padding);
    if (!layout)
      return; // the swizzle does not fit the row, or too large
    std::optional<MatrixAccess> matrices;
    SharedAccessCost write = writes.count(*layout), read = countReads(*layout, matrices);
    double cost = write.cycles() + readerWeight * read.cycles();
    // Earlier candidates are simpler: a later one has to be cheaper, or as cheap and smaller.
    if (best &&
        (cost > best->cost || (cost == best->cost && layout->allocatedElements() >= best->layout.allocatedElements())))
      return;
    best = SharedChoice{*layout, write, read, cost, matrices};
  }

  /// All candidates with one order of dimensions.
  void considerOrder(const std::vector<unsigned> &order) {
    std::vector<int64_t> allocated = writer.shape();
    consider(allocated, order, {}, {});
    auto longDim = std::find_if(order.begin(), order.end(), [&](unsigned dim) { return allocated[dim] > 1; });
    if (longDim == order.end())
      return; // one element
    unsigned fastest = *longDim;
    int64_t elements = 1;
    for (int64_t extent : allocated)
      elements *= extent;
    if (elements == allocated[fastest])
      return; // one row: nothing to spread
    int64_t widest = std::max<int64_t>(1, kMaxVectorBytes / elementBytes);
    for (bool rounded : {false, true}) {
      if (rounded) {
        int64_t pitch = (allocated[fastest] + widest - 1) / widest * widest;
        if (pitch == allocated[fastest])
          return;
        allocated[fastest] = pitch;
        consider(allocated, order, {}, {});
      }
      int64_t pitch = allocated[fastest], rowBytes = pitch * elementBytes;
      for (int64_t vec = widest; vec >= 1 && vec * elementBytes >= 4; vec /= 2)
        for (int64_t maxPhase = 2; vec * maxPhase <= pitch && vec * maxPhase * elementBytes <= 256; maxPhase *= 2) {
          // Rows shorter than all banks: neighbouring rows already lie in different banks.
          int64_t perPhase = 1;
          while (perPhase * rowBytes < 128)
            perPhase *= 2;
          consider(allocated, order, {vec, perPhase, maxPhase}, {});
          if (perPhase != 1)
            consider(allocated, order, {vec, 1, maxPhase}, {});
        }
      for (int64_t amount = widest; amount >= 1 && amount * elementBytes >= 4; amount /= 2)
        for (int64_t times : {1, 2, 3, 4}) // more than one only helps vectors
          if (times == 1 || amount == widest)
            consider(allocated, order, {}, {pitch, amount * times});
    }
  }

  /// Where all is linear, swizzles made for the two layouts: matrices.
  void considerMatrices(const std::vector<unsigned> &order) {
    std::optional<SharedLayout> plain = SharedLayout::makeRowMajor(writer.shape(), order);
    if (!plain || plain->rank() == 0 || !isUniform(writer, *plain) || !isUniform(reader, *plain))
      return;
    unsigned bits = plain->toLinearMap()->inBits();
    for (unsigned granuleBytes : {16, 8, 4}) {
      if (granuleBytes < elementBytes)
        break;
      unsigned granuleBits = __builtin_ctz(granuleBytes / elementBytes), bankBits = __builtin_ctz(128 / granuleBytes);
      if (plain->allocatedShape()[plain->fastestDim()] >> granuleBits == 0 || bits < granuleBits + bankBits)
        continue;
      std::vector<uint64_t> write = phaseDirections(writer, *plain, granuleBits, bankBits);
      std::vector<uint64_t> read = phaseDirections(reader, *plain, granuleBits, bankBits);
      LinearMap swizzle = separateBanks(write, read, bits - granuleBits, bankBits);
      consider(writer.shape(), order, {}, {}, LinearMap::identity(granuleBits).product(swizzle));
    }
  }

  std::optional<SharedChoice> best;

private:
  /// The reader uses `ldmatrix` wherever it can; its rows then are what touches the banks.
  SharedAccessCost countReads(const SharedLayout &shared, std::optional<MatrixAccess> &used) {
    auto [entry, isNew] = matrices.try_emplace(shared.fastestDim());
    MatrixReads &found = entry->second;
    if (isNew) {
      found.access = findMatrixAccess(reader, shared.fastestDim(), elementBytes);
      if (found.access)
        found.counter.emplace(found.access->rows, elementBytes, /*ownersOnly=*/false);
    }
    if (found.access && canReadMatrices(*found.access, shared, elementBytes)) {
      used = found.access;
      return found.counter->count(shared);
    }
    return reads.count(shared);
  }

  struct MatrixReads {
    std::optional<MatrixAccess> access;
    std::optional<AccessCounter> counter;
  };

  const DistributedLayout &writer, &reader;
  unsigned elementBytes;
  double readerWeight;
  AccessCounter writes, reads;
  std::map<unsigned, MatrixReads> matrices; ///< per fastest dimension
};
} // namespace

bool tilewright::layout::canReadMatrices(const MatrixAccess &access, const SharedLayout &shared,
                                         unsigned elementBytes) {
  return sharedVectorWidth(access.rows, shared, elementBytes) * elementBytes == kMaxVectorBytes;
}

std::optional<MatrixAccess> tilewright::layout::findMatrixAccess(const DistributedLayout &layout,
                                                                 const SharedLayout &shared, unsigned elementBytes) {
  std::optional<MatrixAccess> access = findMatrixAccess(layout, shared.fastestDim(), elementBytes);
  if (access && !canReadMatrices(*access, shared, elementBytes))
    access.reset();
  return access;
}

SharedChoice tilewright::layout::chooseShared(const DistributedLayout &writer, const DistributedLayout &reader,
                                              unsigned elementBytes, const std::vector<int64_t> &shape,
                                              double readerWeight, bool allowMatrix) {
  assert(writer.shape() == shape && reader.shape() == shape && "both are layouts of one tile");
  SharedSearch search(writer, reader, elementBytes, readerWeight);
  std::vector<std::vector<unsigned>> orders = {naturalOrder(reader)};
  if (std::vector<unsigned> other = naturalOrder(writer); other != orders[0])
    orders.push_back(other);
  for (const std::vector<unsigned> &order : orders)
    search.considerOrder(order);
  if (allowMatrix)
    for (const std::vector<unsigned> &order : orders)
      search.considerMatrices(order);
  assert(search.best && "the tile fits SharedLayout::kMaxElements");
  return *search.best;
}
