// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/Npy.h"

#include <cerrno>
#include <cstdio>
#include <cstring>

using namespace tilewright;

static constexpr std::string_view kMagic("\x93NUMPY", 6);
static constexpr size_t kMaxRank = 32;

static std::nullopt_t fail(std::string *error, std::string message) {
  if (error)
    *error = std::move(message);
  return std::nullopt;
}

//===----------------------------------------------------------------------===//
// The dict literal
//===----------------------------------------------------------------------===//

namespace {
/// Reads `{'descr': '<f4', 'fortran_order': False, 'shape': (3, 4), }` with the keys in any order.
class HeaderParser {
public:
  explicit HeaderParser(std::string_view text) : text(text) {}

  /// Fills `descr`, `header.isFortranOrder` and `header.shape`; false with `message` on failure.
  bool parse(NpyHeader &header);

  std::string descr, message;

private:
  bool fail(const std::string &what) {
    message = what + " at byte " + std::to_string(at) + " of the header";
    return false;
  }
  char peek() {
    while (at < text.size() && (text[at] == ' ' || text[at] == '\n' || text[at] == '\t' || text[at] == '\r'))
      ++at;
    return at < text.size() ? text[at] : '\0';
  }
  bool take(char c) {
    if (peek() != c)
      return false;
    ++at;
    return true;
  }
  bool parseString(std::string &value);
  bool parseBool(bool &value);
  bool parseShape(std::vector<int64_t> &shape);

  std::string_view text;
  size_t at = 0;
};
} // namespace

bool HeaderParser::parseString(std::string &value) {
  char quote = peek();
  if (quote != '\'' && quote != '"')
    return fail("expected a quoted string");
  size_t end = text.find(quote, at + 1);
  if (end == std::string_view::npos)
    return fail("a string does not end");
  value = text.substr(at + 1, end - at - 1);
  if (value.find('\\') != std::string::npos)
    return fail("a string has an escape");
  at = end + 1;
  return true;
}

bool HeaderParser::parseBool(bool &value) {
  peek();
  for (bool candidate : {false, true}) {
    std::string_view word = candidate ? "True" : "False";
    if (text.substr(at, word.size()) == word) {
      at += word.size();
      value = candidate;
      return true;
    }
  }
  return fail("expected True or False");
}

bool HeaderParser::parseShape(std::vector<int64_t> &shape) {
  if (!take('('))
    return fail("expected a shape in parentheses");
  while (!take(')')) {
    if (peek() < '0' || peek() > '9')
      return fail("expected a size of at least 0");
    int64_t size = 0;
    for (; at < text.size() && text[at] >= '0' && text[at] <= '9'; ++at)
      if (__builtin_mul_overflow(size, int64_t(10), &size) || __builtin_add_overflow(size, text[at] - '0', &size))
        return fail("a size overflows 63 bits");
    if (at < text.size() && text[at] == 'L') // Python 2 wrote long integers so
      ++at;
    if (shape.size() == kMaxRank)
      return fail("more than " + std::to_string(kMaxRank) + " dimensions");
    shape.push_back(size);
    // "(3)" is no tuple, but files of old NumPy versions hold it.
    if (!take(',') && peek() != ')')
      return fail("expected a comma or a closing parenthesis");
  }
  return true;
}

