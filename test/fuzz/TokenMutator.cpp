// SPDX-License-Identifier: Apache-2.0
#include "TokenMutator.h"

#include <algorithm>
#include <cctype>
#include <vector>

using namespace tilewright;

namespace {
enum class TokenKind { Space, Value, Symbol, Number, Word, Other };

struct Token {
  TokenKind kind;
  std::string text;
};
} // namespace

static const char *const kNumbers[] = {"0",  "1",  "-1", "2",   "3",   "5",    "7",    "8",          "16",
                                       "31", "32", "33", "64",  "100", "128",  "256",  "1024",       "4096",
                                       "?",  "-8", "17", "0.0", "1.5", "-0.0", "0x7F800000", "65536", "2147483648",
                                       "9223372036854775807", "-9223372036854775808"};
static const char *const kTypes[] = {"i1",  "i8",  "i16",  "i32", "i64",      "index",  "f16",       "bf16",
                                     "f32", "f64", "tf32", "i4",  "f8E4M3FN", "f8E5M2", "f8E8M0FNU", "f4E2M1FN"};
static const char *const kOps[] = {
    "arith.addf",     "arith.subf",    "arith.mulf",      "arith.divf",      "arith.remf",     "arith.maximumf",
    "arith.maxnumf",  "arith.addi",    "arith.subi",      "arith.muli",      "arith.divsi",    "arith.remui",
    "arith.shli",     "arith.shrsi",   "arith.xori",      "arith.ceildivsi", "arith.minsi",    "arith.negf",
    "arith.extf",     "arith.truncf",  "arith.sitofp",    "arith.fptosi",    "arith.extsi",    "arith.trunci",
    "arith.bitcast",  "arith.select",  "arith.index_cast", "math.exp",       "math.exp2",      "math.tanh",
    "math.fma",       "math.absi",     "math.powf",       "math.sqrt",       "math.erf",       "math.ctpop",
    "tile.load",      "tile.store",    "tile.splat",      "tile.iota",       "tile.reshape",   "tile.broadcast",
    "tile.permute",   "tile.concat",   "tile.extract",    "tile.insert",     "tile.reduce",    "tile.scan",
    "tile.gather",    "tile.scatter",  "tile.dot",        "tile.ptr_add",    "tile.load_ptr",  "tile.store_ptr",
    "tile.make_view", "tile.assume",   "tile.to_scalar",  "tile.view_size",  "tile.view_base", "tile.permute_view",
    "tile.ptr_cast",  "scf.for",       "scf.if",          "scf.while",       "scf.yield",      "tile.yield",
    "func.return",    "tile.atomic_rmw", "tile.atomic_cas", "tile.reduce_into", "cf.br",        "ub.poison"};

