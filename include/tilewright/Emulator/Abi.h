// SPDX-License-Identifier: Apache-2.0
/// \file
/// The functions that emulated code calls. A kernel is compiled for the host as
///
///     void kernel(void *thread, const uint64_t *slots)
///
/// one call of which is the whole program of one CUDA thread. `thread` is opaque and goes into every call below; slots
/// are the launch arguments. Everything that plain arithmetic cannot do is a call: who am I, each access of global
/// and shared memory, each rendezvous with other threads. A call that finds a broken rule reports it with `loc`
/// and does not return: the run stops. `loc` is an index into `KernelCode::locations`; one that is
/// out of range reads "unknown location".
///
/// Calls may switch to another thread's stack and return much later; they neither throw nor unwind.
#ifndef TILEWRIGHT_EMULATOR_ABI_H
#define TILEWRIGHT_EMULATOR_ABI_H

#include <cstdint>
#include <utility>
#include <vector>

/// How a lane of `tweShuffle` names the lane that it reads from.
enum TweShuffleMode : int32_t {
  TweShuffleIdx = 0,  ///< Lane `laneArg` of the segment
  TweShuffleXor = 1,  ///< Own lane xor `laneArg`
  TweShuffleUp = 2,   ///< Own lane minus `laneArg`; own value where that is outside the segment
  TweShuffleDown = 3, ///< Own lane plus `laneArg`; own value where that is outside the segment
};

/// How `tweAtomicRmw` combines the old value with the operand.
enum TweAtomicKind : int32_t {
  TweAtomicAdd = 0,
  TweAtomicFAdd = 1,
  TweAtomicSMin = 2,
  TweAtomicSMax = 3,
  TweAtomicUMin = 4,
  TweAtomicUMax = 5,
  TweAtomicAnd = 6,
  TweAtomicOr = 7,
  TweAtomicXor = 8,
  TweAtomicExch = 9,
};

/// What an atomic access holds. Values travel as their bits, zero-extended to 64.
enum TweAtomicType : int32_t { TweI32 = 0, TweI64 = 1, TweF16 = 2, TweBF16 = 3, TweF32 = 4, TweF64 = 5 };

extern "C" {

/// Number of this thread in its warp, 0 to 31, and of its warp in the CTA.
int32_t tweLaneId(void *thread);
int32_t tweWarpId(void *thread);

/// Number of this thread's CTA along grid axis 0 (x), 1 or 2, and the number of CTAs along it.
int64_t tweProgramId(void *thread, int32_t axis);
int64_t tweNumPrograms(void *thread, int32_t axis);

/// Checks that the bytes [address, address + bytes) lie in one live buffer and that `address` is a multiple of
/// `align`, a power of two; returns where the host finds them. `bytes` is positive.
void *tweGlobalRead(void *thread, int64_t address, int64_t bytes, int64_t align, int32_t loc);
void *tweGlobalWrite(void *thread, int64_t address, int64_t bytes, int64_t align, int32_t loc);

/// The same for the bytes [offset, offset + bytes) of the CTA's dynamic shared memory. Reading a byte that no thread
/// of this CTA has written is an error. The host address is below 4 GiB, that of offset 0 a multiple of 256 KiB.
void *tweSharedRead(void *thread, int32_t offset, int64_t bytes, int64_t align, int32_t loc);
void *tweSharedWrite(void *thread, int32_t offset, int64_t bytes, int64_t align, int32_t loc);

/// Atomic accesses of global memory, sequentially consistent between all CTAs whatever order the program asks for; checked like
/// the accesses above, aligned to their size. `bytes` is 1, 2, 4 or 8, and 4 or 8 for compare-and-swap. An update and a
/// swap return what was there. Waiting programs are noticed here: other CTAs run in between.
int64_t tweAtomicRmw(void *thread, int32_t kind, int32_t type, int64_t address, int64_t value, int32_t loc);
int64_t tweAtomicCas(void *thread, int64_t address, int64_t bytes, int64_t compare, int64_t value, int32_t loc);
int64_t tweAtomicLoad(void *thread, int64_t address, int64_t bytes, int32_t loc);
void tweAtomicStore(void *thread, int64_t address, int64_t bytes, int64_t value, int32_t loc);

/// `bar.sync id, numThreads`: returns once `numThreads` threads, whole warps, have called it. `id` is 0 to 15,
/// `numThreads` a multiple of 32 up to the threads of the CTA. The lanes of a warp arrive with one `loc`.
void tweBarrier(void *thread, int32_t id, int32_t numThreads, int32_t loc);

/// `shfl.sync` of `numValues` registers, in place. All 32 lanes of the warp take part with one `loc`. `width` is the
/// size of the segments that exchange values: 1, 2, 4, 8, 16 or 32. `laneArg` is 0 to 31.
void tweShuffle(void *thread, int32_t mode, int32_t *values, int32_t numValues, int32_t laneArg, int32_t width,
                int32_t loc);

/// `ldmatrix` of `numWords` (1, 2 or 4) matrices; lane 8j + i names row i of matrix j by its offset in shared memory.
/// Word j of `words` gets bytes 4 * (lane % 4).. of row lane / 4 of matrix j, or with `isTransposed` the 16-bit elements
/// lane / 4 of the rows 2 * (lane % 4) and 2 * (lane % 4) + 1. All 32 lanes of the warp take part with one `loc`.
void tweLoadMatrix(void *thread, int32_t offset, int32_t *words, int32_t numWords, int32_t isTransposed, int32_t loc);

/// `mma.sync` of the kind that packMmaKind() numbers. `words` holds the fragments of the left operand (4), the right one
/// (2) and the sum (4; 2 where it is f16), and receives the new sum in place. All lanes take part with one `loc`.
void tweMma(void *thread, int32_t kind, int32_t *words, int32_t loc);

/// Reports a false assumption unless `condition` is true. The text that `loc` names is a location, a tab, and
/// what was assumed.
void tweAssume(void *thread, int8_t condition, int32_t loc);

/// Reports that a trap was reached.
[[noreturn]] void tweTrap(void *thread, int32_t loc);
}

namespace tilewright {
/// Name and address of each function above, for a linker of compiled code.
const std::vector<std::pair<const char *, void *>> &getEmulatorSymbols();
} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_ABI_H
