// SPDX-License-Identifier: Apache-2.0
/// \file
/// Turns a stack overflow of an emulated thread into a report: the guard below its stack faults, and the handler
/// lets the host thread go on in `Cta::failByOverflow` on a spare stack. Other faults go to whoever handled them
/// before.
#ifndef TILEWRIGHT_EMULATOR_OVERFLOWSIGNAL_H
#define TILEWRIGHT_EMULATOR_OVERFLOWSIGNAL_H

#include <memory>

namespace tilewright {

class Cta;

/// While it lives, overflows of the stacks of the CTA that it watches on this host thread are caught. One per host thread.
class OverflowGuard {
public:
  OverflowGuard();
  ~OverflowGuard();
  /// From now on this CTA.
  void watch(Cta &cta);
  OverflowGuard(const OverflowGuard &) = delete;
  OverflowGuard &operator=(const OverflowGuard &) = delete;

private:
  std::unique_ptr<char[]> signalStack, spareStack;
};

} // namespace tilewright

#endif // TILEWRIGHT_EMULATOR_OVERFLOWSIGNAL_H
