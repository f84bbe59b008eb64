// SPDX-License-Identifier: Apache-2.0
#include "tilewright/Runtime/Npy.h"
#include "tilewright/Runtime/ScalarConvert.h"

#include <gtest/gtest.h>

#include <cstdio>
#include <cstring>
#include <fstream>
#include <numeric>
#include <random>

using namespace tilewright;

static std::string npy(const std::string &header, const std::string &data, char major = 1) {
  std::string bytes("\x93NUMPY", 6);
  bytes += {major, 0, char(header.size() & 255), char(header.size() >> 8)};
  if (major > 1)
    bytes += {char(header.size() >> 16), char(header.size() >> 24)};
  return bytes + header + data;
}

static std::string header(const std::string &descr, const std::string &shape, bool isFortran = false) {
  return "{'descr': '" + descr + "', 'fortran_order': " + (isFortran ? "True" : "False") + ", 'shape': " + shape +
         ", }\n";
}

static std::string parseError(const std::string &bytes) {
  std::string error;
  EXPECT_FALSE(parseNpy(bytes, &error));
  return error;
}

static std::vector<double> values(const HostArray &array) {
  std::vector<double> result;
  forEachElement(
      array, [&](const uint8_t *element) { result.push_back(loadAsDouble(array.type, element, array.isUnsigned)); });
  return result;
}

/// Little-endian 16-bit numbers 0, 1, ..., count - 1.
static std::string words(int count) {
  std::string bytes;
  for (int i = 0; i < count; ++i)
    bytes += {char(i & 255), char(i >> 8)};
  return bytes;
}

TEST(Npy, ReadsBothOrdersAndAllVersions) {
  std::string error;
  for (char major : {1, 2, 3}) {
    std::optional<HostArray> array = parseNpy(npy(header("<i2", "(2, 3)"), words(6), major), &error);
    ASSERT_TRUE(array) << error;
    EXPECT_EQ(array->shape, (std::vector<int64_t>{2, 3}));
    EXPECT_EQ(array->strides, (std::vector<int64_t>{3, 1}));
    EXPECT_EQ(values(*array), (std::vector<double>{0, 1, 2, 3, 4, 5}));
  }
  std::optional<HostArray> array = parseNpy(npy(header("<u2", "(2, 3)", true), words(6)), &error);
  ASSERT_TRUE(array) << error;
  EXPECT_EQ(array->strides, (std::vector<int64_t>{1, 2}));
  EXPECT_EQ(values(*array), (std::vector<double>{0, 2, 4, 1, 3, 5}));
  EXPECT_TRUE(array->isUnsigned);
}

TEST(Npy, KeysComeInAnyOrderAndStyle) {
  std::string error;
  EXPECT_TRUE(parseNpy(npy("{\"shape\":(4,),\"fortran_order\":False,\"descr\":\"|u1\"}", "abcd"), &error)) << error;
  EXPECT_TRUE(parseNpy(npy("{'shape': (4L,), 'fortran_order': False, 'descr': '=i1'}   \n", "abcd"), &error)) << error;
  std::optional<HostArray> scalar = parseNpy(npy(header("<f8", "()"), std::string(8, '\0')), &error);
  ASSERT_TRUE(scalar) << error;
  EXPECT_EQ(scalar->rank(), 0u);
  EXPECT_EQ(values(*scalar), std::vector<double>{0});
}

TEST(Npy, EveryTypeRoundTrips) {
  const std::pair<const char *, ScalarType> types[] = {
      {"|b1", ScalarType::I1},  {"|i1", ScalarType::I8},  {"|u1", ScalarType::I8},  {"<i2", ScalarType::I16},
      {"<u2", ScalarType::I16}, {"<i4", ScalarType::I32}, {"<u4", ScalarType::I32}, {"<i8", ScalarType::I64},
      {"<u8", ScalarType::I64}, {"<f2", ScalarType::F16}, {"<f4", ScalarType::F32}, {"<f8", ScalarType::F64}};
  for (auto [descr, type] : types) {
    std::string data(12 * scalarTypeBytes(type), '\1');
    std::iota(data.begin(), data.end(), char(1));
    if (type == ScalarType::I1)
      std::fill(data.begin(), data.end(), '\1');
    for (bool isFortran : {false, true}) {
      std::string error;
      std::optional<HostArray> array = parseNpy(npy(header(descr, "(3, 4)", isFortran), data), &error);
      ASSERT_TRUE(array) << error;
      EXPECT_EQ(array->type, type);
      std::string bytes = printNpy(*array);
      EXPECT_EQ(bytes.size() % 64, data.size() % 64);
      EXPECT_NE(bytes.find(std::string("'descr': '") + descr), std::string::npos);
      EXPECT_NE(bytes.find(isFortran ? "True" : "False"), std::string::npos);
      std::optional<HostArray> again = parseNpy(bytes, &error);
      ASSERT_TRUE(again) << error;
      EXPECT_EQ(again->strides, array->strides);
      EXPECT_EQ(std::memcmp(again->data, array->data, data.size()), 0);
    }
  }
}

