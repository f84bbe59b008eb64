// SPDX-License-Identifier: Apache-2.0
/// \file
/// Mutations of program text by token and by line. Flipping bytes of a program gives little but syntax errors; swapping
/// names, numbers, types, ops and lines gives programs that parse, and are wrong in ways that later stages must find.
#ifndef TILEWRIGHT_TEST_FUZZ_TOKENMUTATOR_H
#define TILEWRIGHT_TEST_FUZZ_TOKENMUTATOR_H

#include <random>
#include <string>

namespace tilewright {

/// The text after one or a few mutations.
std::string mutateTokens(const std::string &text, std::minstd_rand &random);

/// The first text with a run of lines of the second in it.
std::string crossLines(const std::string &first, const std::string &second, std::minstd_rand &random);

} // namespace tilewright

#endif // TILEWRIGHT_TEST_FUZZ_TOKENMUTATOR_H
