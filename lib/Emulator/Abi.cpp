// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Emulator/Abi.h"

#include "Cta.h"

#include <cstring>
#include <type_traits>

using namespace tilewright;

static CudaThread &asThread(void *thread) { return *static_cast<CudaThread *>(thread); }

[[noreturn]] static void failAccess(CudaThread &thread, Failure::Kind kind, int64_t place, int64_t bytes, int64_t align,
                                    int32_t loc) {
  Failure found;
  found.kind = kind;
  found.loc = loc;
  found.a = place;
  found.b = bytes;
  found.c = align;
  thread.cta->fail(thread, found);
}

static void *accessGlobal(void *opaque, Failure::Kind kind, int64_t address, int64_t bytes, int64_t align,
                          int32_t loc) {
  CudaThread &thread = asThread(opaque);
  thread.cta->countCall(thread, loc);
  const DeviceMemory &memory = thread.cta->getMemory();
  char *host = bytes <= 0                      ? nullptr
               : kind == Failure::GlobalWrite ? memory.findWritable(uint64_t(address), uint64_t(bytes))
                                              : memory.find(uint64_t(address), uint64_t(bytes));
  if (!host || (address & (align - 1)) != 0)
    failAccess(thread, kind, address, bytes, align, loc);
  return host;
}

//===----------------------------------------------------------------------===//
// Atomic accesses
//===----------------------------------------------------------------------===//

template <typename To, typename From> static To bitsAs(From from) {
  static_assert(sizeof(To) == sizeof(From));
  To to;
  std::memcpy(&to, &from, sizeof(to));
  return to;
}

/// A sum in f32 is exact enough for both: it has more than twice their bits and two, so rounding twice is rounding once.
static uint16_t addHalves(uint16_t a, uint16_t b) {
  return bitsAs<uint16_t>(_Float16(float(bitsAs<_Float16>(a)) + float(bitsAs<_Float16>(b))));
}
static uint16_t addBrains(uint16_t a, uint16_t b) {
  float sum = bitsAs<float>(uint32_t(a) << 16) + bitsAs<float>(uint32_t(b) << 16);
  uint32_t bits = bitsAs<uint32_t>(sum);
  if (sum != sum)
    return uint16_t(bits >> 16 | 0x40); // Stays a NaN when it is cut.
  return uint16_t((bits + 0x7fff + (bits >> 16 & 1)) >> 16);
}

/// `combine(old, operand)`; T is an unsigned integer of the element's size.
template <typename T> static T combine(int32_t kind, int32_t type, T old, T operand) {
  using Signed = std::make_signed_t<T>;
  switch (kind) {
  case TweAtomicAdd:
    return T(old + operand);
  case TweAtomicFAdd:
    if constexpr (sizeof(T) == 8)
      return bitsAs<T>(bitsAs<double>(old) + bitsAs<double>(operand));
    else if constexpr (sizeof(T) == 4)
      return bitsAs<T>(bitsAs<float>(old) + bitsAs<float>(operand));
    else
      return type == TweF16 ? addHalves(old, operand) : addBrains(old, operand);
  case TweAtomicSMin:
    return Signed(operand) < Signed(old) ? operand : old;
  case TweAtomicSMax:
    return Signed(operand) > Signed(old) ? operand : old;
  case TweAtomicUMin:
    return operand < old ? operand : old;
  case TweAtomicUMax:
    return operand > old ? operand : old;
  case TweAtomicAnd:
    return old & operand;
  case TweAtomicOr:
    return old | operand;
  case TweAtomicXor:
    return old ^ operand;
  default:
    return operand;
  }
}

template <typename T>
static int64_t update(CudaThread &thread, void *host, int64_t address, int32_t kind, int32_t type, int64_t value) {
  T *place = static_cast<T *>(host);
  T old = __atomic_load_n(place, __ATOMIC_SEQ_CST), next;
  do
    next = combine<T>(kind, type, old, T(value));
  while (!__atomic_compare_exchange_n(place, &old, next, /*weak=*/false, __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST));
  thread.cta->noteShared(thread, uint64_t(address), old, next != old);
  return int64_t(uint64_t(old));
}

template <typename T>
static int64_t swap(CudaThread &thread, void *host, int64_t address, int64_t compare, int64_t value) {
  T expected = T(compare);
  bool isDone = __atomic_compare_exchange_n(static_cast<T *>(host), &expected, T(value), /*weak=*/false,
                                            __ATOMIC_SEQ_CST, __ATOMIC_SEQ_CST);
  thread.cta->noteShared(thread, uint64_t(address), expected, isDone && T(compare) != T(value));
  return int64_t(uint64_t(expected));
}

