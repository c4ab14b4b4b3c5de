#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <fstream>

#include <filesystem>

#include "data/data_set.h"
#include "support/made_files.h"
#include "support/thrown_error.h"

namespace plumb::data {
namespace {

using testing::ElementsAre;
using testing::HasSubstr;

TEST(ReadDataSet, FindsMnistUnderItsUsualNames) {
  const std::string images = idx_images(2, 1, 2, std::string("\x00\xff\x33\x66", 4));
  const std::string labels = idx_labels(2, std::string("\x05\x00", 2));
  for (const char* separator : {"-", "."}) {
    for (const bool compressed : {false, true}) {
      const TemporaryDirectory directory;
      const std::string suffix = compressed ? ".gz" : "";
      directory.write(std::string("t10k-images") + separator + "idx3-ubyte" + suffix,
                      compressed ? gzipped(images) : images);
      directory.write(std::string("t10k-labels") + separator + "idx1-ubyte" + suffix,
                      compressed ? gzipped(labels) : labels);
      const DataSet set = read_data_set("mnist:" + directory.path().string(), {});
      EXPECT_EQ(set.size(), 2);
      EXPECT_EQ(set.sample_shape(), (tensor::Shape{1, 1, 2}));
      EXPECT_EQ(set.label(0), 5);
      EXPECT_THAT(set.sample(1, {2}), ElementsAre(0.2F, 0.4F));
    }
  }
}

TEST(ReadDataSet, MnistNeedsAsManyLabelsAsImages) {
  const TemporaryDirectory directory;
  directory.write("t10k-images-idx3-ubyte", idx_images(2, 1, 1, "ab"));
  directory.write("t10k-labels-idx1-ubyte", idx_labels(3, "abc"));
  const auto error = thrown_by<DataError>([&] { read_data_set("mnist:" + directory.path().string(), {}); });
  EXPECT_THAT(error.problem(), HasSubstr("3 labels"));
  EXPECT_THAT(error.problem(), HasSubstr("2 images"));
}

TEST(ReadDataSet, MnistAndCifar10CannotHaveChannelsLast) {
  for (const char* specification : {"mnist:somewhere", "cifar10:somewhere"}) {
    const auto error = thrown_by<ArgumentError>([&] {
      read_data_set(specification, {std::nullopt, Layout::kChannelsLast});
    });
    EXPECT_EQ(error.where(), "layout");
  }
}

TEST(ReadDataSet, SaysWhatItLookedForInADirectory) {
  const TemporaryDirectory directory;
  const auto mnist = thrown_by<FileError>([&] { read_data_set("mnist:" + directory.path().string(), {}); });
  EXPECT_EQ(mnist.where(), directory.path().string());
  EXPECT_THAT(mnist.remedy(), HasSubstr("t10k-images-idx3-ubyte, t10k-images-idx3-ubyte.gz, t10k-images.idx3-ubyte"));
  const auto cifar = thrown_by<FileError>([&] { read_data_set("cifar10:" + directory.path().string(), {}); });
  EXPECT_THAT(cifar.remedy(), HasSubstr("test_batch.bin.gz"));
}

TEST(ReadDataSet, TellsAMissingDirectoryFromAFile) {
  const TemporaryDirectory directory;
  const auto missing = thrown_by<FileError>([&] { read_data_set("mnist:" + (directory.path() / "no").string(), {}); });
  EXPECT_THAT(missing.problem(), HasSubstr("no such directory"));
  const auto file = directory.write("file", "x");
  EXPECT_THAT(thrown_by<FileError>([&] { read_data_set("cifar10:" + file.string(), {}); }).problem(),
              HasSubstr("not a directory"));
}

TEST(ReadDataSet, ADirectoryOfTheRightNameIsNoFile) {
  const TemporaryDirectory directory;
  directory.write("t10k-images-idx3-ubyte/inside", "x");
  thrown_by<FileError>([&] { read_data_set("mnist:" + directory.path().string(), {}); });
}

TEST(ReadDataSet, FindsCifar10InItsDirectoryOrAboveIt) {
  const std::string record = std::string("\x08", 1) + std::string(3072, '\xff');
  for (const char* name : {"test_batch.bin", "test_batch.bin.gz", "cifar-10-batches-bin/test_batch.bin"}) {
    const TemporaryDirectory directory;
    directory.write(name, std::string(name).ends_with("gz") ? gzipped(record) : record);
    const DataSet set = read_data_set("cifar10:" + directory.path().string(), {});
    EXPECT_EQ(set.size(), 1);
    EXPECT_EQ(set.label(0), 8);
    EXPECT_EQ(set.sample_shape(), (tensor::Shape{3, 32, 32}));
    EXPECT_EQ(set.sample(0, {1, 3, 32, 32}), std::vector<double>(3072, 1.0));
  }
}

TEST(ReadDataSet, ReadsNumpyFilesWithAndWithoutLabels) {
  const TemporaryDirectory directory;
  const auto x = directory.write("x.npy", npy("<f4", "(2, 1, 3)", raw<float>({1, 2, 3, 4, 5, 6})));
  const auto y = directory.write("y.npy", npy("<i8", "(2, 1)", raw<std::int64_t>({4, 2})));
  const DataSet set = read_data_set("npy:" + x.string() + "," + y.string(), {});
  EXPECT_EQ(set.sample_shape(), (tensor::Shape{1, 3}));
  EXPECT_EQ(set.label(1), 2);
  EXPECT_THAT(set.sample(1, {3}), ElementsAre(4, 5, 6));
  EXPECT_FALSE(read_data_set("npy:" + x.string(), {}).has_labels());
}

TEST(ReadDataSet, ReadsNumpyArchives) {
  const TemporaryDirectory directory;
  const auto path = directory.path() / "set.npz";
  write_zip(path, {{"x.npy", npy("|u1", "(2, 2)", "\xff\xff\x33\x33")}, {"y.npy", npy("|u1", "(2,)", "\x01\x02")}},
            ZIP_CM_DEFLATE);
  const DataSet set = read_data_set("npz:" + path.string(), {});
  EXPECT_EQ(set.label(1), 2);
  EXPECT_THAT(set.sample(1, {2}), ElementsAre(0.2F, 0.2F));
}

TEST(ReadDataSet, RefusesArraysThatAreNoSamplesOrLabels) {
  const TemporaryDirectory directory;
  const auto read = [&](const std::string& x, const std::string& y) {
    const auto x_path = directory.write("x.npy", x);
    const auto y_path = directory.write("y.npy", y);
    read_data_set("npy:" + x_path.string() + "," + y_path.string(), {});
  };
  const std::string x = npy("|u1", "(2, 1)", "ab");
  EXPECT_THAT(thrown_by<DataError>([&] { read(npy("|u1", "(2,)", "ab"), npy("|u1", "(2,)", "ab")); }).remedy(),
              HasSubstr("first axis"));
  EXPECT_THAT(thrown_by<DataError>([&] { read(npy("<i2", "(1, 1)", "ab"), npy("|u1", "(1,)", "a")); }).remedy(),
              HasSubstr("astype"));
  EXPECT_THAT(thrown_by<DataError>([&] { read(x, npy("<f4", "(2,)", "12345678")); }).problem(),
              HasSubstr("not integers"));
  EXPECT_THAT(thrown_by<DataError>([&] { read(x, npy("|u1", "(2, 2)", "abcd")); }).remedy(), HasSubstr("argmax"));
  EXPECT_THAT(thrown_by<DataError>([&] { read(x, npy("|u1", "(0,)", "")); }).problem(), HasSubstr("2 samples"));
  EXPECT_THAT(thrown_by<DataError>([&] { read(x, npy("|i1", "(2,)", "\x01\xff")); }).problem(), HasSubstr("-1"));
  thrown_by<DataError>([&] { read(npy("|u1", "(0, 4)", ""), npy("|u1", "(0,)", "")); });
  thrown_by<DataError>([&] { read(npy("|u1", "(4, 0)", ""), npy("|u1", "(4,)", "abcd")); });
}

TEST(ReadDataSet, ReadsCsvPlainAndCompressed) {
  const TemporaryDirectory directory;
  for (const auto& path : {directory.write("a.csv", "3,0,255\n"), directory.write("a.csv.gz", gzipped("3,0,255\n"))}) {
    EXPECT_THAT(read_data_set("csv:" + path.string(), {}).sample(0, {2}), ElementsAre(0, 255));
    const DataSetOptions scaled{"1/255", Layout::kChannelsFirst};
    EXPECT_THAT(read_data_set("csv:" + path.string(), scaled).sample(0, {2}), ElementsAre(0, 1));
  }
}

TEST(ReadDataSet, CsvValuesAreFloat32) {
  const TemporaryDirectory directory;
  const auto path = directory.write("a.csv", "0,0.1\n");
  EXPECT_THAT(read_data_set("csv:" + path.string(), {}).sample(0, {1}), ElementsAre(0.1F));
}

TEST(ReadDataSet, ListsTheFormsIfASpecificationIsNone) {
  for (const char* specification : {"", ":", "mnist", "mnist:", "MNIST:dir", "jpeg:dir", "/data/mnist", ":dir"}) {
    const auto error = thrown_by<ArgumentError>([&] { read_data_set(specification, {}); });
    EXPECT_EQ(error.where(), "data");
    for (const char* form : {"mnist:DIR", "cifar10:DIR", "npz:FILE", "npy:X,Y", "csv:FILE", "for example"}) {
      EXPECT_THAT(error.remedy(), HasSubstr(form)) << specification;
    }
  }
}

TEST(ReadDataSet, NpyNamesOneOrTwoFiles) {
  for (const char* specification : {"npy:,", "npy:x,", "npy:,y", "npy:x,y,z"}) {
    thrown_by<ArgumentError>([&] { read_data_set(specification, {}); });
  }
}

TEST(ReadDataSet, RefusesAScaleBeforeLookingForFiles) {
  for (const char* scale : {"0", "-1", "1/0", "nan", "inf", "one"}) {
    thrown_by<ArgumentError>([&] { read_data_set("mnist:/no/such/place", {scale, Layout::kChannelsFirst}); });
  }
}

TEST(ReadDataSet, MissingFilesAreFileErrors) {
  for (const char* specification : {"npz:/no/such/file", "npy:/no/such/file", "csv:/no/such/file"}) {
    const auto error = thrown_by<FileError>([&] { read_data_set(specification, {}); });
    EXPECT_EQ(error.where(), "/no/such/file");
  }
}

TEST(ReadDataSet, EmptyFilesAreDataErrors) {
  const TemporaryDirectory directory;
  const std::string empty = directory.write("empty", "").string();
  for (const char* kind : {"npz:", "npy:", "csv:"}) {
    EXPECT_EQ(thrown_by<DataError>([&] { read_data_set(kind + empty, {}); }).where(), empty);
  }
}

TEST(ReadDataSet, PathsOfASpecificationCanBeginInAnotherFolder) {
  const std::filesystem::path folder = std::filesystem::path(::testing::TempDir()) / "plumb_specification";
  std::filesystem::create_directories(folder);
  for (const char* name : {"x.npy", "y,z.npz"}) std::ofstream(folder / name) << "content";
  const std::string x = (folder / "x.npy").string();
  EXPECT_EQ(specification_in(folder, "npy:x.npy,x.npy"), "npy:" + x + "," + x);
  EXPECT_EQ(specification_in(folder, "npz:y,z.npz"), "npz:" + (folder / "y,z.npz").string());
  EXPECT_EQ(specification_in("/no/such/folder", "csv:" + x), "csv:" + x);
  EXPECT_EQ(specification_in(folder, "npy:x.npy,y.npy"), std::nullopt);
  EXPECT_EQ(specification_in(folder, "x.npy"), std::nullopt);
  std::filesystem::remove_all(folder);
}

}  // namespace
}  // namespace plumb::data
