// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Emulator/Abi.h"

#include "Cta.h"

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
  return shared.host(uint32_t(offset));
}
void *tweSharedWrite(void *opaque, int32_t offset, int64_t bytes, int64_t align, int32_t loc) {
  CudaThread &thread = asThread(opaque);
  thread.cta->countCall(thread, loc);
  SharedMemory &shared = thread.cta->getShared();
  if (!shared.contains(offset, bytes) || (offset & (align - 1)) != 0)
    failAccess(thread, Failure::SharedWrite, offset, bytes, align, loc);
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
      {"tweBarrier", addressOf(&tweBarrier)},       {"tweShuffle", addressOf(&tweShuffle)},
      {"tweAssume", addressOf(&tweAssume)},         {"tweTrap", addressOf(&tweTrap)},
  };
  return *symbols;
}
