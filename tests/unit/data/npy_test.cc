#include "data/npy.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "support/made_files.h"
#include "support/thrown_error.h"

namespace plumb::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

template <class T>
std::vector<T> values_of(const NpyArray& array) {
  return std::get<std::vector<T>>(array.values);
}

template <class T>
std::string reversed_bytes(const std::vector<T>& values) {
  std::string bytes = raw(std::vector<T>(values.rbegin(), values.rend()));
  std::reverse(bytes.begin(), bytes.end());
  return bytes;
}

TEST(Npy, BytesStayBytes) {
  const NpyArray array = read_npy(npy("|u1", "(2, 3)", std::string("\x00\x01\x02\x7f\x80\xff", 6)), "f");
  EXPECT_EQ(array.shape, (tensor::Shape{2, 3}));
  EXPECT_THAT(values_of<std::uint8_t>(array), ElementsAre(0, 1, 2, 127, 128, 255));
}

TEST(Npy, FloatsAndDoublesStayAsTheyAre) {
  const std::vector<float> floats = {0.1F, -0.0F, 1e-45F, 3e38F};
  EXPECT_EQ(values_of<float>(read_npy(npy("<f4", "(4,)", raw(floats)), "f")), floats);
  const std::vector<double> doubles = {0.1, -5e-324, 1e308};
  EXPECT_EQ(values_of<double>(read_npy(npy("<f8", "(3, 1)", raw(doubles)), "f")), doubles);
}

TEST(Npy, HalvesBecomeFloatsExactly) {
  const std::vector<std::uint16_t> bits = {0x0000, 0x8000, 0x3c00, 0xc000, 0x7bff, 0x0001, 0x03ff, 0x0400, 0x3555};
  const auto values = values_of<float>(read_npy(npy("<f2", "(9,)", raw(bits)), "f"));
  EXPECT_THAT(values, ElementsAre(0.0F, 0.0F, 1.0F, -2.0F, 65504.0F, 0x1p-24F, 0x1.ff8p-15F, 0x1p-14F, 0x1.554p-2F));
  EXPECT_TRUE(std::signbit(values[1]));
  const auto special = values_of<float>(read_npy(npy("<f2", "(2,)", raw<std::uint16_t>({0xfc00, 0x7e00})), "f"));
  EXPECT_EQ(special[0], -std::numeric_limits<float>::infinity());
  EXPECT_TRUE(std::isnan(special[1]));
}

