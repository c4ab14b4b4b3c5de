// Advice about commands and options that do not exist.
#include "cli/misspelt.h"

#include <gtest/gtest.h>

#include "cli/command_line.h"
#include "cli/nearest_name.h"
#include "cli/usage_error.h"

namespace plumb::cli {
namespace {

class MisspeltTest : public testing::Test {
 protected:
  MisspeltTest() {
    Command verify = line_.add_command("verify", "");
    verify.add_option("network", text_, "The network").required().type_name("NET");
    verify.add_option("--eps", text_, "").type_name("E");
    verify.add_option("--norm", text_, "").one_of({"linf", "l1", "l2"});
    verify.add_flag("-q,--quiet", flag_, "");
    verify.action([] { return 0; });
    Command accuracy = line_.add_command("accuracy", "");
    accuracy.add_option("--out", text_, "");
    accuracy.action([] { return 0; });
  }

  // The problem and the remedy; empty if there is no error.
  std::string complaint(std::vector<const char*> arguments) {
    arguments.insert(arguments.begin(), "plumb");
    try {
      line_.run(static_cast<int>(arguments.size()), arguments.data());
    } catch (const UsageError& error) {
      return error.problem() + "\n" + error.remedy();
    }
    return "";
  }

  bool says(std::vector<const char*> arguments, const std::string& words) {
    return complaint(std::move(arguments)).find(words) != std::string::npos;
  }

  CommandLine line_{"", "plumb 1.2.3", ""};
  std::string text_;
  bool flag_ = false;
};

TEST(NearestName, FindsWhatWasMeant) {
  const std::vector<std::string> names{"--eps", "--eps-scale", "--sample", "--samples", "--help", "--json"};
  EXPECT_EQ(nearest_name("--epsilon", names), "--eps");
  EXPECT_EQ(nearest_name("--epsscale", names), "--eps-scale");
  EXPECT_EQ(nearest_name("--hlep", names), "--help");
  EXPECT_EQ(nearest_name("--sampel", names), "--sample");
  EXPECT_EQ(nearest_name("-json", names), "--json");
  EXPECT_EQ(nearest_name("--timeout", names), std::nullopt);
  EXPECT_EQ(nearest_name("-x", names), std::nullopt);
}

TEST_F(MisspeltTest, NamesTheNearestCommandAndOption) {
  EXPECT_TRUE(says({"verfy"}, "did you mean plumb verify?"));
  EXPECT_TRUE(says({"--hlep"}, "did you mean --help?"));
  EXPECT_TRUE(says({"verify", "--hlep"}, "did you mean --help?"));
  EXPECT_TRUE(says({"verify", "net", "--epsilon", "1"}, "unknown option --epsilon\ndid you mean --eps?"));
  EXPECT_TRUE(says({"verify", "net", "--epsilon=1"}, "unknown option --epsilon\ndid you mean --eps?"));
  EXPECT_TRUE(says({"verify", "net", "--norm", "linff"}, "did you mean linf?"));
}

TEST_F(MisspeltTest, SaysWhichCommandHasAnOption) {
  EXPECT_TRUE(says({"verify", "net", "--out", "run.db"}, "plumb accuracy has it"));
  EXPECT_TRUE(says({"accuracy", "--quiet"}, "plumb verify has it"));
}

TEST_F(MisspeltTest, AnOptionThatEatsTheNextOneLacksItsValue) {
  EXPECT_TRUE(says({"verify", "net", "--eps", "--quiet"}, "needs a value, but --quiet follows"));
  EXPECT_TRUE(says({"verify", "net", "--eps"}, "needs a value: --eps E"));
}

TEST_F(MisspeltTest, ValuesThatBeginWithADashAreValues) {
  for (const char* value : {"-1", "-.5", "-1,1;-1,1", "-", "--x"}) {
    EXPECT_EQ(complaint({"verify", "net", "--eps", value}), "") << value;
    EXPECT_EQ(text_, value);
  }
}

TEST_F(MisspeltTest, NamesArgumentsByTheirPlaceholders) {
  EXPECT_TRUE(says({"verify"}, "NET is required: The network\nusage: plumb verify NET [OPTIONS]"));
  EXPECT_TRUE(says({"verify", "a", "b", "c"}, "unexpected: b c\n"));
}

TEST_F(MisspeltTest, HelpIsAlsoACommand) {
  for (const std::vector<const char*>& arguments :
       {std::vector<const char*>{"help", "verify"}, std::vector<const char*>{"verify", "--help"}}) {
    testing::internal::CaptureStdout();
    EXPECT_EQ(complaint(arguments), "");
    EXPECT_NE(testing::internal::GetCapturedStdout().find("--eps E"), std::string::npos);
  }
  EXPECT_TRUE(says({"help", "verfy"}, "did you mean plumb verify?"));
}

}  // namespace
}  // namespace plumb::cli
