// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Codegen/EmitPtx.h"

#include "llvm/Support/ErrorHandling.h"
#include "llvm/Support/raw_ostream.h"

#include <csetjmp>
#include <mutex>

using namespace tilewright;

namespace {
/// Where a fatal error of this thread goes.
struct Recovery {
  std::jmp_buf place;
  std::string *message = nullptr;
  Recovery *outer = nullptr;
};
} // namespace

static thread_local Recovery *innermost = nullptr;
static std::mutex handlerMutex;
static unsigned handlerUsers = 0;

// LLVM calls this without holding a lock. Where it returns, LLVM ends the process.
static void onFatalError(void *, const char *reason, bool) {
  if (!innermost) {
    llvm::errs() << "LLVM ERROR: " << reason << '\n';
    return;
  }
  *innermost->message = reason;
  // Not an exception: LLVM is compiled without them. Clang's CrashRecoveryContext leaves LLVM in the same way.
  std::longjmp(innermost->place, 1);
}

static void acquireHandler() {
  std::lock_guard<std::mutex> lock(handlerMutex);
  if (handlerUsers++ == 0)
    llvm::install_fatal_error_handler(onFatalError);
}
static void releaseHandler() {
  std::lock_guard<std::mutex> lock(handlerMutex);
  if (--handlerUsers == 0)
    llvm::remove_fatal_error_handler();
}

bool tilewright::runCatchingFatalErrors(llvm::function_ref<void()> work, std::string &message) {
  acquireHandler();
  Recovery recovery;
  recovery.message = &message;
  recovery.outer = innermost;
  innermost = &recovery;
  bool isFine = false;
  // No object with a destructor lives in this frame after setjmp, so that nothing is lost by the jump.
  if (setjmp(recovery.place) == 0) {
    work();
    isFine = true;
  } else {
    isFine = false;
  }
  innermost = recovery.outer;
  releaseHandler();
  return isFine;
}
