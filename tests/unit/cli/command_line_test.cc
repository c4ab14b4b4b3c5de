#include "cli/command_line.h"

#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cstdint>
#include <limits>
#include <string>
#include <utility>
#include <vector>

#include "cli/usage_error.h"

namespace plumb::cli {
namespace {

// A command line with the command "go", whose exit code is 7, and "stop", whose exit code is 8.
class CommandLineTest : public testing::Test {
 protected:
  CommandLineTest() {
    go.action([] { return 7; });
    line.add_command("stop", "").action([] { return 8; });
  }

  int run(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "plumb");
    return line.run(static_cast<int>(arguments.size()), arguments.data());
  }

  // Empty if there is no error.
  std::string complaint(std::vector<const char*> arguments) {
    try {
      run(std::move(arguments));
    } catch (const UsageError& error) {
      return error.problem();
    }
    return "";
  }

  CommandLine line{"", "plumb 1.2.3", ""};
  Command go = line.add_command("go", "");
};

TEST_F(CommandLineTest, RunsTheCommandThatIsGiven) {
  EXPECT_EQ(run({"go"}), 7);
  EXPECT_EQ(run({"stop"}), 8);
}

TEST_F(CommandLineTest, NamesACommandThatIsNotThere) {
  EXPECT_EQ(complaint({"fly"}), "unknown command 'fly'");
  EXPECT_EQ(complaint({}), "no command given");
}

TEST_F(CommandLineTest, AnswersVersionWithoutACommand) {
  testing::internal::CaptureStdout();
  EXPECT_EQ(run({"--version"}), 0);
  EXPECT_EQ(testing::internal::GetCapturedStdout(), "plumb 1.2.3\n");
}

TEST_F(CommandLineTest, HelpShowsTheDefaultAndWhatStandsForTheValue) {
  double memory = 4;
  go.add_option("--memory", memory, "What it may take").show_default().type_name("GIB");
  go.footer("Example: plumb go");
  testing::internal::CaptureStdout();
  EXPECT_EQ(run({"go", "--help"}), 0);
  const std::string help = testing::internal::GetCapturedStdout();
  EXPECT_NE(help.find("--memory GIB=4"), std::string::npos) << help;
  EXPECT_NE(help.find("Example: plumb go\n"), std::string::npos) << help;
}

TEST_F(CommandLineTest, SetsVariablesOfEveryKind) {
  std::string text;
  int number = 0;
  std::int64_t large = 0;
  std::uint64_t seed = 0;
  double real = 0;
  std::vector<std::string> words;
  std::vector<std::int64_t> list;
  bool quiet = false, json = false;
  go.add_option("text", text, "");
  go.add_option("--number", number, "");
  go.add_option("--large", large, "");
  go.add_option("--seed", seed, "");
  go.add_option("--real", real, "");
  go.add_option("--word", words, "").one_value_each();
  go.add_option("--list", list, "").delimiter(',');
  go.add_flag("-q,--quiet", quiet, "");
  go.add_flag("--json", json, "");
  run({"go", "--word", "a", "file", "--word", "b", "--number", "-3", "--large", "-9223372036854775808", "--seed",
       "18446744073709551615", "--real", "1e-3", "--list", "3,5", "-q"});
  EXPECT_EQ(text, "file");
  EXPECT_EQ(number, -3);
  EXPECT_EQ(large, std::numeric_limits<std::int64_t>::min());
  EXPECT_EQ(seed, std::numeric_limits<std::uint64_t>::max());
  EXPECT_EQ(real, 1e-3);
  EXPECT_EQ(words, (std::vector<std::string>{"a", "b"}));
  EXPECT_EQ(list, (std::vector<std::int64_t>{3, 5}));
  EXPECT_TRUE(quiet);
  EXPECT_FALSE(json);
}

TEST_F(CommandLineTest, RefusesValuesThatAreNotAllowed) {
  int positive = 1, natural = 0, percent = 0;
  std::string norm;
  go.add_option("--positive", positive, "").positive();
  go.add_option("--natural", natural, "").not_negative();
  go.add_option("--percent", percent, "").within(0, 100);
  go.add_option("--norm", norm, "").one_of({"l1", "l2"});
  EXPECT_EQ(complaint({"go", "--positive", "1", "--natural", "0", "--percent", "100", "--norm", "l2"}), "");
  EXPECT_EQ(complaint({"go", "--positive", "0"}), "--positive: must be a whole number from 1 to 2147483647, not '0'");
  EXPECT_EQ(complaint({"go", "--natural", "-1"}), "--natural: must be a whole number from 0 to 2147483647, not '-1'");
  EXPECT_EQ(complaint({"go", "--percent", "101"}), "--percent: must be a whole number from 0 to 100, not '101'");
  EXPECT_EQ(complaint({"go", "--norm", "l3"}), "--norm: must be one of l1, l2, not 'l3'");
  EXPECT_NE(complaint({"go", "--positive", "one"}), "");
}

// A number that does not fit the variable would become another number there.
TEST_F(CommandLineTest, WholeNumbersThatDoNotFitAreRefusedWithTheRangeThatDoes) {
  int number = 5;
  std::int64_t large = 5;
  std::uint64_t seed = 5;
  std::vector<std::int64_t> list;
  go.add_option("--number", number, "");
  go.add_option("--large", large, "").positive();
  go.add_option("--seed", seed, "");
  go.add_option("--list", list, "").delimiter(',').not_negative();
  const struct {
    const char *option, *value, *range;
  } refused[] = {{"--number", "2147483648", "-2147483648 to 2147483647"},
                 {"--number", "-2147483649", "-2147483648 to 2147483647"},
                 {"--number", "4294967297", "-2147483648 to 2147483647"},
                 {"--large", "9223372036854775808", "1 to 9223372036854775807"},
                 {"--large", "99999999999999999999", "1 to 9223372036854775807"},
                 {"--large", "-1", "1 to 9223372036854775807"},
                 {"--large", "0", "1 to 9223372036854775807"},
                 {"--seed", "-1", "0 to 18446744073709551615"},
                 {"--seed", "18446744073709551616", "0 to 18446744073709551615"},
                 {"--seed", "-99999999999999999999", "0 to 18446744073709551615"}};
  for (const auto& [option, value, range] : refused) {
    EXPECT_EQ(complaint({"go", option, value}),
              fmt::format("{}: must be a whole number from {}, not '{}'", option, range, value));
  }
  for (const char* text : {"", "1.5", "1e3", "0x10", "1 ", " 1", "one", "1,2", "--1", "+", "1'000", "nan"}) {
    EXPECT_NE(complaint({"go", "--number", text}), "") << text;
  }
  EXPECT_EQ(complaint({"go", "--list", "3,-5"}),
            "--list: must be a whole number from 0 to 9223372036854775807, not '-5'");
  EXPECT_EQ(number, 5);
  EXPECT_EQ(large, 5);
  EXPECT_EQ(seed, 5U);
  run({"go", "--number", "010", "--large", "9223372036854775807", "--seed", "0"});
  EXPECT_EQ(number, 10);
  EXPECT_EQ(large, std::numeric_limits<std::int64_t>::max());
  EXPECT_EQ(seed, 0U);
}

TEST_F(CommandLineTest, RealNumbersAreFinite) {
  double any = 5, positive = 5, share = 5;
  go.add_option("--any", any, "");
  go.add_option("--positive", positive, "").positive();
  go.add_option("--share", share, "").within(0, 1);
  EXPECT_EQ(complaint({"go", "--positive", "0"}), "--positive: must be a number > 0, not '0'");
  EXPECT_EQ(complaint({"go", "--share", "1.5"}), "--share: must be a number from 0 to 1, not '1.5'");
  for (const char* text : {"nan", "inf", "-inf", "1e999", "1e", "", "1 2", "x"}) {
    EXPECT_EQ(complaint({"go", "--any", text}), fmt::format("--any: must be a number, not '{}'", text));
    EXPECT_NE(complaint({"go", "--positive", text}), "") << text;
  }
  run({"go", "--any", "-2.5e-3", "--positive", ".5", "--share", "0"});
  EXPECT_EQ(any, -2.5e-3);
  EXPECT_EQ(positive, 0.5);
  EXPECT_EQ(share, 0);
}

TEST_F(CommandLineTest, RefusesOptionsThatDoNotGoTogether) {
  std::string a, b, c;
  Option first = go.add_option("--first", a, "");
  go.add_option("--rival", b, "").excludes(first);
  go.add_option("--friend", c, "").needs(go.option("--first"));
  EXPECT_EQ(complaint({"go", "--first", "1", "--friend", "3"}), "");
  EXPECT_EQ(complaint({"go", "--rival", "2"}), "");
  EXPECT_NE(complaint({"go", "--first", "1", "--rival", "2"}), "");
  EXPECT_EQ(complaint({"go", "--friend", "3"}), "--friend requires --first");
}

TEST_F(CommandLineTest, AsksForWhatIsRequiredUnlessThatIsTakenBack) {
  std::string a;
  go.add_option("--data", a, "").required();
  EXPECT_EQ(complaint({"go"}), "--data is required");
  go.option("--data").required(false);
  EXPECT_EQ(complaint({"go"}), "");
}

}  // namespace
}  // namespace plumb::cli