template <typename T> static int64_t load(CudaThread &thread, void *host, int64_t address) {
  T value = __atomic_load_n(static_cast<T *>(host), __ATOMIC_SEQ_CST);
  thread.cta->noteShared(thread, uint64_t(address), value, /*isChange=*/false);
  return int64_t(uint64_t(value));
}

template <typename T> static void store(CudaThread &thread, void *host, int64_t address, int64_t value) {
  T old = __atomic_exchange_n(static_cast<T *>(host), T(value), __ATOMIC_SEQ_CST);
  thread.cta->noteShared(thread, uint64_t(address), T(value), old != T(value));
}

int64_t tweAtomicRmw(void *opaque, int32_t kind, int32_t type, int64_t address, int64_t value, int32_t loc) {
  CudaThread &thread = asThread(opaque);
  int64_t bytes = type == TweI64 || type == TweF64 ? 8 : type == TweF16 || type == TweBF16 ? 2 : 4;
  void *host = accessGlobal(opaque, Failure::GlobalWrite, address, bytes, bytes, loc);
  if (bytes == 8)
    return update<uint64_t>(thread, host, address, kind, type, value);
  if (bytes == 4)
    return update<uint32_t>(thread, host, address, kind, type, value);
  return update<uint16_t>(thread, host, address, kind, type, value);
}

int64_t tweAtomicCas(void *opaque, int64_t address, int64_t bytes, int64_t compare, int64_t value, int32_t loc) {
  void *host = accessGlobal(opaque, Failure::GlobalWrite, address, bytes, bytes, loc);
  return bytes == 8 ? swap<uint64_t>(asThread(opaque), host, address, compare, value)
                    : swap<uint32_t>(asThread(opaque), host, address, compare, value);
}

int64_t tweAtomicLoad(void *opaque, int64_t address, int64_t bytes, int32_t loc) {
  CudaThread &thread = asThread(opaque);
  void *host = accessGlobal(opaque, Failure::GlobalRead, address, bytes, bytes, loc);
  return bytes == 8   ? load<uint64_t>(thread, host, address)
         : bytes == 4 ? load<uint32_t>(thread, host, address)
         : bytes == 2 ? load<uint16_t>(thread, host, address)
                      : load<uint8_t>(thread, host, address);
}

void tweAtomicStore(void *opaque, int64_t address, int64_t bytes, int64_t value, int32_t loc) {
  CudaThread &thread = asThread(opaque);
  void *host = accessGlobal(opaque, Failure::GlobalWrite, address, bytes, bytes, loc);
  if (bytes == 8)
    store<uint64_t>(thread, host, address, value);
  else if (bytes == 4)
    store<uint32_t>(thread, host, address, value);
  else if (bytes == 2)
    store<uint16_t>(thread, host, address, value);
  else
    store<uint8_t>(thread, host, address, value);
}

int32_t tweLaneId(void *thread) { return int32_t(asThread(thread).lane); }
int32_t tweWarpId(void *thread) { return int32_t(asThread(thread).warp); }

int64_t tweProgramId(void *thread, int32_t axis) {
  return axis >= 0 && axis < 3 ? int64_t(asThread(thread).cta->getProgram()[size_t(axis)]) : 0;
}
int64_t tweNumPrograms(void *thread, int32_t axis) {
  return axis >= 0 && axis < 3 ? int64_t(asThread(thread).cta->getRun().shape.grid[size_t(axis)]) : 1;
}

void *tweGlobalRead(void *thread, int64_t address, int64_t bytes, int64_t align, int32_t loc) {
  return accessGlobal(thread, Failure::GlobalRead, address, bytes, align, loc);
}
void *tweGlobalWrite(void *thread, int64_t address, int64_t bytes, int64_t align, int32_t loc) {
  asThread(thread).cta->noteWrite();
  return accessGlobal(thread, Failure::GlobalWrite, address, bytes, align, loc);
}

