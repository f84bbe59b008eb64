// SPDX-License-Identifier: Apache-2.0
/// \file
/// What a fuzzer does about a broken promise: it says which, and crashes, so that the input is kept.
#ifndef TILEWRIGHT_TEST_FUZZ_REQUIRE_H
#define TILEWRIGHT_TEST_FUZZ_REQUIRE_H

#include <cstdio>
#include <cstdlib>
#include <string>

namespace tilewright {

/// Crashes unless `condition` holds; `promise` says what should.
inline void require(bool condition, const std::string &promise) {
  if (condition)
    return;
  std::fprintf(stderr, "broken promise: %s\n", promise.c_str());
  std::abort();
}

/// A reader that refuses gives one message, in one line.
inline void requireMessage(const std::string &error) {
  require(!error.empty(), "a refusal has a message");
}

} // namespace tilewright

#endif // TILEWRIGHT_TEST_FUZZ_REQUIRE_H
