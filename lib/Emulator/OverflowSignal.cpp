// SPDX-License-Identifier: Apache-2.0
#include "OverflowSignal.h"

#include "Cta.h"

#include <csignal>
#include <mutex>
#include <ucontext.h>

using namespace tilewright;

static constexpr size_t kSignalStackBytes = 64 * 1024, kSpareStackBytes = 64 * 1024;

/// What the handler needs of the host thread that it interrupts.
static thread_local Cta *currentCta = nullptr;
static thread_local char *currentSpareTop = nullptr;
static struct sigaction previousAction;

[[noreturn]] static void continueAfterOverflow(Cta *cta) { cta->failByOverflow(); }

static void handleFault(int signal, siginfo_t *info, void *context) {
#if defined(__x86_64__) && defined(__linux__)
  if (currentCta && currentCta->getStacks().isGuard(info->si_addr)) {
    // The thread is abandoned, so its registers may be overwritten: on return it is in continueAfterOverflow(cta),
    // with the stack as after a call. The signal mask is restored by the return as usual.
    auto &registers = static_cast<ucontext_t *>(context)->uc_mcontext.gregs;
    uintptr_t top = (reinterpret_cast<uintptr_t>(currentSpareTop) & ~uintptr_t(15)) - 8;
    registers[REG_RSP] = static_cast<greg_t>(top);
    registers[REG_RDI] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(currentCta));
    registers[REG_RIP] = static_cast<greg_t>(reinterpret_cast<uintptr_t>(&continueAfterOverflow));
    registers[REG_EFL] &= ~greg_t(0x400); // The ABI's direction flag.
    return;
  }
#endif
  if (previousAction.sa_flags & SA_SIGINFO) {
    previousAction.sa_sigaction(signal, info, context);
  } else if (previousAction.sa_handler != SIG_DFL && previousAction.sa_handler != SIG_IGN) {
    previousAction.sa_handler(signal);
  } else {
    std::signal(signal, SIG_DFL); // Faults again and ends the process as if we had not been here.
  }
}

OverflowGuard::OverflowGuard()
    : signalStack(new char[kSignalStackBytes]), spareStack(new char[kSpareStackBytes]) {
  static std::once_flag once;
  std::call_once(once, [] {
    struct sigaction action = {};
    action.sa_sigaction = &handleFault;
    action.sa_flags = SA_SIGINFO | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &previousAction);
  });
  stack_t stack = {};
  stack.ss_sp = signalStack.get();
  stack.ss_size = kSignalStackBytes;
  sigaltstack(&stack, nullptr);
  currentSpareTop = spareStack.get() + kSpareStackBytes;
}

void OverflowGuard::watch(Cta &cta) { currentCta = &cta; }

OverflowGuard::~OverflowGuard() {
  currentCta = nullptr;
  stack_t stack = {};
  stack.ss_flags = SS_DISABLE;
  sigaltstack(&stack, nullptr);
}