bool HeaderParser::parse(NpyHeader &header) {
  bool hasDescr = false, hasOrder = false, hasShape = false;
  if (!take('{'))
    return fail("expected a dict");
  while (!take('}')) {
    std::string key;
    if (!parseString(key))
      return false;
    bool *seen = key == "descr" ? &hasDescr : key == "fortran_order" ? &hasOrder : key == "shape" ? &hasShape : nullptr;
    if (!seen || *seen)
      return fail((seen ? "the key '" : "unknown key '") + key.substr(0, 40) + (seen ? "' is there twice" : "'"));
    *seen = true;
    if (!take(':'))
      return fail("expected a colon");
    if (seen == &hasDescr && peek() == '[')
      return fail("a structured type is not supported");
    bool isOk = seen == &hasDescr   ? parseString(descr)
                : seen == &hasOrder ? parseBool(header.isFortranOrder)
                                    : parseShape(header.shape);
    if (!isOk)
      return false;
    if (!take(',') && peek() != '}')
      return fail("expected a comma or a closing brace");
  }
  if (peek() != '\0' || at != text.size())
    return fail("unexpected text");
  for (auto [isThere, key] : {std::pair(hasDescr, "descr"), {hasOrder, "fortran_order"}, {hasShape, "shape"}})
    if (!isThere) {
      message = std::string("the header has no '") + key + "'";
      return false;
    }
  return true;
}

//===----------------------------------------------------------------------===//
// Types
//===----------------------------------------------------------------------===//

/// Understands a type such as "<f4".
static bool parseDescr(const std::string &descr, NpyHeader &header, std::string *message) {
  auto refuse = [&](const std::string &why) {
    *message = "the element type '" + descr.substr(0, 40) + "' is not supported" + why;
    return false;
  };
  if (descr.size() < 3)
    return refuse("");
  char order = descr[0];
  std::string_view type = std::string_view(descr).substr(1);
  if (order != '<' && order != '|' && order != '=' && order != '>')
    return refuse("");
  if (order == '>' && type != "i1" && type != "u1" && type != "b1")
    return refuse(": it is big-endian");
  static constexpr std::pair<std::string_view, ScalarType> kTypes[] = {
      {"b1", ScalarType::I1},  {"i1", ScalarType::I8},  {"u1", ScalarType::I8},  {"i2", ScalarType::I16},
      {"u2", ScalarType::I16}, {"i4", ScalarType::I32}, {"u4", ScalarType::I32}, {"i8", ScalarType::I64},
      {"u8", ScalarType::I64}, {"f2", ScalarType::F16}, {"f4", ScalarType::F32}, {"f8", ScalarType::F64}};
  for (auto [name, scalar] : kTypes)
    if (type == name) {
      header.type = scalar;
      header.isUnsigned = type[0] == 'u';
      return true;
    }
  return refuse("");
}

static std::string printDescr(const HostArray &array) {
  switch (array.type) {
  case ScalarType::I1:
    return "|b1";
  case ScalarType::F16:
    return "<f2";
  case ScalarType::F32:
  case ScalarType::TF32:
    return "<f4";
  case ScalarType::F64:
    return "<f8";
  default:
    break;
  }
  bool isUnsigned = array.isUnsigned || isFloatType(array.type);
  return std::string(array.elementBytes() == 1 ? "|" : "<") + (isUnsigned ? "u" : "i") +
         std::to_string(array.elementBytes());
}

//===----------------------------------------------------------------------===//
// Files
//===----------------------------------------------------------------------===//

