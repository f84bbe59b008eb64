// SPDX-License-Identifier: Apache-2.0
/// \file
/// A small strict command-line reader for the tools that contain no LLVM: `--name value`, `--name=value`, `--flag` and
/// positional words. Everything unknown, repeated or without its value is an error.
#ifndef TILEWRIGHT_RUNTIME_COMMANDLINE_H
#define TILEWRIGHT_RUNTIME_COMMANDLINE_H

#include <set>
#include <string>
#include <string_view>
#include <vector>

namespace tilewright {

/// Walks over the words of a command line. Each `take` function looks at the current word and moves on if it is the
/// one that was asked for. After the first error nothing is taken any more.
class CommandLine {
public:
  /// `argv[0]` is the program's name and is skipped.
  CommandLine(int argc, const char *const *argv);

  bool isDone() const { return at >= words.size() || !message.empty(); }
  /// Empty as long as all is well.
  const std::string &getError() const { return message; }
  /// Stores an error, unless there is one.
  void fail(const std::string &what);

  /// Takes `--name`.
  bool takeFlag(std::string_view name);
  /// Takes `--name VALUE` or `--name=VALUE`, which may occur once.
  bool takeOption(std::string_view name, std::string &value);
  /// Takes one more `--name VALUE`.
  bool takeListOption(std::string_view name, std::vector<std::string> &values);
  /// Takes `--name N` with low <= N <= high.
  bool takeInteger(std::string_view name, int64_t low, int64_t high, int64_t &value);
  /// Takes `--name X` with a finite X >= 0.
  bool takeNonNegative(std::string_view name, double &value);
  /// Takes a word that is no option; after a word "--" every word.
  bool takePositional(std::string &value);
  /// Fails because nothing took the current word.
  void failUnknown();

private:
  bool takeText(std::string_view name, std::string &value);

  std::vector<std::string> words;
  size_t at = 0;
  bool areOptionsOver = false;
  std::set<std::string, std::less<>> seen;
  std::string message;
};

} // namespace tilewright

#endif // TILEWRIGHT_RUNTIME_COMMANDLINE_H
