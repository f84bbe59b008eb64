// SPDX-License-Identifier: Apache-2.0
#include "Fiber.h"

#include <cerrno>
#include <cstring>
#include <sys/mman.h>

#if defined(__has_feature)
#if __has_feature(address_sanitizer)
#define TILEWRIGHT_ASAN 1
#endif
#elif defined(__SANITIZE_ADDRESS__)
#define TILEWRIGHT_ASAN 1
#endif
#ifdef TILEWRIGHT_ASAN
#include <sanitizer/asan_interface.h>
#include <sanitizer/common_interface_defs.h>
#endif

using namespace tilewright;
using boost::context::detail::jump_fcontext;
using boost::context::detail::transfer_t;

StackPool::~StackPool() {
  if (base)
    munmap(base, numStacks * pitch());
}

bool StackPool::reserve(unsigned count, size_t bytes, std::string *error) {
  if (count <= numStacks && bytes == stackBytes)
    return true;
  if (base) {
    munmap(base, numStacks * pitch());
    base = nullptr;
    numStacks = 0;
  }
  stackBytes = bytes;
  auto fail = [&](const char *call) {
    *error = std::string("cannot make ") + std::to_string(count) + " stacks of " + std::to_string(bytes) +
             " bytes: " + call + ": " + std::strerror(errno);
    return false;
  };
  // Reserved without access, then opened stack by stack: what stays closed are the guards.
  void *mapped = mmap(nullptr, count * pitch(), PROT_NONE, MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
  if (mapped == MAP_FAILED)
    return fail("mmap");
  base = static_cast<char *>(mapped);
  numStacks = count;
  for (unsigned i = 0; i < count; ++i)
    if (mprotect(bottom(i), stackBytes, PROT_READ | PROT_WRITE) != 0)
      return fail("mprotect");
  return true;
}

bool StackPool::isGuard(const void *address) const {
  const char *pointer = static_cast<const char *>(address);
  if (!base || pointer < base || pointer >= base + numStacks * pitch())
    return false;
  return size_t(pointer - base) % pitch() < kGuardBytes;
}

transfer_t tilewright::switchContext(ExecutionContext *from, const ExecutionContext &to, void *data) {
#ifdef TILEWRIGHT_ASAN
  __sanitizer_start_switch_fiber(from ? &from->fakeStack : nullptr, to.stackBottom, to.stackSize);
#endif
  return jump_fcontext(to.saved, data);
}

void tilewright::finishSwitch(ExecutionContext *self, ExecutionContext *previous) {
#ifdef TILEWRIGHT_ASAN
  const void *bottom = nullptr;
  size_t size = 0;
  __sanitizer_finish_switch_fiber(self ? self->fakeStack : nullptr, &bottom, &size);
  if (previous) {
    previous->stackBottom = bottom;
    previous->stackSize = size;
  }
#endif
}

void tilewright::forgetFrames(const void *bottom, size_t size) {
#ifdef TILEWRIGHT_ASAN
  __asan_unpoison_memory_region(bottom, size);
#endif
}