static bool isWordByte(char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_' || c == '.'; }

/// Splits text into tokens; joined again they are the text. Of "128x64xf32" each extent is a token.
static std::vector<Token> split(const std::string &text) {
  std::vector<Token> tokens;
  for (size_t i = 0; i < text.size();) {
    size_t end = i + 1;
    char c = text[i];
    TokenKind kind = TokenKind::Other;
    if (std::isspace(static_cast<unsigned char>(c))) {
      kind = TokenKind::Space;
    } else if (c == '%' || c == '@' || c == '!' || c == '#' || c == '^') {
      kind = c == '%' ? TokenKind::Value : TokenKind::Symbol;
      while (end < text.size() && isWordByte(text[end]))
        ++end;
    } else if (std::isdigit(static_cast<unsigned char>(c))) {
      kind = TokenKind::Number;
      while (end < text.size() && (std::isdigit(static_cast<unsigned char>(text[end])) || text[end] == '.'))
        ++end;
    } else if (c == 'x' && end < text.size() && !tokens.empty() &&
               (tokens.back().kind == TokenKind::Number || tokens.back().text == "?")) {
      // The x between extents.
    } else if (isWordByte(c)) {
      kind = TokenKind::Word;
      while (end < text.size() && isWordByte(text[end]))
        ++end;
    }
    tokens.push_back({kind, text.substr(i, end - i)});
    i = end;
  }
  return tokens;
}

static std::string join(const std::vector<std::string> &lines) {
  std::string text;
  for (const std::string &line : lines)
    text += line + "\n";
  return text;
}

static std::vector<std::string> splitLines(const std::string &text) {
  std::vector<std::string> lines;
  for (size_t i = 0; i < text.size();) {
    size_t end = std::min(text.find('\n', i), text.size());
    lines.push_back(text.substr(i, end - i));
    i = end + 1;
  }
  return lines;
}

template <typename T, size_t N> static const char *pick(T (&table)[N], std::minstd_rand &random) {
  return table[random() % N];
}

static bool isType(const std::string &word) {
  return std::find(std::begin(kTypes), std::end(kTypes), word) != std::end(kTypes);
}

static std::string changeToken(const std::string &text, std::minstd_rand &random) {
  std::vector<Token> tokens = split(text);
  std::vector<size_t> places;
  auto wanted = TokenKind(1 + random() % 4);
  for (size_t i = 0; i < tokens.size(); ++i)
    if (tokens[i].kind == wanted)
      places.push_back(i);
  if (places.empty())
    return text;
  Token &token = tokens[places[random() % places.size()]];
  if (wanted == TokenKind::Number && random() % 2)
    token.text = pick(kNumbers, random);
  else if (wanted == TokenKind::Word && isType(token.text) && random() % 4)
    token.text = pick(kTypes, random);
  else if (wanted == TokenKind::Word && token.text.find('.') != std::string::npos && random() % 2)
    token.text = pick(kOps, random);
  else
    token.text = tokens[places[random() % places.size()]].text;
  std::string result;
  for (const Token &each : tokens)
    result += each.text;
  return result;
}

/// Replaces one type everywhere, so that operands still agree.
static std::string changeType(const std::string &text, std::minstd_rand &random) {
  const char *from = pick(kTypes, random), *to = pick(kTypes, random);
  std::string result;
  for (const Token &token : split(text))
    result += token.text == from ? to : token.text.c_str();
  return result;
}

/// Replaces one number everywhere, so that shapes still agree.
static std::string changeNumber(const std::string &text, std::minstd_rand &random) {
  std::vector<Token> tokens = split(text);
  std::vector<std::string> numbers;
  for (const Token &token : tokens)
    if (token.kind == TokenKind::Number)
      numbers.push_back(token.text);
  if (numbers.empty())
    return text;
  std::string from = numbers[random() % numbers.size()], to = pick(kNumbers, random), result;
  for (const Token &token : tokens)
    result += token.kind == TokenKind::Number && token.text == from ? to : token.text;
  return result;
}

static std::string changeLines(const std::string &text, std::minstd_rand &random) {
  std::vector<std::string> lines = splitLines(text);
  if (lines.empty())
    return text;
  size_t a = random() % lines.size(), b = random() % lines.size();
  switch (random() % 3) {
  case 0:
    lines.erase(lines.begin() + ptrdiff_t(a));
    break;
  case 1:
    lines.insert(lines.begin() + ptrdiff_t(a), std::string(lines[b]));
    break;
  default:
    std::swap(lines[a], lines[b]);
  }
  return join(lines);
}

std::string tilewright::mutateTokens(const std::string &text, std::minstd_rand &random) {
  std::string result = text;
  for (unsigned i = 0, count = 1 + random() % 3; i < count; ++i) {
    switch (random() % 8) {
    case 0:
      result = changeLines(result, random);
      break;
    case 1:
      result = changeType(result, random);
      break;
    case 2:
      result = changeNumber(result, random);
      break;
    default:
      result = changeToken(result, random);
    }
  }
  return result;
}

std::string tilewright::crossLines(const std::string &first, const std::string &second, std::minstd_rand &random) {
  std::vector<std::string> into = splitLines(first), from = splitLines(second);
  if (into.empty() || from.empty())
    return first;
  size_t begin = random() % from.size(), count = 1 + random() % std::min<size_t>(8, from.size() - begin);
  into.insert(into.begin() + ptrdiff_t(random() % into.size()), from.begin() + ptrdiff_t(begin),
              from.begin() + ptrdiff_t(begin + count));
  return join(into);
}
