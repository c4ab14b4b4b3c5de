#include "data/data_set.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <limits>
#include <numeric>

#include "support/thrown_error.h"

namespace plumb::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

const DataSetOptions kUnscaled{"1", Layout::kChannelsFirst};
const DataSetOptions kUnscaledChannelsLast{"1", Layout::kChannelsLast};

// One sample whose elements are 0, 1, 2, ...
DataSet counting(const tensor::Shape& shape, const DataSetOptions& options = kUnscaled) {
  std::vector<double> values(static_cast<std::size_t>(tensor::element_count(shape)));
  std::iota(values.begin(), values.end(), 0.0);
  return DataSet("set", shape, values, {0}, options);
}

std::vector<double> count_to(std::size_t end) {
  std::vector<double> values(end);
  std::iota(values.begin(), values.end(), 0.0);
  return values;
}

TEST(DataSet, BytesStandForFractionsOf255RoundedToFloat) {
  std::vector<std::uint8_t> bytes(256);
  std::iota(bytes.begin(), bytes.end(), std::uint8_t{0});
  const DataSet set("set", {256}, bytes, {}, {});
  const std::vector<double> sample = set.sample(0, {1, 256});
  // Float division rounds correctly, so that b / 255 in float is the nearest float.
  for (std::size_t b = 0; b < 256; ++b) EXPECT_EQ(sample[b], static_cast<float>(b) / 255.0F) << b;
}

TEST(DataSet, FloatsAndDoublesStayAsTheyAreWithoutAScale) {
  EXPECT_THAT(DataSet("set", {2}, std::vector<float>{0.1F, 300}, {}, {}).sample(0, {2}), ElementsAre(0.1F, 300));
  EXPECT_THAT(DataSet("set", {2}, std::vector<double>{0.1, 300}, {}, {}).sample(0, {2}), ElementsAre(0.1, 300));
}

TEST(DataSet, AScaleAppliesToEveryKindOfNumber) {
  const DataSetOptions options{"1/3", Layout::kChannelsFirst};
  EXPECT_THAT(DataSet("set", {1}, std::vector<std::uint8_t>{1}, {}, options).sample(0, {1}), ElementsAre(1.0F / 3.0F));
  EXPECT_THAT(DataSet("set", {1}, std::vector<float>{1}, {}, options).sample(0, {1}), ElementsAre(1.0F / 3.0F));
  EXPECT_THAT(DataSet("set", {1}, std::vector<double>{1}, {}, options).sample(0, {1}), ElementsAre(1.0 / 3.0));
}

TEST(DataSet, AValueThatOverflowsWhenScaledIsRefused) {
  const DataSet set("set", {2}, std::vector<float>{1, 3e38F}, {}, {"2", Layout::kChannelsFirst});
  const auto error = thrown_by<DataError>([&] { set.sample(0, {2}); });
  EXPECT_EQ(error.where(), "set: sample 0, position (1)");
}

TEST(DataSet, KnowsItsSamplesAndLabels) {
  const DataSet set("set", {2}, std::vector<float>{1, 2, 3, 4}, {7, 9}, {});
  EXPECT_EQ(set.size(), 2);
  EXPECT_EQ(set.sample_shape(), tensor::Shape{2});
  EXPECT_EQ(set.label(1), 9);
  EXPECT_THAT(set.sample(1, {2}), ElementsAre(3, 4));
}

TEST(DataSet, MayHaveNoLabels) {
  const DataSet set("set", {2}, std::vector<float>{1, 2, 3, 4}, {}, {});
  EXPECT_FALSE(set.has_labels());
  EXPECT_EQ(set.size(), 2);
  thrown_by<DataError>([&] { set.label(0); });
}