void *tweSharedRead(void *opaque, int32_t offset, int64_t bytes, int64_t align, int32_t loc) {
  CudaThread &thread = asThread(opaque);
  thread.cta->countCall(thread, loc);
  SharedMemory &shared = thread.cta->getShared();
  if (!shared.contains(offset, bytes) || (offset & (align - 1)) != 0)
    failAccess(thread, Failure::SharedRead, offset, bytes, align, loc);
  if (!shared.isWritten(uint32_t(offset), uint32_t(bytes)))
    failAccess(thread, Failure::SharedUnwritten, offset, bytes, align, loc);
  thread.cta->checkSharedRead(thread, uint32_t(offset), uint32_t(bytes), loc);
  return shared.host(uint32_t(offset));
}
void *tweSharedWrite(void *opaque, int32_t offset, int64_t bytes, int64_t align, int32_t loc) {
  CudaThread &thread = asThread(opaque);
  thread.cta->countCall(thread, loc);
  SharedMemory &shared = thread.cta->getShared();
  if (!shared.contains(offset, bytes) || (offset & (align - 1)) != 0)
    failAccess(thread, Failure::SharedWrite, offset, bytes, align, loc);
  thread.cta->checkSharedWrite(thread, uint32_t(offset), uint32_t(bytes), loc);
  shared.markWritten(uint32_t(offset), uint32_t(bytes));
  return shared.host(uint32_t(offset));
}

void tweBarrier(void *thread, int32_t id, int32_t numThreads, int32_t loc) {
  asThread(thread).cta->waitAtBarrier(asThread(thread), id, numThreads, loc);
}

void tweShuffle(void *thread, int32_t mode, int32_t *values, int32_t numValues, int32_t laneArg, int32_t width,
                int32_t loc) {
  asThread(thread).cta->shuffle(asThread(thread), mode, values, numValues, laneArg, width, loc);
}

void tweLoadMatrix(void *opaque, int32_t offset, int32_t *words, int32_t numWords, int32_t isTransposed, int32_t loc) {
  CudaThread &thread = asThread(opaque);
  thread.cta->countCall(thread, loc);
  constexpr int32_t kRowBytes = 16, kRowsPerMatrix = 8;
  if (numWords != 1 && numWords != 2 && numWords != 4)
    failAccess(thread, Failure::WarpOperand, isTransposed, numWords, 0, loc);
  // Lanes that name no row may hold anything.
  if (int32_t(thread.lane) < kRowsPerMatrix * numWords) {
    SharedMemory &shared = thread.cta->getShared();
    if (!shared.contains(offset, kRowBytes) || offset % kRowBytes != 0)
      failAccess(thread, Failure::SharedRead, offset, kRowBytes, kRowBytes, loc);
    if (!shared.isWritten(uint32_t(offset), kRowBytes))
      failAccess(thread, Failure::SharedUnwritten, offset, kRowBytes, kRowBytes, loc);
    thread.cta->checkSharedRead(thread, uint32_t(offset), kRowBytes, loc);
  }
  thread.cta->loadMatrix(thread, offset, words, numWords, isTransposed != 0, loc);
}

void tweMma(void *thread, int32_t kind, int32_t *words, int32_t loc) {
  asThread(thread).cta->mma(asThread(thread), kind, words, loc);
}

void tweAssume(void *thread, int8_t condition, int32_t loc) {
  // An i1 that was widened either way has its truth in bit 0.
  if (condition & 1)
    return;
  Failure found;
  found.kind = Failure::Assumption;
  found.loc = loc;
  asThread(thread).cta->fail(asThread(thread), found);
}

void tweTrap(void *thread, int32_t loc) {
  Failure found;
  found.kind = Failure::Trap;
  found.loc = loc;
  asThread(thread).cta->fail(asThread(thread), found);
}

template <typename Function> static void *addressOf(Function *function) { return reinterpret_cast<void *>(function); }

const std::vector<std::pair<const char *, void *>> &tilewright::getEmulatorSymbols() {
  static const auto *symbols = new std::vector<std::pair<const char *, void *>>{
      {"tweLaneId", addressOf(&tweLaneId)},         {"tweWarpId", addressOf(&tweWarpId)},
      {"tweProgramId", addressOf(&tweProgramId)},   {"tweNumPrograms", addressOf(&tweNumPrograms)},
      {"tweGlobalRead", addressOf(&tweGlobalRead)}, {"tweGlobalWrite", addressOf(&tweGlobalWrite)},
      {"tweSharedRead", addressOf(&tweSharedRead)}, {"tweSharedWrite", addressOf(&tweSharedWrite)},
      {"tweAtomicRmw", addressOf(&tweAtomicRmw)},   {"tweAtomicCas", addressOf(&tweAtomicCas)},
      {"tweAtomicLoad", addressOf(&tweAtomicLoad)}, {"tweAtomicStore", addressOf(&tweAtomicStore)},
      {"tweBarrier", addressOf(&tweBarrier)},       {"tweShuffle", addressOf(&tweShuffle)},
      {"tweLoadMatrix", addressOf(&tweLoadMatrix)}, {"tweMma", addressOf(&tweMma)},
      {"tweAssume", addressOf(&tweAssume)},         {"tweTrap", addressOf(&tweTrap)},
  };
  return *symbols;
}
