#include "data/npz.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/made_files.h"
#include "support/thrown_error.h"

namespace plumb::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

std::string npz(const std::map<std::string, std::string>& members, int method = ZIP_CM_DEFLATE) {
  const TemporaryDirectory directory;
  write_zip(directory.path() / "a.npz", members, method);
  return read_file(directory.path() / "a.npz");
}

const std::string kSamples = npy("|u1", "(2, 3)", "abcdef");
const std::string kLabels = npy("<i8", "(2,)", raw<std::int64_t>({7, 1}));

TEST(Npz, SamplesAndLabelsAreFoundByAnyOfTheirNames) {
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    for (const char* x : {"x", "X", "images", "data", "inputs"}) {
      for (const char* y : {"y", "Y", "labels", "targets"}) {
        const std::string file = npz({{std::string(x) + ".npy", kSamples}, {std::string(y) + ".npy", kLabels}}, method);
        const NpzArrays arrays = read_npz(file, "f");
        EXPECT_EQ(arrays.samples.shape, (tensor::Shape{2, 3}));
        ASSERT_TRUE(arrays.labels);
        EXPECT_THAT(std::get<std::vector<std::int64_t>>(arrays.labels->values), ElementsAre(7, 1));
      }
    }
  }
}

TEST(Npz, OtherArraysAndFilesDoNotDisturb) {
  const std::string file =
      npz({{"notes.txt", "hello"}, {"extra.npy", "junk"}, {"x.npy", kSamples}, {"y.npy", kLabels}});
  EXPECT_TRUE(read_npz(file, "f").labels);
}

TEST(Npz, SamplesAloneNeedNoLabels) { EXPECT_FALSE(read_npz(npz({{"x.npy", kSamples}}), "f").labels); }

TEST(Npz, WithoutKnownNamesTheArraysAreListed) {
  const auto error = thrown_by<DataError>([] { read_npz(npz({{"a.npy", kSamples}, {"b.npy", kLabels}}), "f.npz"); });
  EXPECT_EQ(error.where(), "f.npz");
  EXPECT_THAT(error.problem(), HasSubstr("its arrays are a, b"));
  EXPECT_THAT(error.remedy(), HasSubstr("numpy.savez"));
  EXPECT_THAT(thrown_by<DataError>([] { read_npz(npz({{"a.txt", "a"}}), "f"); }).problem(), HasSubstr("no arrays"));
}

TEST(Npz, LabelsOfAnotherNameAreNotOverlooked) {
  const auto error = thrown_by<DataError>([] { read_npz(npz({{"x.npy", kSamples}, {"label.npy", kLabels}}), "f"); });
  EXPECT_THAT(error.problem(), HasSubstr("no array is named y; its arrays are label, x"));
}

TEST(Npz, TwoCandidatesAreNotGuessedBetween) {
  const auto error = thrown_by<DataError>([] {
    read_npz(npz({{"x.npy", kSamples}, {"data.npy", kSamples}, {"y.npy", kLabels}}), "f");
  });
  EXPECT_THAT(error.problem(), HasSubstr("data and x"));
}

TEST(Npz, ABrokenMemberIsNamed) {
  const auto error = thrown_by<DataError>([] { read_npz(npz({{"x.npy", "junk"}}), "f.npz"); });
  EXPECT_EQ(error.where(), "f.npz: x.npy");
}

TEST(Npz, AnArchiveCutAnywhereIsRefused) {
  const std::string whole = npz({{"x.npy", kSamples}, {"y.npy", kLabels}});
  for (std::size_t length = 0; length < whole.size(); ++length) {
    thrown_by<DataError>([&] { read_npz(whole.substr(0, length), "f"); });
  }
}

TEST(Npz, AWrongByteIsNoticedByTheChecksum) {
  std::string payload;
  for (std::uint32_t i = 0; i < 4000; ++i) payload.push_back(static_cast<char>(i * i * 2654435761U >> 24));
  for (const int method : {ZIP_CM_STORE, ZIP_CM_DEFLATE}) {
    std::string file = npz({{"x.npy", npy("|u1", "(1, 4000)", payload)}}, method);
    char& in_the_middle = file[file.size() / 2];
    in_the_middle = static_cast<char>(in_the_middle ^ 4);
    const auto error = thrown_by<DataError>([&] { read_npz(file, "f"); });
    EXPECT_THAT(error.problem(), HasSubstr("cannot be unpacked"));
  }
}

TEST(Npz, ABombStopsAtTheLimit) {
  const std::string file = npz({{"x.npy", npy("|u1", "(1, 30000000)", std::string(30'000'000, '\0'))}});
  ASSERT_LT(file.size(), 100'000U);
  const auto error = thrown_by<DataError>([&] { read_npz(file, "f", 1 << 20); });
  EXPECT_THAT(error.problem(), HasSubstr("larger than 1048576 bytes"));
}

TEST(Npz, OtherFilesAreRefused) {
  thrown_by<DataError>([] { read_npz("", "f"); });
  thrown_by<DataError>([] { read_npz(kSamples, "f"); });
}

}  // namespace
}  // namespace plumb::data