// What NumPy writes for np.arange(3, dtype='<i2'), byte for byte.
TEST(Npy, WritesWhatNumpyWrites) {
  std::string error;
  std::optional<HostArray> array = parseNpy(npy(header("<i2", "(3,)"), words(3)), &error);
  ASSERT_TRUE(array);
  std::string expected =
      npy("{'descr': '<i2', 'fortran_order': False, 'shape': (3,), }" + std::string(60, ' ') + "\n", words(3));
  EXPECT_EQ(printNpy(*array), expected);
}

TEST(Npy, StridedArraysAreWrittenInCOrder) {
  std::string error;
  std::optional<HostArray> array = parseNpy(npy(header("<i2", "(4, 6)"), words(24)), &error);
  ASSERT_TRUE(array);
  array->data = array->element(3 * 6 + 1);
  array->shape = {2, 2}; // [::-2, 1::3] of it
  array->strides = {-12, 3};
  std::optional<HostArray> again = parseNpy(printNpy(*array), &error);
  ASSERT_TRUE(again) << error;
  EXPECT_EQ(values(*again), (std::vector<double>{19, 22, 7, 10}));
}

TEST(Npy, EmptyArrays) {
  std::string error;
  for (const char *shape : {"(0,)", "(3, 0)", "(0, 9000000000000000000)"}) {
    std::optional<HostArray> array = parseNpy(npy(header("<f4", shape), ""), &error);
    ASSERT_TRUE(array) << error;
    EXPECT_EQ(array->numElements(), 0);
    std::optional<HostArray> again = parseNpy(printNpy(*array), &error);
    ASSERT_TRUE(again) << error;
    EXPECT_EQ(again->shape, array->shape);
  }
}

