#include "data/csv.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown_error.h"

namespace plumb::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

CsvSamples parsed(const std::string& text, const std::string& scale = "1") {
  return read_csv(text, "f.csv", Scale::parse(scale));
}

TEST(Csv, ALineIsALabelAndItsValues) {
  const CsvSamples samples = parsed("7,0.5,-1e3,.25\n0,1,2,3\n");
  EXPECT_EQ(samples.width, 3);
  EXPECT_THAT(samples.labels, ElementsAre(7, 0));
  EXPECT_THAT(samples.values, ElementsAre(0.5F, -1000.0F, 0.25F, 1.0F, 2.0F, 3.0F));
}

TEST(Csv, BlanksCarriageReturnsAndTheLastNewlineAreOptional) {
  for (const char* text : {"1,2,3\n4,5,6\n", "1,2,3\n4,5,6", "1,2,3\r\n4,5,6\r\n", " 1 ,\t2, 3 \n4, 5 ,6\n",
                           "1,2,3\n4,5,6\n\n\n", "1,2,3\r\n4,5,6\r\n\r\n  \r\n",
                           "\xef\xbb\xbf"
                           "1,2,3\n4,5,6\n"}) {
    const CsvSamples samples = parsed(text);
    EXPECT_THAT(samples.labels, ElementsAre(1, 4)) << text;
    EXPECT_THAT(samples.values, ElementsAre(2, 3, 5, 6)) << text;
  }
}

TEST(Csv, AFirstLineThatStartsWithAWordIsAHeader) {
  for (const char* header : {"label,a,b", "label,0,1", "\"label\",\"1x1\"", ",0,1", "# written by hand"}) {
    const CsvSamples samples = parsed(std::string(header) + "\n1,2,3\n");
    EXPECT_THAT(samples.labels, ElementsAre(1)) << header;
  }
}

TEST(Csv, AFirstLineWithTheNumbersOfASampleIsNoHeader) {
  for (const char* first : {"cat,2,3", "cat,0.5,1.5", ",2,3", "\"1\",0,0"}) {
    EXPECT_THROW(parsed(std::string(first) + "\n1,2,3\n"), DataError) << first;
  }
}

TEST(Csv, OnlyTheFirstLineCanBeAHeader) {
  const auto error = thrown_by<DataError>([] { parsed("label,a\nlabel,a\n1,2\n"); });
  EXPECT_EQ(error.where(), "f.csv: line 2, column 1");
}

TEST(Csv, LabelsMayBeWrittenAsNumpyWritesThem) {
  EXPECT_THAT(parsed("7.000000000000000000e+00,1\n").labels, ElementsAre(7));
}

TEST(Csv, LabelsAreNonNegativeIntegers) {
  for (const char* label : {"-1", "1.5", "1e300", "99999999999999999999"}) {
    const auto error = thrown_by<DataError>([&] { parsed("0,1\n" + std::string(label) + ",1\n"); });
    EXPECT_EQ(error.where(), "f.csv: line 2, column 1") << label;
    EXPECT_THAT(error.problem(), HasSubstr("not a label")) << label;
  }
  thrown_by<DataError>([] { parsed("nan,1\n"); });
  thrown_by<DataError>([] { parsed("inf,1\n"); });
}

TEST(Csv, ValuesAreRoundedToTheNearestFloatOnce) {
  EXPECT_THAT(parsed("0,0.1,16777217,16777217.0000000001,1e-46,1e-60").values,
              ElementsAre(0.1F, 16777216.0F, 16777218.0F, 0.0F, 0.0F));
}

TEST(Csv, ScalingComesBeforeRounding) {
  const CsvSamples samples = parsed("0,0,1,127,255,1e39\n", "1/255");
  EXPECT_THAT(samples.values, ElementsAre(0.0F, 1.0F / 255.0F, 127.0F / 255.0F, 1.0F, static_cast<float>(1e39 / 255)));
}

TEST(Csv, ABrokenFieldIsNamedByLineAndColumn) {
  for (const char* field : {"abc", "1.5x", "1,,2", "0x10", "+1", "1 2", "--1", "1;2", "\"1\""}) {
    const auto error = thrown_by<DataError>([&] { parsed("0,1,2,3\n0,1," + std::string(field) + ",3\n"); });
    EXPECT_THAT(error.where(), HasSubstr("f.csv: line 2, column ")) << field;
  }
  const auto error = thrown_by<DataError>([] { parsed("h\n0,1,2,3\n0,1,abc,3\n"); });
  EXPECT_EQ(error.where(), "f.csv: line 3, column 3");
  EXPECT_THAT(error.problem(), HasSubstr("'abc' is not a number"));
}

TEST(Csv, AMessageNeverRepeatsUnprintableOrEndlessText) {
  const auto error = thrown_by<DataError>([] { parsed("0,\x1b[31m\xff" + std::string(100'000, 'a')); });
  EXPECT_THAT(error.problem(), HasSubstr("'?[31m?aaa"));
  EXPECT_LT(error.problem().size(), 100U);
}

TEST(Csv, EmptyFieldsAreRefused) {
  EXPECT_EQ(thrown_by<DataError>([] { parsed("0,1,\n"); }).where(), "f.csv: line 1, column 3");
  EXPECT_EQ(thrown_by<DataError>([] { parsed("0,,1\n"); }).where(), "f.csv: line 1, column 2");
}

TEST(Csv, ValuesMustBeFinite) {
  for (const char* value : {"nan", "inf", "-inf", "NaN", "Infinity", "1e400", "1e39"}) {
    const auto error = thrown_by<DataError>([&] { parsed("0,1\n3," + std::string(value) + "\n"); });
    EXPECT_EQ(error.where(), "f.csv: line 2, column 2") << value;
  }
}

TEST(Csv, EveryLineHasTheSameNumberOfFields) {
  const auto error = thrown_by<DataError>([] { parsed("h,a,b\n0,1,2\n1,2\n"); });
  EXPECT_THAT(error.where(), HasSubstr("line 3"));
  EXPECT_THAT(error.problem(), HasSubstr("2 fields, but line 2 has 3"));
  thrown_by<DataError>([] { parsed("0,1,2\n0,1,2,3\n"); });
}

TEST(Csv, ALabelNeedsValues) {
  EXPECT_THAT(thrown_by<DataError>([] { parsed("7\n"); }).problem(), HasSubstr("no values"));
}

TEST(Csv, AnEmptyLineBetweenSamplesIsRefused) {
  EXPECT_EQ(thrown_by<DataError>([] { parsed("0,1\n\n0,1\n"); }).where(), "f.csv: line 2");
  EXPECT_EQ(thrown_by<DataError>([] { parsed("\n0,1\n"); }).where(), "f.csv: line 1");
}

TEST(Csv, WithoutSamplesThereIsNoDataSet) {
  for (const char* text : {"", "\n\n", "label,a,b\n", "label,a,b", "\xef\xbb\xbf"}) {
    EXPECT_THAT(thrown_by<DataError>([&] { parsed(text); }).problem(), HasSubstr("no samples")) << text;
  }
}

TEST(Csv, BinaryFilesAreRefused) {
  thrown_by<DataError>([] { parsed(std::string("\x00\x01\x02\n\x03\x00", 6)); });
  thrown_by<DataError>([] { parsed(std::string("1,2\x00\n", 5)); });
}

}  // namespace
}  // namespace plumb::data