std::optional<NpyHeader> tilewright::parseNpyHeader(std::string_view bytes, std::string *error) {
  auto byteAt = [&](size_t i) { return static_cast<uint64_t>(static_cast<uint8_t>(bytes[i])); };
  if (bytes.substr(0, kMagic.size()) != kMagic)
    return fail(error, "not a .npy file: it does not begin with \\x93NUMPY");
  if (bytes.size() < 8)
    return fail(error, "truncated .npy file: its version is missing");
  uint64_t major = byteAt(6), minor = byteAt(7);
  if (major < 1 || major > 3 || minor != 0)
    return fail(error, ".npy version " + std::to_string(major) + "." + std::to_string(minor) + " is not supported");
  size_t prefix = major == 1 ? 10 : 12;
  if (bytes.size() < prefix)
    return fail(error, "truncated .npy file: the size of its header is missing");
  uint64_t size = byteAt(8) | byteAt(9) << 8;
  if (major > 1)
    size |= byteAt(10) << 16 | byteAt(11) << 24;
  if (size > kMaxNpyHeaderBytes)
    return fail(error, "a .npy header of " + std::to_string(size) + " bytes is over the limit of " +
                           std::to_string(kMaxNpyHeaderBytes));
  if (bytes.size() - prefix < size)
    return fail(error, "truncated .npy file: its header ends after " + std::to_string(bytes.size() - prefix) + " of " +
                           std::to_string(size) + " bytes");
  NpyHeader header;
  HeaderParser parser(bytes.substr(prefix, size));
  std::string message;
  if (!parser.parse(header))
    return fail(error, "bad .npy header: " + parser.message);
  if (!parseDescr(parser.descr, header, &message))
    return fail(error, "bad .npy header: " + message);
  std::optional<int64_t> count = countElements(header.shape);
  int64_t dataBytes = 0;
  if (!count || __builtin_mul_overflow(*count, int64_t(scalarTypeBytes(header.type)), &dataBytes))
    return fail(error, "bad .npy header: the shape " + printShape(header.shape) + " overflows 63 bits");
  header.dataOffset = prefix + size;
  header.dataBytes = static_cast<uint64_t>(dataBytes);
  return header;
}

static std::string describeWrongSize(uint64_t present, uint64_t expected) {
  if (present < expected)
    return "truncated .npy file: " + std::to_string(present) + " of " + std::to_string(expected) +
           " bytes of elements are there";
  return "bad .npy file: " + std::to_string(present - expected) + " bytes follow the elements";
}

/// An array of the header's type and shape whose elements are still zero.
static std::optional<HostArray> makeArray(const NpyHeader &header, std::string *error) {
  std::optional<HostArray> array = HostArray::create(header.type, header.shape, error);
  if (!array)
    return std::nullopt;
  array->isUnsigned = header.isUnsigned;
  if (header.isFortranOrder) {
    int64_t stride = 1;
    for (size_t d = 0; d < array->rank(); ++d) {
      array->strides[d] = stride;
      stride *= std::max<int64_t>(array->shape[d], 1);
    }
  }
  return array;
}

std::optional<HostArray> tilewright::parseNpy(std::string_view bytes, std::string *error) {
  std::optional<NpyHeader> header = parseNpyHeader(bytes, error);
  if (!header)
    return std::nullopt;
  if (bytes.size() - header->dataOffset != header->dataBytes)
    return fail(error, describeWrongSize(bytes.size() - header->dataOffset, header->dataBytes));
  std::optional<HostArray> array = makeArray(*header, error);
  if (array)
    std::memcpy(array->data, bytes.data() + header->dataOffset, header->dataBytes);
  return array;
}

std::optional<HostArray> tilewright::readNpyFile(const std::string &path, std::string *error) {
  auto failAt = [&](const std::string &message) { return fail(error, path + ": " + message); };
  std::unique_ptr<std::FILE, int (*)(std::FILE *)> file(std::fopen(path.c_str(), "rb"), std::fclose);
  if (!file)
    return failAt(std::strerror(errno));
  // Elements go straight into the array: a file may be most of the memory.
  std::string start(kMaxNpyHeaderBytes + 12, '\0');
  start.resize(std::fread(start.data(), 1, start.size(), file.get()));
  if (std::ferror(file.get()))
    return failAt(std::strerror(errno));
  std::string message;
  std::optional<NpyHeader> header = parseNpyHeader(start, &message);
  if (!header)
    return failAt(message);
  uint64_t inStart = start.size() - header->dataOffset;
  if (inStart > header->dataBytes)
    return failAt(describeWrongSize(inStart, header->dataBytes));
  // A hostile header must not make us allocate what the file cannot hold.
  if (std::fseek(file.get(), 0, SEEK_END) == 0) {
    uint64_t size = static_cast<uint64_t>(std::ftell(file.get()));
    if (size - header->dataOffset != header->dataBytes)
      return failAt(describeWrongSize(size - header->dataOffset, header->dataBytes));
    std::fseek(file.get(), static_cast<long>(start.size()), SEEK_SET);
  }
  std::optional<HostArray> array = makeArray(*header, &message);
  if (!array)
    return failAt(message);
  std::memcpy(array->data, start.data() + header->dataOffset, inStart);
  uint64_t inRest = std::fread(array->data + inStart, 1, header->dataBytes - inStart, file.get());
  if (inStart + inRest != header->dataBytes)
    return failAt(describeWrongSize(inStart + inRest, header->dataBytes));
  return array;
}

