#include "verify/test_error.h"

#include <gtest/gtest.h>

#include "base/error.h"

namespace plumb::verify {
namespace {

// The outputs are the inputs.
network::Network identity(std::int64_t size) {
  return network::Network({{"x", network::Input{0}, {}, {size}}, {"y", network::Relu{}, {0}, {size}}}, {{"x", {size}}},
                          {{"y", {size}, 1}});
}

data::DataSet samples(std::vector<double> values, std::vector<std::int64_t> labels) {
  return data::DataSet("test data", {3}, std::move(values), std::move(labels), {});
}

TestErrorOptions all(const data::DataSet& data) {
  TestErrorOptions options;
  options.last = data.size();
  return options;
}

TEST(TestError, CountsSamplesWhoseLabelIsNotTheLargestOutput) {
  const data::DataSet data = samples({1, 2, 3, 3, 2, 1, 0, 5, 0}, {2, 2, 1});
  const TestError result = test_error(shared(identity(3)), data, all(data));
  EXPECT_EQ(result.errors, 1);
  EXPECT_EQ(result.predicted, (std::vector<std::int64_t>{2, 0, 1}));
}

TEST(TestError, ATieIsAnError) {
  const data::DataSet data = samples({5, 5, 0, 5, 5, 0}, {0, 1});
  EXPECT_EQ(test_error(shared(identity(3)), data, all(data)).errors, 2);
}

TEST(TestError, RefusesALabelOutsideOfTheOutputs) {
  const data::DataSet data = samples({1, 2, 3}, {3});
  try {
    test_error(shared(identity(3)), data, all(data));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find("label 3"), std::string::npos) << error.what();
  }
}

TEST(TestError, RefusesASampleOfAnotherShapeAndShowsBoth) {
  const data::DataSet data = samples({1, 2, 3}, {0});
  try {
    test_error(shared(identity(4)), data, all(data));
    FAIL();
  } catch (const DataError& error) {
    EXPECT_NE(std::string(error.what()).find('3'), std::string::npos) << error.what();
    EXPECT_NE(std::string(error.what()).find('4'), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace plumb::verify
