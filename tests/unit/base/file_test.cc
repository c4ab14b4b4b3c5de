#include "base/file.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <sys/stat.h>
#include <unistd.h>

#include "support/made_files.h"
#include "support/thrown_error.h"

namespace plumb {
namespace {

using testing::HasSubstr;

// Text that compresses badly and is longer than any buffer.
std::string long_text() {
  std::string text;
  for (std::uint32_t i = 0; i < 100'000; ++i) text += std::to_string(i * 2654435761U) + "\n";
  return text;
}

TEST(ReadFile, ReturnsPlainFilesByteForByte) {
  const TemporaryDirectory directory;
  const std::string content = std::string("a\0b\r\n", 5) + long_text();
  EXPECT_EQ(read_file(directory.write("plain.gz", content)), content);
}

TEST(ReadFile, UncompressesGzipWhateverTheFileIsCalled) {
  const TemporaryDirectory directory;
  const std::string content = long_text();
  EXPECT_EQ(read_file(directory.write("a.bin", gzipped(content))), content);
}

TEST(ReadFile, ReturnsAnEmptyFileAsEmpty) {
  const TemporaryDirectory directory;
  EXPECT_EQ(read_file(directory.write("empty", "")), "");
  EXPECT_EQ(read_file(directory.write("empty.gz", gzipped(""))), "");
}

TEST(ReadFile, SaysWhichFileIsMissing) {
  const TemporaryDirectory directory;
  const auto error = thrown_by<FileError>([&] { read_file(directory.path() / "no_such_file"); });
  EXPECT_THAT(error.where(), HasSubstr("no_such_file"));
  EXPECT_THAT(error.problem(), HasSubstr("No such file"));
  EXPECT_THAT(error.remedy(), HasSubstr("path"));
  EXPECT_EQ(error.kind(), ErrorKind::kFile);
}

TEST(ReadFile, RefusesADirectory) {
  const TemporaryDirectory directory;
  const auto error = thrown_by<FileError>([&] { read_file(directory.path()); });
  EXPECT_THAT(error.problem(), HasSubstr("directory"));
}

TEST(ReadFile, RefusesAFileUsedAsADirectory) {
  const TemporaryDirectory directory;
  const auto file = directory.write("file", "x");
  thrown_by<FileError>([&] { read_file(file / "below"); });
}

TEST(ReadFile, SaysThatPermissionIsMissing) {
  const TemporaryDirectory directory;
  const auto file = directory.write("secret", "x");
  chmod(file.c_str(), 0);
  // Root may read everything, so become an unprivileged user for this test.
  const bool is_root = geteuid() == 0;
  ASSERT_EQ(seteuid(is_root ? 65534 : geteuid()), 0);
  const auto error = thrown_by<FileError>([&] { read_file(file); });
  ASSERT_EQ(seteuid(is_root ? 0 : geteuid()), 0);
  EXPECT_THAT(error.problem(), HasSubstr("Permission denied"));
  EXPECT_THAT(error.remedy(), HasSubstr("readable"));
}

TEST(ReadFile, ReportsAReadErrorOfTheSystem) {
  // The file can be opened, but reading fails: nothing is mapped at the beginning of a process's memory.
  const auto error = thrown_by<FileError>([] { read_file("/proc/self/mem"); });
  EXPECT_THAT(error.problem(), HasSubstr("cannot be read: "));
}

TEST(ReadFile, StopsAtTheLimit) {
  const TemporaryDirectory directory;
  const auto file = directory.write("ten", "0123456789");
  EXPECT_EQ(read_file(file, 10), "0123456789");
  const auto error = thrown_by<DataError>([&] { read_file(file, 9); });
  EXPECT_THAT(error.problem(), HasSubstr("larger than 9 bytes"));
  EXPECT_THAT(error.where(), HasSubstr("ten"));
}

TEST(Uncompressed, JoinsTheMembersOfAGzipFile) {
  EXPECT_EQ(uncompressed(gzipped("one ") + gzipped("") + gzipped("two"), "f"), "one two");
}

TEST(Uncompressed, LeavesOtherBytesAlone) {
  EXPECT_EQ(uncompressed("", "f"), "");
  EXPECT_EQ(uncompressed("\x1f", "f"), "\x1f");
  EXPECT_EQ(uncompressed("PK\x03\x04", "f"), "PK\x03\x04");
}

TEST(Uncompressed, RefusesAGzipStreamCutAtAnyPlace) {
  const std::string whole = gzipped("the quick brown fox jumps over the lazy dog");
  for (std::size_t length = 2; length < whole.size(); ++length) {
    const auto error = thrown_by<DataError>([&] { uncompressed(whole.substr(0, length), "fox.gz"); });
    EXPECT_THAT(error.problem(), HasSubstr("truncated")) << length;
    EXPECT_EQ(error.where(), "fox.gz");
  }
}

TEST(Uncompressed, RefusesASecondMemberThatIsCutShort) {
  const std::string second = gzipped("two");
  thrown_by<DataError>([&] { uncompressed(gzipped("one") + second.substr(0, second.size() - 1), "f"); });
}

TEST(Uncompressed, NoticesOneWrongByteInContentOrChecksum) {
  const std::string content = long_text();
  const std::string whole = gzipped(content);
  for (const std::size_t at : {whole.size() / 2, whole.size() - 6, whole.size() - 2}) {
    std::string broken = whole;
    broken[at] = static_cast<char>(broken[at] ^ 1);
    thrown_by<DataError>([&] { uncompressed(broken, "f"); });
  }
}

TEST(Uncompressed, RefusesBytesAfterTheEnd) {
  const auto error = thrown_by<DataError>([] { uncompressed(gzipped("x") + "junk", "f.gz"); });
  EXPECT_THAT(error.problem(), HasSubstr("4 bytes follow"));
  thrown_by<DataError>([] { uncompressed(gzipped("x") + std::string(512, '\0'), "f.gz"); });
}

TEST(Uncompressed, StopsABombAtTheLimit) {
  const std::string bomb = gzipped(std::string(std::size_t{64} << 20, '\0'));
  ASSERT_LT(bomb.size(), 100'000U);
  const auto error = thrown_by<DataError>([&] { uncompressed(bomb, "bomb.gz", 1 << 20); });
  EXPECT_THAT(error.problem(), HasSubstr("larger than 1048576 bytes"));
}

TEST(Uncompressed, AcceptsExactlyTheLimit) {
  const std::string content(1 << 20, 'a');
  EXPECT_EQ(uncompressed(gzipped(content), "f", 1 << 20), content);
  thrown_by<DataError>([&] { uncompressed(gzipped(content + "a"), "f", 1 << 20); });
}

}  // namespace
}  // namespace plumb
