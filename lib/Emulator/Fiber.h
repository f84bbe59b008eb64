// SPDX-License-Identifier: Apache-2.0
/// \file
/// Stacks and switches between them. Boost.Context's machine-level switch is used, not its `fiber` class: fibers are
/// abandoned when a run stops, and the class would unwind them through compiled code that has no unwind tables.
#ifndef TILEWRIGHT_EMULATOR_FIBER_H
#define TILEWRIGHT_EMULATOR_FIBER_H

#include <boost/context/detail/fcontext.hpp>

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

namespace tilewright {

/// The stacks of one host thread, each with an inaccessible guard below it. A stack's pages cost memory once touched.
class StackPool {
public:
  StackPool() = default;
  ~StackPool();
  StackPool(const StackPool &) = delete;
  StackPool &operator=(const StackPool &) = delete;

  /// Makes at least `count` stacks of `bytes` (whole pages). Returns false and sets `error` if the host refuses.
  bool reserve(unsigned count, size_t bytes, std::string *error);

  /// Lowest and highest address of a stack. The highest differs between stacks modulo a page, so that the hot ends
  /// of the stacks do not fall into the same lines of the cache.
  char *bottom(unsigned index) const { return base + index * pitch() + kGuardBytes; }
  char *top(unsigned index) const { return bottom(index) + stackBytes - (index % 32) * 128; }
  size_t size(unsigned index) const { return size_t(top(index) - bottom(index)); }

  /// True if the address lies in the guard below a stack.
  bool isGuard(const void *address) const;

  static constexpr size_t kGuardBytes = 64 * 1024;

private:
  size_t pitch() const { return stackBytes + kGuardBytes; }

  char *base = nullptr;
  size_t stackBytes = 0;
  unsigned numStacks = 0;
};

/// One place of execution that may be switched away from: a fiber, or the host thread's own stack.
struct ExecutionContext {
  boost::context::detail::fcontext_t saved = nullptr;
  /// For the address sanitizer, which follows switches.
  const void *stackBottom = nullptr;
  size_t stackSize = 0;
  void *fakeStack = nullptr;
};

/// Switches from `from`, null if it never runs again, to `to`. `data` arrives at a new fiber as transfer_t::data.
/// Returns the saved context of whoever switches back, and what that gave as `data`.
boost::context::detail::transfer_t switchContext(ExecutionContext *from, const ExecutionContext &to, void *data);

/// Completes a switch on the side that was reached. `self` is null in a new fiber; `previous`, if not null, gets the
/// bounds of the stack that was left.
void finishSwitch(ExecutionContext *self, ExecutionContext *previous);

/// Forgets what the address sanitizer knows of frames on a stack that is used anew.
void forgetFrames(const void *bottom, size_t size);

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_FIBER_H
