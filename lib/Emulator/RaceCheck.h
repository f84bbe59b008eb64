// SPDX-License-Identifier: Apache-2.0
/// \file
/// Finds races in shared memory: two threads of a CTA touch a byte, at least one of them writes, and no barrier lies
/// between. A race is found whatever order the threads happened to run in, because order is read off the barriers alone.
///
/// Order. Each warp counts its epochs: a barrier ends one. `known[w][v]` is the last epoch of warp v that had ended, and was
/// seen, when warp w passed its last barrier. A barrier of some warps gives each of them what any of them knew, and
/// the epochs that end there. So an access of warp v in epoch e came before what warp w does now if e <= known[w][v], also
/// across several barriers of parts of the CTA; lanes of one warp are no exception. A thread's own accesses are in order.
/// Worked example: warps 0 and 1, both in epoch 5. Warp 0 writes x; both meet; warp 1 reads x. The write was in epoch 5 of
/// warp 0, and known[1][0] became 5 at the barrier: no race. Without the barrier known[1][0] is 4.
///
/// Warp-wide exchanges (shuffles, loads of matrices, products) let lanes wait for each other but order no memory: the CUDA
/// C++ Programming Guide says so of shuffles ("do not imply a memory barrier"). So they do not end an epoch. Neither do
/// atomic accesses of global memory: a hand-written program that hands shared memory over by a flag is reported.
///
/// What is kept. Per granule of memory: the last write, and the last two reads since by different threads. That is enough
/// to find a race in every epoch of barriers of the whole CTA: of two readers one is not the writer. With barriers of parts
/// of the CTA a read may be forgotten that alone would race; what is reported always is a race. Granules are as large as
/// the smallest access that 256 bytes have seen, so that most accesses look at one.
#ifndef TILEWRIGHT_EMULATOR_RACECHECK_H
#define TILEWRIGHT_EMULATOR_RACECHECK_H

#include <array>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace tilewright {

class RaceCheck {
public:
  /// An access of the past, as far as it is remembered.
  struct Access {
    uint32_t thread = 0;
    int32_t loc = -1;
    bool isWrite = false;
    uint32_t offset = 0; ///< Where in shared memory the two meet, in bytes
  };

  RaceCheck();

  /// Forgets which sizes of accesses there were, for another kernel.
  void coarsen();

  /// Starts a CTA: nothing was accessed.
  void reset(uint32_t numWarps);

  /// Warps, a bit each, pass a barrier together.
  void passBarrier(uint32_t warps);

  /// Takes note of an access of bytes [offset, offset + bytes) within `kMaxBytes`. Returns false and sets `other` if it
  /// races with an earlier one.
  bool read(uint32_t thread, uint32_t offset, uint32_t bytes, int32_t loc, Access *other) {
    return access</*isWrite=*/false>(thread, offset, bytes, loc, other);
  }
  bool write(uint32_t thread, uint32_t offset, uint32_t bytes, int32_t loc, Access *other) {
    return access</*isWrite=*/true>(thread, offset, bytes, loc, other);
  }

  static constexpr uint32_t kMaxBytes = 256 * 1024;

private:
  static constexpr unsigned kMaxWarps = 32, kThreadBits = 10, kEpochBits = 30, kLocBits = 24;
  static constexpr unsigned kRegionBits = 8, kMaxGranuleBits = 4;
  static constexpr uint32_t kMaxEpoch = (uint32_t(1) << kEpochBits) - 1;

  /// Who, when and where in one word; 0, whose epoch never exists, is nobody. From the low bits: thread, epoch, location.
  using Stamp = uint64_t;
  /// `read` is newer than `otherRead` and by another thread.
  struct Granule {
    Stamp write, read, otherRead;
  };
  struct Free {
    void operator()(Granule *memory) const { std::free(memory); }
  };

  static uint32_t threadOf(Stamp stamp) { return uint32_t(stamp) & ((1u << kThreadBits) - 1); }
  static uint32_t epochOf(Stamp stamp) { return uint32_t(stamp >> kThreadBits) & kMaxEpoch; }
  static int32_t locOf(Stamp stamp);

  /// Whether `earlier` is nobody's, the thread's own, or came before what its warp does now. Earlier CTAs are before every
  /// epoch of this one.
  bool isOrdered(Stamp earlier, uint32_t thread) const {
    uint32_t epoch = epochOf(earlier), other = threadOf(earlier), warp = thread / 32;
    return epoch <= knownOfAll[warp] || other == thread || epoch <= known[warp][other / 32];
  }
  Granule &at(uint32_t offset) const {
    uint32_t region = offset >> kRegionBits, inside = offset & ((1u << kRegionBits) - 1);
    return granules[(region << kRegionBits) + (inside >> granuleBits[region])];
  }
  template <bool isWrite>
  bool access(uint32_t thread, uint32_t offset, uint32_t bytes, int32_t loc, Access *other) {
    Stamp now = thread | uint64_t(epochs[thread / 32]) << kThreadBits |
                uint64_t(uint32_t(loc)) << (kThreadBits + kEpochBits);
    // Most accesses are some whole granules of one region.
    unsigned bits = granuleBits[offset >> kRegionBits];
    bool isWhole = ((offset | bytes) & ((1u << bits) - 1)) == 0;
    if (isWhole && (offset & ((1u << kRegionBits) - 1)) + bytes <= 1u << kRegionBits) {
      Granule *granule = &at(offset), *end = granule + (bytes >> bits);
      while (granule != end && touch<isWrite>(*granule, thread, now))
        ++granule;
      if (granule == end)
        return true;
    }
    return accessSlowly<isWrite>(thread, offset, bytes, now, other);
  }
  /// Takes note of an access; false, and nothing noted, if it races.
  template <bool isWrite> bool touch(Granule &granule, uint32_t thread, Stamp now) {
    if (!isOrdered(granule.write, thread))
      return false;
    if constexpr (isWrite) {
      if (!isOrdered(granule.read, thread) || !isOrdered(granule.otherRead, thread))
        return false;
      // The reads came before this write: whoever races with them races with it.
      granule = {now, 0, 0};
    } else {
      // Two readers that nothing has been ordered after yet are as good as any other two.
      uint32_t past = knownOfAll[thread / 32];
      if (!hasParts && epochOf(granule.read) > past && epochOf(granule.otherRead) > past)
        return true;
      if (threadOf(granule.read) != thread)
        granule.otherRead = granule.read; // The older one goes, or the same thread's.
      granule.read = now;
    }
    return true;
  }
  template <bool isWrite>
  bool accessSlowly(uint32_t thread, uint32_t offset, uint32_t bytes, Stamp now, Access *other);
  void refine(uint32_t region, unsigned bits);
  void forget();
  uint32_t firstEpoch = 1;
  uint32_t numWarps = 0;
  /// Whether this CTA has had a barrier of a part of its warps.
  bool hasParts = false;
  std::array<uint32_t, kMaxWarps> epochs{};
  std::array<std::array<uint32_t, kMaxWarps>, kMaxWarps> known{};
  /// The least of each row of `known`.
  std::array<uint32_t, kMaxWarps> knownOfAll{};
  /// Room for one per byte, region after region; those of a region lie side by side. From calloc: memory is taken where it
  /// is touched.
  std::unique_ptr<Granule[], Free> granules;
  /// Log2 of the granules' bytes, per 256 bytes.
  std::vector<uint8_t> granuleBits;
};

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_RACECHECK_H
