// SPDX-License-Identifier: Apache-2.0
// Looks for parser traps in the tokens of a text. It splits text as MLIR's lexer does, so comments, strings and names hide
// nothing and are mistaken for nothing.
#include "tilewright/Parser/ParseProgram.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringSet.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

static constexpr uint64_t kMaxVectorElements = uint64_t(1) << 20;

namespace {
/// Gives one token after the other; an empty one at the end.
class Scanner {
public:
  explicit Scanner(StringRef text) : text(text) {}

  StringRef next() {
    skipBlanks();
    if (place == text.size())
      return {};
    size_t begin = place;
    char first = text[place++];
    if (first == '"') {
      while (place < text.size() && text[place] != '"' && text[place] != '\n')
        place += text[place] == '\\' ? 2 : 1;
      place = std::min(place + 1, text.size());
    } else if (isDigit(first)) {
      place = text.find_if_not(isDigit, place);
    } else if (isAlpha(first) || first == '_') {
      skipWord("_$.");
    } else if (StringRef("!#%^@").contains(first)) {
      skipWord("_$.-");
    }
    place = std::min(place, text.size());
    return text.slice(begin, place);
  }

  size_t getPlace() const { return place; }
  /// The next token begins here.
  void moveTo(size_t offset) { place = offset; }
  size_t offsetOf(StringRef token) const { return size_t(token.data() - text.data()); }

private:
  void skipWord(StringRef others) {
    place = text.find_if_not([&](char c) { return isAlnum(c) || others.contains(c); }, place);
  }
  void skipBlanks() {
    while (place < text.size()) {
      if (isSpace(text[place]) || text[place] == '\0')
        ++place;
      else if (text.substr(place).starts_with("//"))
        place = std::min(text.find('\n', place), text.size());
      else
        break;
    }
  }

  StringRef text;
  size_t place = 0;
};
} // namespace

/// The text of a token that is a string, without its quotes and escapes; that of any other one as it is.
static std::string valueOf(StringRef token) {
  if (!token.consume_front("\""))
    return token.str();
  token.consume_back("\"");
  std::string value;
  for (size_t i = 0; i < token.size(); ++i) {
    char c = token[i];
    if (c == '\\' && i + 2 < token.size() && isHexDigit(token[i + 1]) && isHexDigit(token[i + 2])) {
      c = char(hexDigitValue(token[i + 1]) << 4 | hexDigitValue(token[i + 2]));
      i += 2;
    }
    value += c;
  }
  return value;
}

/// Reads the extents of a vector behind its '<' and returns the number of elements, 2^64 - 1 for more. Then the scanner
/// stands before the element type.
static uint64_t countElements(Scanner &scanner) {
  uint64_t count = 1;
  while (true) {
    size_t before = scanner.getPlace();
    StringRef token = scanner.next();
    if (token == "[" || token == "]")
      continue;
    if (!token.empty() && isDigit(token.front())) {
      uint64_t extent = 0;
      if (token.getAsInteger(10, extent))
        extent = ~uint64_t(0);
      count = SaturatingMultiply(count, extent);
    } else if (token.starts_with("x")) {
      scanner.moveTo(scanner.offsetOf(token) + 1); // "x8xf32" is one token so far.
    } else {
      scanner.moveTo(before);
      return count;
    }
  }
}

std::optional<ParserTrap> tilewright::findParserTrap(StringRef text) {
  Scanner scanner(text);
  StringSet<> indexAliases;
  auto isIndex = [&](StringRef token) { return token == "index" || indexAliases.contains(token); };
  std::string expandingOp;
  std::optional<ParserTrap> array, vector;
  uint64_t numElements = 0;
  /// Looks at the next token without taking it.
  auto peek = [&] {
    size_t before = scanner.getPlace();
    StringRef token = scanner.next();
    scanner.moveTo(before);
    return token;
  };
  for (StringRef token = scanner.next(); !token.empty() && !array; token = scanner.next()) {
    if (token.starts_with("!") && peek() == "=") {
      scanner.next();
      if (isIndex(peek()))
        indexAliases.insert(token);
    } else if (token == "array" && peek() == "<") {
      scanner.next();
      if (StringRef element = peek(); isIndex(element))
        array = {scanner.offsetOf(element), "expected a dense array of integers or floating-point numbers, found 'index'"};
    } else if (token == "vector" && peek() == "<") {
      scanner.next();
      uint64_t count = countElements(scanner);
      if (count > kMaxVectorElements && !vector) {
        vector = {scanner.offsetOf(token), {}};
        numElements = count;
      }
    } else if (expandingOp.empty() && (token.front() == '"' || token.front() == 'v')) {
      std::string value = valueOf(token);
      if (value == "vector.from_elements" || value == "vector.to_elements")
        expandingOp = std::move(value);
    }
  }
  if (vector && !expandingOp.empty() && (!array || vector->offset < array->offset)) {
    vector->message = "expected a vector of at most " + std::to_string(kMaxVectorElements) + " elements in a program with '" +
                      expandingOp + "', found " +
                      (numElements == ~uint64_t(0) ? "2^64 or more" : std::to_string(numElements));
    return vector;
  }
  return array;
}
