// SPDX-License-Identifier: Apache-2.0
// Looks for parser traps in the tokens of a text. It splits text as MLIR's lexer does, so comments, strings and names hide
// nothing and are mistaken for nothing.
#include "tilewright/Parser/ParseProgram.h"

#include "llvm/ADT/StringExtras.h"
#include "llvm/ADT/StringMap.h"
#include "llvm/Support/MathExtras.h"

using namespace llvm;
using namespace tilewright;

static constexpr uint64_t kMaxVectorElements = uint64_t(1) << 20, kMaxAliasTokens = uint64_t(1) << 20;
static constexpr unsigned kMaxNesting = 256, kMaxAffineOperators = 1024;

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
    } else if (text.substr(begin).starts_with("->") || text.substr(begin).starts_with(">=")) {
      ++place; // No bracket.
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

namespace {
/// What an alias stands for, written out.
struct Alias {
  bool isIndex = false;
  uint64_t numTokens = 0;
  unsigned nesting = 0;
};

class TrapFinder {
public:
  explicit TrapFinder(StringRef text) : scanner(text) {}

  std::optional<ParserTrap> find() {
    for (StringRef token = scanner.next(); !token.empty() && !found; token = scanner.next()) {
      visit(token);
      previous = token;
    }
    if (vector && !expandingOp.empty() && (!found || vector->offset < found->offset)) {
      vector->message += " in a program with '" + expandingOp + "', found " + numElements;
      return vector;
    }
    return found;
  }

private:
  void visit(StringRef token) {
    if (isDefining && endsDefinition(token))
      endDefinition();
    if (token.front() == '!' || token.front() == '#')
      visitName(token);
    else if (token == "=" && isAliasName(previous) && !isDefining)
      beginDefinition();
    else if (token.size() == 1 && StringRef("<([{").contains(token))
      open(token);
    else if (token.size() == 1 && StringRef(">)]}").contains(token))
      close();
    else if (isInAffine() && isAffineOperator(token))
      countOperator(token);
    else if (token == "affine_map" || token == "affine_set")
      affineNesting = nesting + 1, numOperators = 0;
    else if (expandingOp.empty() && (token.front() == '"' || token.front() == 'v'))
      visitOpName(valueOf(token));
    if (isDefining && token.data() != nameOfDefinition.data() && token != "=")
      ++defined.numTokens;
  }

  static bool isAliasName(StringRef token) { return token.starts_with("!") || token.starts_with("#"); }
  void trap(StringRef token, std::string message) { found = {scanner.offsetOf(token), std::move(message)}; }

  //===--- Nesting ---===//

  void nest(StringRef token, unsigned more) {
    unsigned all = nesting + more;
    if (all > kMaxNesting)
      trap(token, "expected at most " + std::to_string(kMaxNesting) + " brackets in one another, found " +
                      std::to_string(all) + " with what aliases stand for");
    if (isDefining)
      defined.nesting = std::max(defined.nesting, all - nestingOfDefinition);
  }
  void open(StringRef token) {
    nest(token, 1);
    ++nesting;
    if (token != "<")
      return;
    if (previous == "vector")
      visitVector();
    else if (previous == "array")
      visitArray();
  }
  void close() {
    if (nesting > 0)
      --nesting;
    if (nesting < affineNesting)
      affineNesting = 0;
  }

  //===--- Affine maps: one level of recursion per operator ---===//

  bool isInAffine() const { return affineNesting > 0 && nesting >= affineNesting; }
  static bool isAffineOperator(StringRef token) {
    return token == "+" || token == "-" || token == "*" || token == "mod" || token == "floordiv" || token == "ceildiv";
  }
  void countOperator(StringRef token) {
    if (++numOperators > kMaxAffineOperators)
      trap(token, "expected at most " + std::to_string(kMaxAffineOperators) + " operators in an affine map, found more");
  }

  //===--- Aliases: each may stand for several of those before it ---===//

  void visitName(StringRef token) {
    auto known = aliases.find(token);
    if (known == aliases.end())
      return;
    nest(token, known->second.nesting);
    if (!isDefining)
      return;
    defined.isIndex |= defined.numTokens == 0 && known->second.isIndex;
    defined.numTokens = SaturatingAdd(defined.numTokens, known->second.numTokens);
    if (defined.numTokens > kMaxAliasTokens)
      trap(token, "expected an alias that stands for at most " + std::to_string(kMaxAliasTokens) + " words, found more");
  }
  void beginDefinition() {
    isDefining = true;
    nameOfDefinition = previous;
    nestingOfDefinition = nesting;
    defined = {};
  }
  /// Whether the definition is complete without this token, which follows it.
  bool endsDefinition(StringRef token) {
    if (defined.numTokens == 0)
      defined.isIndex = token == "index";
    bool goesOn = nesting > nestingOfDefinition || defined.numTokens == 0 || previous == ":" || previous == "->" ||
                  previous == "-";
    return !goesOn && token != ":" && token != "->" && (token.size() > 1 || !StringRef("<([{").contains(token));
  }
  void endDefinition() {
    aliases[nameOfDefinition] = defined;
    isDefining = false;
  }

  //===--- Types ---===//

  void visitArray() {
    size_t before = scanner.getPlace();
    StringRef element = scanner.next();
    scanner.moveTo(before);
    auto alias = aliases.find(element);
    if (element == "index" || (alias != aliases.end() && alias->second.isIndex))
      trap(element, "expected a dense array of integers or floating-point numbers, found 'index'");
  }
  void visitVector() {
    size_t before = scanner.getPlace();
    uint64_t count = countElements(scanner);
    scanner.moveTo(before);
    if (count <= kMaxVectorElements || vector)
      return;
    vector = {scanner.offsetOf(previous),
              "expected a vector of at most " + std::to_string(kMaxVectorElements) + " elements"};
    numElements = count == ~uint64_t(0) ? "2^64 or more" : std::to_string(count);
  }
  void visitOpName(std::string name) {
    if (name == "vector.from_elements" || name == "vector.to_elements")
      expandingOp = std::move(name);
  }

  Scanner scanner;
  StringRef previous;
  std::optional<ParserTrap> found;
  unsigned nesting = 0;
  /// Nesting inside the brackets of the current affine map, or 0.
  unsigned affineNesting = 0, numOperators = 0;

  StringMap<Alias> aliases;
  bool isDefining = false;
  StringRef nameOfDefinition;
  unsigned nestingOfDefinition = 0;
  Alias defined;

  /// The first large vector, which is a trap only beside one of these ops.
  std::optional<ParserTrap> vector;
  std::string numElements, expandingOp;
};
} // namespace

std::optional<ParserTrap> tilewright::findParserTrap(StringRef text) { return TrapFinder(text).find(); }
