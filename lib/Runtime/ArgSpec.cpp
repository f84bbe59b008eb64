// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/ArgSpec.h"
#include "tilewright/Runtime/Npy.h"
#include "tilewright/Runtime/ScalarConvert.h"

#include <charconv>
#include <cmath>
#include <cstring>

using namespace tilewright;

static constexpr size_t kMaxRank = 8;

namespace {
/// Parses one spec; the first problem ends it.
class SpecParser {
public:
  explicit SpecParser(std::string_view text) : text(text) {}
  bool parse(ArgSpec &spec);
  std::string message;

private:
  bool fail(const std::string &what) {
    message = "bad argument spec '" + std::string(text) + "': " + what;
    return false;
  }
  bool parseShape(std::string_view dims, ArgSpec &spec);
  bool parseFill(std::string_view fill, ArgSpec &spec);
  bool parseScalar(std::string_view value, ArgSpec &spec);

  std::string_view text;
};
} // namespace

/// Parses a whole text as a decimal or, after 0x, hexadecimal integer.
template <typename T> static bool parseNumber(std::string_view text, T &value) {
  int base = 10;
  if (text.substr(0, 2) == "0x" && text.size() > 2 && text[2] != '-') {
    base = 16;
    text.remove_prefix(2);
  }
  auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value, base);
  return !text.empty() && status == std::errc() && stop == text.data() + text.size();
}

static bool parseFloat(std::string_view text, double &value) {
  auto [stop, status] = std::from_chars(text.data(), text.data() + text.size(), value);
  return !text.empty() && status == std::errc() && stop == text.data() + text.size();
}

bool SpecParser::parseShape(std::string_view dims, ArgSpec &spec) {
  while (true) {
    size_t end = dims.find('x');
    std::string_view dim = dims.substr(0, end);
    int64_t size = 0;
    if (dim.substr(0, 2) == "0x" || !parseNumber(dim, size) || size < 0)
      return fail("'" + std::string(dim) + "' is not a size");
    if (spec.shape.size() == kMaxRank)
      return fail("more than 8 dimensions");
    spec.shape.push_back(size);
    if (end == std::string_view::npos)
      return true;
    dims.remove_prefix(end + 1);
  }
}

bool SpecParser::parseFill(std::string_view fill, ArgSpec &spec) {
  static constexpr std::pair<std::string_view, ArgSpec::Fill> kPlain[] = {{"zeros", ArgSpec::Fill::Zeros},
                                                                          {"ones", ArgSpec::Fill::Ones},
                                                                          {"iota", ArgSpec::Fill::Iota},
                                                                          {"nan", ArgSpec::Fill::Nan}};
  for (auto [name, kind] : kPlain)
    if (fill == name) {
      spec.fill = kind;
      return true;
    }
  size_t open = fill.find('(');
  std::string_view name = fill.substr(0, open);
  bool isRand = name == "rand", isRandInt = name == "randint";
  if (open == std::string_view::npos || fill.back() != ')' || (!isRand && !isRandInt))
    return fail("'" + std::string(fill) +
                "' is no fill; expected zeros, ones, iota, nan, rand(SEED) or randint(SEED,LO,HI)");
  std::vector<std::string_view> parts;
  for (std::string_view rest = fill.substr(open + 1, fill.size() - open - 2);;) {
    size_t comma = rest.find(',');
    parts.push_back(rest.substr(0, comma));
    if (comma == std::string_view::npos)
      break;
    rest.remove_prefix(comma + 1);
  }
  for (std::string_view &part : parts)
    while (!part.empty() && part.front() == ' ')
      part.remove_prefix(1);
  if (parts.size() != (isRand ? 1u : 3u))
    return fail(std::string(name) + " takes " + (isRand ? "a seed" : "a seed, a low and a high bound"));
  spec.fill = isRand ? ArgSpec::Fill::Rand : ArgSpec::Fill::RandInt;
  if (!parseNumber(parts[0], spec.seed))
    return fail("'" + std::string(parts[0]) + "' is no seed");
  if (isRand)
    return isFloatType(*spec.type) || fail("rand makes floats; use randint(SEED,LO,HI) for integers");
  for (unsigned i : {1, 2})
    if (!parseNumber(parts[i], i == 1 ? spec.low : spec.high))
      return fail("'" + std::string(parts[i]) + "' is no bound");
  if (spec.low >= spec.high)
    return fail("randint needs a low bound below the high one");
  return true;
}

bool SpecParser::parseScalar(std::string_view value, ArgSpec &spec) {
  std::string type(scalarTypeName(*spec.type));
  if (isFloatType(*spec.type)) {
    double number = 0;
    if (!parseFloat(value, number))
      return fail("'" + std::string(value) + "' is no value of type " + type);
    spec.value = encodeFloat(*spec.type, number);
    return true;
  }
  if (value == "true" || value == "false") {
    if (*spec.type != ScalarType::I1)
      return fail("'" + std::string(value) + "' is no value of type " + type);
    spec.value = value == "true";
    return true;
  }
  int64_t number = 0;
  uint64_t large = 0;
  if (!parseNumber(value, number)) {
    // The upper half of the unsigned 64-bit range.
    if (scalarTypeBits(*spec.type) != 64 || !parseNumber(value, large))
      return fail("'" + std::string(value) + "' is no value of type " + type);
    number = static_cast<int64_t>(large);
  }
  std::string reason;
  return canonicalizeInteger(*spec.type, number, &spec.value, &reason) || fail(reason);
}