TEST(Npy, IntegersOfAnySizeKeepTheirValue) {
  const auto check = [](const std::string& type, const std::string& payload, std::int64_t expected) {
    EXPECT_THAT(values_of<std::int64_t>(read_npy(npy(type, "(1,)", payload), "f")), ElementsAre(expected)) << type;
  };
  check("|i1", raw<std::int8_t>({-128}), -128);
  check("<i2", raw<std::int16_t>({-32768}), -32768);
  check("<u2", raw<std::uint16_t>({65535}), 65535);
  check("<i4", raw<std::int32_t>({-7}), -7);
  check("<u4", raw<std::uint32_t>({4294967295U}), 4294967295);
  check("<i8", raw<std::int64_t>({-9'000'000'000}), -9'000'000'000);
  check("<u8", raw<std::uint64_t>({9'000'000'000U}), 9'000'000'000);
}

TEST(Npy, AnIntegerAbove63BitsIsRefused) {
  const auto error = thrown_by<DataError>([] { read_npy(npy("<u8", "(1,)", raw<std::uint64_t>({1ULL << 63})), "f"); });
  EXPECT_THAT(error.problem(), HasSubstr("9223372036854775808"));
}

TEST(Npy, BigEndianNumbersAreTurnedRound) {
  EXPECT_THAT(values_of<float>(read_npy(npy(">f4", "(2,)", reversed_bytes<float>({0.1F, 7})), "f")),
              ElementsAre(0.1F, 7));
  EXPECT_THAT(values_of<std::int64_t>(read_npy(npy(">i4", "(2,)", reversed_bytes<std::int32_t>({1, -2})), "f")),
              ElementsAre(1, -2));
}

TEST(Npy, FortranOrderIsTurnedIntoCOrder) {
  // numpy.asfortranarray(numpy.arange(24).reshape(2, 3, 4)) is stored in this order.
  std::string payload;
  for (int k = 0; k < 4; ++k) {
    for (int j = 0; j < 3; ++j) {
      for (int i = 0; i < 2; ++i) payload.push_back(static_cast<char>(12 * i + 4 * j + k));
    }
  }
  const NpyArray array =
      read_npy(npy_with_header("{'descr': '|u1', 'fortran_order': True, 'shape': (2, 3, 4), }", payload), "f");
  const auto values = values_of<std::uint8_t>(array);
  ASSERT_EQ(values.size(), 24U);
  for (std::size_t i = 0; i < 24; ++i) EXPECT_EQ(values[i], i);
}

TEST(Npy, AllVersionsOfTheFormatAreRead) {
  const std::string header = "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }";
  for (const char version : {'\1', '\2', '\3'}) {
    EXPECT_THAT(values_of<std::uint8_t>(read_npy(npy_with_header(header, "a", version), "f")), ElementsAre('a'));
  }
  for (const char version : {'\0', '\4'}) {
    const auto error = thrown_by<DataError>([&] { read_npy(npy_with_header(header, "a", version), "f"); });
    EXPECT_THAT(error.problem(), HasSubstr("version"));
  }
}

TEST(Npy, TheHeaderMayBeSpacedAndOrderedAsPythonAllows) {
  const NpyArray array =
      read_npy(npy_with_header("{ \"shape\":(1,2,3) ,'fortran_order' : False,'descr':\"|u1\"}     ", "abcdef"), "f");
  EXPECT_EQ(array.shape, (tensor::Shape{1, 2, 3}));
}

TEST(Npy, ScalarsAndEmptyArraysAreArrays) {
  EXPECT_EQ(read_npy(npy("<f8", "()", raw<double>({2.5})), "f").shape, tensor::Shape{});
  const NpyArray empty = read_npy(npy("<f8", "(0, 4611686018427387904, 4611686018427387904)", ""), "f");
  EXPECT_TRUE(values_of<double>(empty).empty());
}

TEST(Npy, AnEmptyFortranArrayOfHugeDimensionsIsHarmless) {
  const NpyArray empty = read_npy(
      npy_with_header("{'descr': '|u1', 'fortran_order': True, 'shape': (0, 9223372036854775807, 9223372036854775807)}",
                      ""),
      "f");
  EXPECT_TRUE(values_of<std::uint8_t>(empty).empty());
}

TEST(Npy, AFileCutAnywhereIsRefused) {
  const std::string whole = npy("<f4", "(2, 2)", raw<float>({1, 2, 3, 4}));
  for (std::size_t length = 0; length < whole.size(); ++length) {
    const auto error = thrown_by<DataError>([&] { read_npy(whole.substr(0, length), "x.npy"); });
    EXPECT_EQ(error.where(), "x.npy");
  }
}

TEST(Npy, TheShapeMustAccountForEveryByte) {
  const auto error = thrown_by<DataError>([] { read_npy(npy("<f4", "(10, 28)", "12345678"), "f"); });
  EXPECT_THAT(error.problem(), HasSubstr("10x28 numbers of type <f4, but 8 bytes follow"));
  thrown_by<DataError>([] { read_npy(npy("<f4", "(2,)", "12345678x"), "f"); });
  thrown_by<DataError>([] { read_npy(npy("|u1", "(0,)", "x"), "f"); });
}

TEST(Npy, ATinyFileCannotClaimMuch) {
  for (const char* shape :
       {"(10000000000,)", "(2147483648, 2147483648)", "(4294967296, 4294967296)", "(9223372036854775807,)",
        "(4611686018427387904, 4)", "(2, 2, 2, 2, 2, 2, 2, 2, 2305843009213693952)"}) {
    thrown_by<DataError>([&] { read_npy(npy("<f4", shape, "1234"), "f"); });
    thrown_by<DataError>([&] { read_npy(npy("<f4", shape, ""), "f"); });
  }
  EXPECT_THAT(thrown_by<DataError>([] { read_npy(npy("|u1", "(9223372036854775808,)", ""), "f"); }).problem(),
              HasSubstr("too large"));
}

TEST(Npy, ABrokenHeaderIsNamedWithItsPlace) {
  const char* const broken[] = {
      "",
      "{",
      "{}",
      "{'descr': '|u1', 'fortran_order': False}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1,), 'more': 1}",
      "{'descr': '|u1', 'descr': '|u1', 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '|u1', 'fortran_order': 0, 'shape': (1,)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': 1}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (-1,)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (,)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1,}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1 1)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1,),, }",
      "{'descr': '|u1', 'fortran_order': False 'shape': (1,)}",
      "{'descr': '|u1, 'fortran_order': False, 'shape': (1,)}",
      "{'descr': |u1, 'fortran_order': False, 'shape': (1,)}",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)} x",
      "{'descr': '|u1', 'fortran_order': False, 'shape': (1,)",
      "{'descr': '|u\\1', 'fortran_order': False, 'shape': (1,)}",
  };
  for (const char* header : broken) {
    const auto error = thrown_by<DataError>([&] { read_npy(npy_with_header(header, "a"), "f"); });
    EXPECT_THAT(error.problem(), HasSubstr("header is broken at byte ")) << header;
    EXPECT_THAT(error.remedy(), HasSubstr("numpy.save")) << header;
  }
}

TEST(Npy, AShapeOfHundredsOfDimensionsIsRefused) {
  std::string shape = "(";
  for (int i = 0; i < 1000; ++i) shape += "1,";
  thrown_by<DataError>([&] { read_npy(npy("|u1", shape + ")", "a"), "f"); });
}

TEST(Npy, OtherTypesAreRefusedByName) {
  for (const char* type : {"<c8", "|b1", "|O", "<U3", "|S3", "<M8[s]", "<f16", "|f4", "=f4", "f4", "", "<"}) {
    const auto error = thrown_by<DataError>([&] { read_npy(npy(type, "(1,)", "12345678"), "f"); });
    EXPECT_THAT(error.problem(), HasSubstr(std::string("type '").append(type).append("'")));
    EXPECT_THAT(error.remedy(), HasSubstr("astype"));
  }
  const auto records = thrown_by<DataError>([] {
    read_npy(npy_with_header("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }", "1234"), "f");
  });
  EXPECT_THAT(records.problem(), HasSubstr("fields"));
}

TEST(Npy, AnotherFormatIsRefused) {
  thrown_by<DataError>([] { read_npy("", "f"); });
  thrown_by<DataError>([] { read_npy("label,pixel\n", "f"); });
}

}  // namespace
}  // namespace plumb::data