TEST(DataSet, ASampleThatIsNotThereIsAnArgumentError) {
  const DataSet set("set", {2}, std::vector<float>{1, 2, 3, 4}, {7, 9}, {});
  for (const std::int64_t index : {std::int64_t{-1}, std::int64_t{2}, std::numeric_limits<std::int64_t>::max()}) {
    const auto error = thrown_by<ArgumentError>([&] { set.sample(index, {2}); });
    EXPECT_THAT(error.problem(), HasSubstr("has 2 samples"));
    EXPECT_THAT(error.remedy(), HasSubstr("0 to 1"));
    thrown_by<ArgumentError>([&] { set.label(index); });
  }
}

TEST(DataSet, CountsMustAgree) {
  const std::vector<float> six(6, 0.0F);
  thrown_by<DataError>([&] { DataSet("set", {4}, six, {}, {}); });
  EXPECT_THAT(thrown_by<DataError>([&] {
                DataSet("set", {2}, six, {1, 2}, {});
              }).problem(),
              HasSubstr("3 samples but 2 labels"));
  thrown_by<DataError>([&] { DataSet("set", {0}, six, {}, {}); });
  thrown_by<DataError>([] { DataSet("set", {2}, std::vector<float>{}, {}, {}); });
  thrown_by<DataError>([] { DataSet("set", {2}, std::vector<float>{}, {1}, {}); });
}

TEST(DataSet, AHugeSampleShapeIsRefusedWithTheNameOfTheSet) {
  const auto error = thrown_by<DataError>([] {
    DataSet("set", {1LL << 31, 1LL << 31}, std::vector<std::uint8_t>{1}, {}, {});
  });
  EXPECT_EQ(error.where(), "set");
}

TEST(DataSet, ANegativeLabelIsNamed) {
  const auto error = thrown_by<DataError>([] { DataSet("set", {1}, std::vector<float>{1, 2}, {0, -3}, {}); });
  EXPECT_EQ(error.where(), "set: sample 1");
  EXPECT_THAT(error.problem(), HasSubstr("-3"));
}

TEST(DataSet, NotANumberIsNamedBySampleAndPosition) {
  std::vector<float> floats(24, 0.0F);
  floats[12 + 7] = std::numeric_limits<float>::quiet_NaN();
  EXPECT_EQ(thrown_by<DataError>([&] {
              DataSet("set", {3, 2, 2}, floats, {}, {});
            }).where(),
            "set: sample 1, position (1,1,1)");
  std::vector<double> doubles(4, 0.0);
  doubles[2] = -std::numeric_limits<double>::infinity();
  EXPECT_EQ(thrown_by<DataError>([&] { DataSet("set", {2}, doubles, {}, {}); }).where(), "set: sample 1, position (0)");
}

TEST(DataSet, DimensionsOfOneDoNotMatter) {
  const DataSet set = counting({1, 2, 3});
  for (const tensor::Shape& wanted : {tensor::Shape{2, 3}, tensor::Shape{1, 2, 3}, tensor::Shape{1, 1, 2, 3},
                                      tensor::Shape{1, 2, 3, 1}, tensor::Shape{2, 1, 3}}) {
    EXPECT_EQ(set.sample(0, wanted), count_to(6)) << tensor::to_string(wanted);
  }
}

TEST(DataSet, FlatSamplesAndFlatInputsAreReshaped) {
  EXPECT_EQ(counting({3, 2, 2}).sample(0, {1, 12}), count_to(12));
  EXPECT_EQ(counting({12}).sample(0, {1, 3, 2, 2}), count_to(12));
  EXPECT_EQ(counting({2, 6}).sample(0, {12}), count_to(12));
}

TEST(DataSet, OtherShapesAreRefusedShowingBoth) {
  const auto error = thrown_by<DataError>([] { counting({32, 32, 3}).sample(0, {1, 3, 32, 32}); });
  EXPECT_THAT(error.problem(), HasSubstr("32x32x3"));
  EXPECT_THAT(error.problem(), HasSubstr("1x3x32x32"));
  EXPECT_THAT(error.remedy(), HasSubstr("layout"));
  thrown_by<DataError>([] { counting({28, 28}).sample(0, {1, 785}); });
  thrown_by<DataError>([] { counting({4, 6}).sample(0, {6, 4}); });
  thrown_by<DataError>([] { counting({2, 3, 4, 5}).sample(0, {5, 4, 3, 2}); });
}