bool SpecParser::parse(ArgSpec &spec) {
  if (!text.empty() && text[0] == '@') {
    spec.kind = ArgSpec::Kind::File;
    spec.path = text.substr(1);
    return !spec.path.empty() || fail("the file's name is missing");
  }
  size_t colon = text.find(':');
  if (colon == std::string_view::npos)
    return fail("expected @FILE, TYPE:@FILE, TYPE[SHAPE]:FILL or TYPE:VALUE");
  std::string_view head = text.substr(0, colon), tail = text.substr(colon + 1);
  size_t bracket = head.find('[');
  std::string_view typeName = head.substr(0, bracket);
  spec.type = parseScalarType(typeName);
  if (!spec.type)
    return fail("unknown type '" + std::string(typeName) + "'");
  if (bracket != std::string_view::npos) {
    spec.kind = ArgSpec::Kind::Array;
    if (head.back() != ']')
      return fail("the shape's closing bracket is missing");
    return parseShape(head.substr(bracket + 1, head.size() - bracket - 2), spec) && parseFill(tail, spec);
  }
  if (!tail.empty() && tail[0] == '@') {
    spec.kind = ArgSpec::Kind::File;
    spec.path = tail.substr(1);
    return !spec.path.empty() || fail("the file's name is missing");
  }
  spec.kind = ArgSpec::Kind::Scalar;
  return parseScalar(tail, spec);
}

std::optional<ArgSpec> tilewright::parseArgSpec(std::string_view text, std::string *error) {
  SpecParser parser(text);
  ArgSpec spec;
  if (parser.parse(spec))
    return spec;
  if (error)
    *error = std::move(parser.message);
  return std::nullopt;
}

std::optional<std::pair<std::string, std::string>>
tilewright::splitNamedSpec(std::string_view text, std::string_view option, std::string *error) {
  size_t equals = text.find('=');
  if (equals != std::string_view::npos && equals > 0 && equals + 1 < text.size())
    return std::pair(std::string(text.substr(0, equals)), std::string(text.substr(equals + 1)));
  if (error)
    *error = std::string(option) + " expects NAME=SPEC, got '" + std::string(text) + "'";
  return std::nullopt;
}

/// The finaliser of SplitMix64 (Steele, Lea, Flood: Fast Splittable Pseudorandom Number Generators, 2014).
static uint64_t mix(uint64_t x) {
  x = (x ^ (x >> 30)) * 0xbf58476d1ce4e5b9u;
  x = (x ^ (x >> 27)) * 0x94d049bb133111ebu;
  return x ^ (x >> 31);
}

/// The sum of four uniform numbers of 16 bits has mean 2 * 65535 and variance 4 * (65536^2 - 1) / 12.
static double normalFrom(uint64_t bits) {
  double sum = 0;
  for (unsigned i = 0; i < 4; ++i)
    sum += static_cast<double>((bits >> (16 * i)) & 65535);
  return (sum - 2 * 65535.0) / std::sqrt((65536.0 * 65536.0 - 1) / 3);
}

bool tilewright::fillArray(HostArray &array, const ArgSpec &spec, std::string *error) {
  ScalarType type = array.type;
  if (spec.fill == ArgSpec::Fill::RandInt && isIntegerType(type)) {
    uint64_t ignored = 0;
    for (int64_t bound : {spec.low, spec.high - 1}) {
      std::string reason;
      if (canonicalizeInteger(type, bound, &ignored, &reason))
        continue;
      if (error)
        *error = "randint: " + reason;
      return false;
    }
  }
  uint64_t number = 0;
  uint64_t range = static_cast<uint64_t>(spec.high) - static_cast<uint64_t>(spec.low);
  forEachElement(array, [&](uint8_t *element) {
    uint64_t bits = mix(spec.seed + (number + 1) * 0x9e3779b97f4a7c15u);
    switch (spec.fill) {
    case ArgSpec::Fill::Zeros:
      storeFromInteger(type, element, 0);
      break;
    case ArgSpec::Fill::Ones:
      storeFromInteger(type, element, 1);
      break;
    case ArgSpec::Fill::Iota:
      storeFromInteger(type, element, static_cast<int64_t>(number));
      break;
    case ArgSpec::Fill::Nan:
      if (hasNan(type))
        storeFromDouble(type, element, NAN);
      else
        std::memset(element, 0x55, array.elementBytes());
      break;
    case ArgSpec::Fill::Rand:
      storeFromDouble(type, element, normalFrom(bits));
      break;
    case ArgSpec::Fill::RandInt: {
      uint64_t offset = static_cast<uint64_t>((static_cast<unsigned __int128>(bits) * range) >> 64);
      storeFromInteger(type, element, static_cast<int64_t>(static_cast<uint64_t>(spec.low) + offset));
      break;
    }
    }
    ++number;
  });
  return true;
}

std::optional<HostArg> tilewright::makeHostArg(const ArgSpec &spec, std::string *error) {
  HostArg arg;
  if (spec.kind == ArgSpec::Kind::Scalar) {
    arg.isScalar = true;
    arg.type = *spec.type;
    arg.value = spec.value;
    return arg;
  }
  std::optional<HostArray> array;
  if (spec.kind == ArgSpec::Kind::File) {
    array = readNpyFile(spec.path, error);
    std::string reason;
    if (array && spec.type && !(array = viewBits(std::move(*array), *spec.type, &reason)) && error)
      *error = spec.path + ": " + reason;
  } else {
    array = HostArray::create(*spec.type, spec.shape, error);
    if (array && !fillArray(*array, spec, error))
      array.reset();
  }
  if (!array)
    return std::nullopt;
  arg.type = array->type;
  arg.array = std::move(*array);
  return arg;
}