/// Whether the array is contiguous in Fortran order and not in C order as well.
static bool isOnlyFortranOrder(const HostArray &array) {
  int64_t stride = 1;
  for (size_t d = 0; d < array.rank(); ++d) {
    if (array.shape[d] > 1 && array.strides[d] != stride)
      return false;
    stride *= std::max<int64_t>(array.shape[d], 1);
  }
  std::vector<int64_t> rowMajor = rowMajorStrides(array.shape);
  for (size_t d = 0; d < array.rank(); ++d)
    if (array.shape[d] > 1 && array.strides[d] != rowMajor[d])
      return true;
  return false;
}

std::string tilewright::printNpy(const HostArray &array) {
  bool isFortranOrder = isOnlyFortranOrder(array);
  std::string header = "{'descr': '" + printDescr(array) + "', 'fortran_order': ";
  header += isFortranOrder ? "True" : "False";
  header += ", 'shape': (";
  for (size_t d = 0; d < array.rank(); ++d)
    header += std::to_string(array.shape[d]) + (d == 0 || d + 1 < array.rank() ? "," : "") +
              (d + 1 < array.rank() ? " " : "");
  header += "), }";
  // Magic, version, size and header together fill a multiple of 64 bytes; the header ends in a newline. A rank of at
  // most 32 keeps it far below the 65535 bytes of version 1.0.
  size_t total = (10 + header.size() + 1 + 63) / 64 * 64;
  header.append(total - 10 - header.size() - 1, ' ');
  header += '\n';
  std::string bytes(kMagic);
  bytes += {1, 0, static_cast<char>(header.size() & 255), static_cast<char>(header.size() >> 8)};
  bytes += header;
  size_t elementBytes = array.elementBytes();
  size_t numBytes = static_cast<size_t>(array.numElements()) * elementBytes;
  if (isFortranOrder)
    return bytes.append(reinterpret_cast<const char *>(array.data), numBytes);
  bytes.reserve(bytes.size() + numBytes);
  forEachElement(array,
                 [&](const uint8_t *element) { bytes.append(reinterpret_cast<const char *>(element), elementBytes); });
  return bytes;
}

bool tilewright::writeNpyFile(const std::string &path, const HostArray &array, std::string *error) {
  std::string bytes = printNpy(array);
  std::FILE *file = std::fopen(path.c_str(), "wb");
  bool isOk = file && std::fwrite(bytes.data(), 1, bytes.size(), file) == bytes.size();
  int reason = errno;
  if (file && std::fclose(file) != 0 && isOk) {
    isOk = false;
    reason = errno;
  }
  if (!isOk && error)
    *error = path + ": cannot be written: " + std::strerror(reason);
  return isOk;
}

std::optional<HostArray> tilewright::viewBits(HostArray array, ScalarType type, std::string *error) {
  bool isSameSize = scalarTypeBytes(type) != 0 && scalarTypeBytes(type) == array.elementBytes();
  bool isAllowed =
      array.type == type || isIntegerType(array.type) || (array.type == ScalarType::F32 && type == ScalarType::TF32);
  if (!isSameSize || !isAllowed)
    return fail(error, "elements of type " + std::string(scalarTypeName(array.type)) + " (" +
                           std::to_string(array.elementBytes()) + " bytes) cannot be read as the bits of " +
                           std::string(scalarTypeName(type)));
  array.type = type;
  array.isUnsigned = array.isUnsigned && isIntegerType(type);
  return array;
}