TEST(DataSet, AnInputWithChannelsLastGetsThemLast) {
  // Two channels of 2x3: pixel (h, w) of channel c is 6c + 3h + w.
  EXPECT_THAT(counting({2, 2, 3}).sample(0, {1, 2, 3, 2}), ElementsAre(0, 6, 1, 7, 2, 8, 3, 9, 4, 10, 5, 11));
}

TEST(DataSet, SamplesWithChannelsLastGetThemFirst) {
  // 2x3 pixels of two channels: channel c of pixel p is 2p + c.
  const DataSet set = counting({2, 3, 2}, kUnscaledChannelsLast);
  const std::vector<double> channels_first = {0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11};
  EXPECT_EQ(set.sample(0, {1, 2, 2, 3}), channels_first);
  EXPECT_EQ(set.sample(0, {12}), channels_first);
  EXPECT_EQ(set.sample(0, {1, 2, 3, 2}), count_to(12)) << "the input wants channels last, too";
}

TEST(DataSet, AFlatSampleWithChannelsLastTakesItsImageFromTheInput) {
  const DataSet set = counting({12}, kUnscaledChannelsLast);
  EXPECT_EQ(set.sample(0, {1, 2, 2, 3}), (std::vector<double>{0, 2, 4, 6, 8, 10, 1, 3, 5, 7, 9, 11}));
  EXPECT_EQ(set.sample(0, {3, 2, 2}), (std::vector<double>{0, 3, 6, 9, 1, 4, 7, 10, 2, 5, 8, 11}));
  thrown_by<DataError>([&] { set.sample(0, {1, 12}); });  // the order of channels is not known
  thrown_by<DataError>([&] { set.sample(0, {2, 1, 2, 3}); });
}

TEST(DataSet, AFlatSampleIsNotScrambledForAnInputThatHasChannelsLast) {
  thrown_by<DataError>([] { counting({3072}, kUnscaledChannelsLast).sample(0, {1, 32, 32, 3}); });
  thrown_by<DataError>([] { counting({784}, kUnscaledChannelsLast).sample(0, {1, 28, 28, 1}); });
  EXPECT_EQ(counting({3072}).sample(0, {1, 32, 32, 3}), count_to(3072));
}

TEST(DataSet, AGreyImageIsTheSameWithChannelsFirstAndLast) {
  EXPECT_EQ(counting({4, 5}, kUnscaledChannelsLast).sample(0, {1, 1, 4, 5}), count_to(20));
  EXPECT_EQ(counting({4, 5, 1}, kUnscaledChannelsLast).sample(0, {1, 1, 4, 5}), count_to(20));
  EXPECT_EQ(counting({20}, kUnscaledChannelsLast).sample(0, {1, 1, 4, 5}), count_to(20));
}

TEST(DataSet, SamplesThatDoNotFitAreExplained) {
  const DataSet set("set", {3, 2, 2}, std::vector<float>(12), {}, kUnscaled);
  const auto remedy = [&](const tensor::Shape& wanted) {
    return thrown_by<DataError>([&] { set.sample(0, wanted); }).remedy();
  };
  EXPECT_NE(remedy({1, 6, 2}).find("layout"), std::string::npos);
  EXPECT_NE(remedy({64, 3, 2, 2}).find("takes 64 samples at a time"), std::string::npos);
  EXPECT_NE(remedy({1, 3, 28, 28}).find("a sample has 12 numbers, the input 2352"), std::string::npos);
  EXPECT_EQ(remedy({64, 3, 2, 2}).find("layout"), std::string::npos);
}

}  // namespace
}  // namespace plumb::data