TEST(Npy, HostileFilesAreRefused) {
  EXPECT_EQ(parseError(""), "not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(parseError("PK\3\4"), "not a .npy file: it does not begin with \\x93NUMPY");
  EXPECT_EQ(parseError(std::string("\x93NUMPY", 6)), "truncated .npy file: its version is missing");
  EXPECT_EQ(parseError(std::string("\x93NUMPY\x01\x00", 8)), "truncated .npy file: the size of its header is missing");
  EXPECT_EQ(parseError(std::string("\x93NUMPY\x04\x00", 8)), ".npy version 4.0 is not supported");
  EXPECT_EQ(parseError(std::string("\x93NUMPY\x02\x00\xff\xff\xff\xff", 12)),
            "a .npy header of 4294967295 bytes is over the limit of 1048576");
  EXPECT_EQ(parseError(npy(header("<f4", "(2,)"), "").substr(0, 30)),
            "truncated .npy file: its header ends after 20 of 58 bytes");
  EXPECT_EQ(parseError(npy(header("<f4", "(2,)"), "1234567")),
            "truncated .npy file: 7 of 8 bytes of elements are there");
  EXPECT_EQ(parseError(npy(header("<f4", "(2,)"), "123456789")), "bad .npy file: 1 bytes follow the elements");
  const std::string bad = "bad .npy header: ";
  EXPECT_EQ(parseError(npy(header("<f4", "(-1,)"), "")),
            bad + "expected a size of at least 0 at byte 51 of the header");
  EXPECT_EQ(parseError(npy(header("<f4", "(9223372036854775808,)"), "")),
            bad + "a size overflows 63 bits at byte 69 of the header");
  EXPECT_EQ(parseError(npy(header("<f4", "(4000000000, 4000000000)"), "")),
            bad + "the shape [4000000000, 4000000000] overflows 63 bits");
  EXPECT_EQ(parseError(npy(header("<f4", "(4611686018427387904,)"), "")),
            bad + "the shape [4611686018427387904] overflows 63 bits");
  EXPECT_EQ(parseError(npy(header("<f4", "(2, )x"), "")),
            bad + "expected a comma or a closing brace at byte 55 of the header");
  EXPECT_EQ(parseError(npy(header("<f4", "[2]"), "")),
            bad + "expected a shape in parentheses at byte 50 of the header");
  EXPECT_EQ(parseError(npy(header("<f4", "(2 3)"), "")),
            bad + "expected a comma or a closing parenthesis at byte 53 of the header");
  EXPECT_EQ(parseError(npy(header(">f4", "(2,)"), "")),
            bad + "the element type '>f4' is not supported: it is big-endian");
  EXPECT_EQ(parseError(npy(header("<c8", "(2,)"), "")), bad + "the element type '<c8' is not supported");
  EXPECT_EQ(parseError(npy(header("O", "(2,)"), "")), bad + "the element type 'O' is not supported");
  EXPECT_EQ(parseError(npy("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (2,)}", "")),
            bad + "a structured type is not supported at byte 10 of the header");
  EXPECT_EQ(parseError(npy("{'descr': '<f4', 'shape': (2,)}", "")), bad + "the header has no 'fortran_order'");
  EXPECT_EQ(parseError(npy("{'descr': '<f4', 'descr': '<f4'}", "")),
            bad + "the key 'descr' is there twice at byte 24 of the header");
  EXPECT_EQ(parseError(npy("{'order': 1}", "")), bad + "unknown key 'order' at byte 8 of the header");
  EXPECT_EQ(parseError(npy("{'descr': '<f4", "")), bad + "a string does not end at byte 10 of the header");
  EXPECT_EQ(parseError(npy("{'descr': '\\x41'}", "")), bad + "a string has an escape at byte 10 of the header");
  EXPECT_EQ(parseError(npy("{'fortran_order': None}", "")), bad + "expected True or False at byte 18 of the header");
  EXPECT_EQ(parseError(npy(header("<f4", "(2,)") + "x", "")), bad + "unexpected text at byte 58 of the header");
  EXPECT_EQ(parseError(npy("__import__('os')", "")), bad + "expected a dict at byte 0 of the header");
  std::string manyDims = "(";
  for (int i = 0; i < 33; ++i)
    manyDims += "1,";
  EXPECT_NE(parseError(npy(header("<f4", manyDims + ")"), "")).find("more than 32 dimensions"), std::string::npos);
}

TEST(Npy, DamagedFilesNeverCrash) {
  const std::string good = npy(header("<f4", "(2, 3)"), std::string(24, '\1'));
  std::string error;
  for (size_t size = 0; size < good.size(); ++size)
    EXPECT_FALSE(parseNpy(good.substr(0, size), &error));
  std::mt19937 random(11);
  for (int i = 0; i < 20000; ++i) {
    std::string damaged = good;
    for (unsigned k = 0; k <= random() % 3; ++k)
      damaged[random() % damaged.size()] = random() % 2 ? char(random()) : "0123456789(),'{}:<>"[random() % 19];
    error.clear();
    std::optional<HostArray> array = parseNpy(damaged, &error);
    EXPECT_NE(array.has_value(), !error.empty());
    if (array)
      EXPECT_EQ(array->numElements() * array->elementBytes(), 24);
  }
}

TEST(Npy, FilesOnDisk) {
  std::string path = testing::TempDir() + "tilewright-npy-test.npy", error;
  std::optional<HostArray> array = HostArray::create(ScalarType::F64, {300, 700}, &error); // more than one read
  ASSERT_TRUE(array);
  for (int64_t i = 0; i < array->numElements(); ++i)
    storeFromInteger(array->type, array->element(i), i);
  ASSERT_TRUE(writeNpyFile(path, *array, &error)) << error;
  std::optional<HostArray> again = readNpyFile(path, &error);
  ASSERT_TRUE(again) << error;
  EXPECT_EQ(values(*again), values(*array));
  // A hostile header must not make us allocate a terabyte.
  std::ofstream(path, std::ios::binary) << npy(header("<f4", "(250000000000,)"), "1234");
  EXPECT_FALSE(readNpyFile(path, &error));
  EXPECT_EQ(error, path + ": truncated .npy file: 4 of 1000000000000 bytes of elements are there");
  std::ofstream(path, std::ios::binary) << npy(header("<f4", "(1,)"), "12345");
  EXPECT_FALSE(readNpyFile(path, &error));
  EXPECT_EQ(error, path + ": bad .npy file: 1 bytes follow the elements");
  std::remove(path.c_str());
  EXPECT_FALSE(readNpyFile(path, &error));
  EXPECT_EQ(error, path + ": No such file or directory");
  EXPECT_FALSE(writeNpyFile("/nonexistent/x.npy", *array, &error));
  EXPECT_EQ(error, "/nonexistent/x.npy: cannot be written: No such file or directory");
}

TEST(Npy, BitsAreReadAsTypesThatNumpyLacks) {
  std::string error;
  std::optional<HostArray> array = parseNpy(npy(header("<u2", "(2,)"), words(2)), &error);
  std::optional<HostArray> view = viewBits(*array, ScalarType::BF16, &error);
  ASSERT_TRUE(view) << error;
  EXPECT_EQ(view->type, ScalarType::BF16);
  EXPECT_FALSE(view->isUnsigned);
  EXPECT_NE(printNpy(*view).find("'<u2'"), std::string::npos);
  EXPECT_FALSE(viewBits(*array, ScalarType::F32, &error));
  EXPECT_EQ(error, "elements of type i16 (2 bytes) cannot be read as the bits of f32");
  view->type = ScalarType::F16;
  EXPECT_FALSE(viewBits(*view, ScalarType::BF16, &error));
  EXPECT_EQ(error, "elements of type f16 (2 bytes) cannot be read as the bits of bf16");
  std::optional<HostArray> bytes = parseNpy(npy(header("|u1", "(2,)"), "ab"), &error);
  ASSERT_TRUE(view = viewBits(*bytes, ScalarType::F8E4M3FN, &error)) << error;
  EXPECT_NE(printNpy(*view).find("'|u1'"), std::string::npos);
  EXPECT_FALSE(viewBits(*bytes, ScalarType::F4E2M1FN, &error));
  std::optional<HostArray> floats = parseNpy(npy(header("<f4", "(1,)"), "abcd"), &error);
  ASSERT_TRUE(view = viewBits(*floats, ScalarType::TF32, &error)) << error;
  EXPECT_NE(printNpy(*view).find("'<f4'"), std::string::npos);
}

TEST(HostArray, RangesOfStridedArrays) {
  auto range = [](std::vector<int64_t> sizes, std::vector<int64_t> strides) -> std::vector<int64_t> {
    std::optional<ByteRange> r = computeByteRange(sizes.data(), strides.data(), sizes.size(), 4);
    return r ? std::vector<int64_t>{r->begin, r->end} : std::vector<int64_t>{};
  };
  using List = std::vector<int64_t>;
  EXPECT_EQ(range({3, 4}, {4, 1}), (List{0, 48}));
  EXPECT_EQ(range({3, 4}, {-4, 1}), (List{-32, 16}));
  EXPECT_EQ(range({3, 4}, {0, 0}), (List{0, 4}));
  EXPECT_EQ(range({3, 0}, {-4, 1}), (List{0, 0}));
  EXPECT_EQ(range({}, {}), (List{0, 4}));
  EXPECT_EQ(range({-1}, {1}), List{});
  EXPECT_EQ(range({INT64_MAX, INT64_MAX}, {INT64_MAX, INT64_MIN}), List{});
  EXPECT_EQ(range({int64_t(1) << 60}, {4}), List{});
  EXPECT_EQ(range({1, 1}, {INT64_MIN, INT64_MAX}), (List{0, 4}));
}

TEST(HostArray, ImpossibleArraysAreRefused) {
  std::string error;
  EXPECT_FALSE(HostArray::create(ScalarType::F32, {1 << 20, 1 << 20}, &error));
  EXPECT_EQ(error, "an array of f32 with shape [1048576, 1048576] is larger than 2^40 bytes");
  EXPECT_FALSE(HostArray::create(ScalarType::F32, {-1}, &error));
  EXPECT_EQ(error, "an array of f32 with shape [-1] is not possible");
  EXPECT_FALSE(HostArray::create(ScalarType::I4, {2}, &error));
  EXPECT_EQ(error, "an array of i4 with shape [2] cannot be made: its elements are packed two per byte");
}
