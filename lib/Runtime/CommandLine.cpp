// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/CommandLine.h"

#include <charconv>
#include <cmath>

using namespace tilewright;

CommandLine::CommandLine(int argc, const char *const *argv) {
  for (int i = 1; i < argc; ++i)
    words.emplace_back(argv[i]);
}

void CommandLine::fail(const std::string &what) {
  if (message.empty())
    message = what;
}

bool CommandLine::takeFlag(std::string_view name) {
  if (isDone() || areOptionsOver || words[at] != "--" + std::string(name))
    return false;
  ++at;
  return true;
}

bool CommandLine::takeText(std::string_view name, std::string &value) {
  if (isDone() || areOptionsOver)
    return false;
  std::string option = "--" + std::string(name);
  const std::string &word = words[at];
  if (word.compare(0, option.size(), option) != 0 || (word.size() > option.size() && word[option.size()] != '='))
    return false;
  if (word.size() > option.size()) {
    value = word.substr(option.size() + 1);
  } else if (++at < words.size()) {
    value = words[at];
  } else {
    fail(option + " expects a value");
    return true;
  }
  ++at;
  return true;
}

bool CommandLine::takeOption(std::string_view name, std::string &value) {
  if (!takeText(name, value))
    return false;
  if (!seen.insert(std::string(name)).second)
    fail("--" + std::string(name) + " is given twice");
  return true;
}

bool CommandLine::takeListOption(std::string_view name, std::vector<std::string> &values) {
  std::string value;
  if (!takeText(name, value))
    return false;
  values.push_back(std::move(value));
  return true;
}

bool CommandLine::takeInteger(std::string_view name, int64_t low, int64_t high, int64_t &value) {
  std::string text;
  if (!takeOption(name, text))
    return false;
  auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || stop != text.data() + text.size() || value < low || value > high)
    fail("--" + std::string(name) + " expects an integer from " + std::to_string(low) + " to " + std::to_string(high) +
         ", got '" + text + "'");
  return true;
}

bool CommandLine::takeNonNegative(std::string_view name, double &value) {
  std::string text;
  if (!takeOption(name, text))
    return false;
  auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  if (status != std::errc() || stop != text.data() + text.size() || !std::isfinite(value) || value < 0)
    fail("--" + std::string(name) + " expects a finite number of at least 0, got '" + text + "'");
  return true;
}

bool CommandLine::takePositional(std::string &value) {
  if (isDone())
    return false;
  if (!areOptionsOver && words[at] == "--") {
    areOptionsOver = true;
    if (++at == words.size())
      return false;
  }
  if (!areOptionsOver && words[at].size() > 1 && words[at][0] == '-')
    return false;
  value = words[at++];
  return true;
}

void CommandLine::failUnknown() {
  if (!isDone())
    fail((words[at].size() > 1 && words[at][0] == '-' ? "unknown option '" : "unexpected argument '") + words[at] +
         "'; see --help");
}
