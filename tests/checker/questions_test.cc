// The checker reads what users ask by itself. Both readings, Plumb's and the checker's, must be the same question:
// equal regions, number by number, and in each of them the same unsafe conjunctions.
#include <fmt/format.h>
#include <fmt/ranges.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "assembly/neighbourhood.h"
#include "assembly/perturbation_spec.h"
#include "assembly/text_forms.h"
#include "base/error.h"
#include "base/file.h"
#include "checker/both_questions.h"
#include "command_line.h"
#include "error.h"
#include "file.h"
#include "neighbourhood.h"
#include "onnx/onnx_file.h"
#include "question.h"
#include "support/hostile_network.h"
#include "support/random_vnnlib.h"
#include "support/rounds.h"
#include "verify/sample.h"
#include "vnnlib.h"
#include "vnnlib/parser.h"
#include "vnnlib/vnnlib_property.h"

namespace plumb {
namespace {

namespace fs = std::filesystem;
using testing::QuestionByRegion;
using testing::Random;
using testing::Upward;

struct Reading {
  QuestionByRegion question;
  std::string refused;  // why, if it was
};

Reading by_plumb(const std::string& text, const network::Network& network) {
  Reading reading;
  try {
    const vnnlib::Script script = vnnlib::parse(text, "text");
    if (script.networks.size() > 1 || !script.networks[0].hidden.empty()) return {{}, "several networks"};
    for (const vnnlib::PropertyCase& one : lower_vnnlib(script, network, "text").cases) {
      testing::add(reading.question, one.region, one.unsafe);
    }
  } catch (const Error& error) {
    reading.refused = error.what();
  }
  return reading;
}

Reading by_checker(const std::string& text, const network::Network& network) {
  const Upward upward;
  Reading reading;
  const checker::Network seen = testing::as_checker(network);
  try {
    reading.question = testing::by_region(queries_of(checker::parse_property(text, "text", seen), seen));
  } catch (const checker::BadFile& error) {
    reading.refused = error.what();
  }
  return reading;
}

// What differs; empty if nothing does.
std::string difference(const Reading& plumb, const Reading& checked) {
  if (!plumb.refused.empty() || !checked.refused.empty()) {
    if (!plumb.refused.empty() && !checked.refused.empty()) return "";
    return fmt::format("refused by Plumb: '{}', by the checker: '{}'", plumb.refused, checked.refused);
  }
  if (plumb.question.size() != checked.question.size()) {
    return fmt::format("{} regions, the checker has {}", plumb.question.size(), checked.question.size());
  }
  for (const auto& [region, conjunctions] : plumb.question) {
    const auto found = checked.question.find(region);
    if (found == checked.question.end()) return "a region that the checker does not have";
    if (found->second == conjunctions) continue;
    return fmt::format("{} conjunctions, the checker has {} others", conjunctions.size(), found->second.size());
  }
  return "";
}

fs::path shared() {
  const char* text = std::getenv("PLUMB_SHARED");
  return text != nullptr ? fs::path(text) : fs::path(PLUMB_REPOSITORY).parent_path() / "shared";
}

TEST(CheckerQuestions, RandomPropertiesAreReadAlike) {
  int regions = 0, refused = 0, empty = 0;
  for (int round = 0; round < 10 * testing::rounds(); ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const network::Network network = testing::hostile_network(random);
    const std::string text = testing::random_vnnlib(random, network).text;
    const Reading plumb = by_plumb(text, network), checked = by_checker(text, network);
    EXPECT_EQ(difference(plumb, checked), "") << "round " << round << "\n" << text;
    regions += static_cast<int>(plumb.question.size());
    refused += !plumb.refused.empty();
    empty += plumb.refused.empty() && plumb.question.empty();
  }
  fmt::print("{} regions, {} properties empty, {} refused\n", regions, empty, refused);
  EXPECT_GT(regions, testing::often(500));
}

// What a comparison of one input becomes, by coefficients of all kinds.
TEST(CheckerQuestions, SidesAndRowsAreToldApartAlike) {
  const network::Network network = [] {
    Random random(1);
    return testing::random_chain(random, {2, 3, 1});
  }();
  for (const char* const c : {"1", "-1", "0.3", "3", "-7e5", "2.220446049250313080847263336181640625e-16", "1e-300",
                              "625", "0.1234567890123456", "12345678901234567", "1e25", "-1.5e-25", "6.4e30"}) {
    for (const char* const relation : {"<=", ">=", "==", "<"}) {
      const std::string text = fmt::format(
          "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)"
          "(assert (and (>= X_0 -5) (<= X_0 0.1) (<= X_1 1e9) (>= X_1 -1)))"
          "(assert ({1} (* {0} X_0) 0.7))(assert ({1} (+ X_0 (* {0} X_1)) 0.7))(assert ({1} (* {0} Y_0) (* 0.3 X_0)))",
          c, relation);
      EXPECT_EQ(difference(by_plumb(text, network), by_checker(text, network)), "") << text;
    }
  }
}

std::string damaged(Random& random, std::string text) {
  for (std::int64_t i = testing::uniform(random, 1, 4); i > 0; --i) {
    const auto at = static_cast<std::size_t>(testing::uniform(random, 0, std::ssize(text) - 1));
    const std::string other =
        text.substr(static_cast<std::size_t>(testing::uniform(random, 0, std::ssize(text) - 1)), random() % 20);
    if (random() % 2 == 0) text[at] = random() % 4 == 0 ? static_cast<char>(random() % 256) : other[0];
    if (random() % 8 == 0) text.insert(at, other);
    if (random() % 8 == 0) text.erase(at, random() % 20);
    if (text.empty()) return "(";
  }
  return text;
}

// Whatever a text contains, both read it alike, or one refuses it.
TEST(CheckerQuestions, DamagedPropertiesAreReadAlikeOrRefused) {
  int read = 0, refused = 0, by_plumb_alone = 0, by_checker_alone = 0;
  for (int round = 0; round < 30 * testing::rounds(); ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const network::Network network = testing::hostile_network(random);
    const std::string text = damaged(random, testing::random_vnnlib(random, network).text);
    const Reading plumb = by_plumb(text, network), checked = by_checker(text, network);
    const bool both = plumb.refused.empty() && checked.refused.empty();
    EXPECT_EQ(both ? difference(plumb, checked) : "", "") << "round " << round << "\n" << text;
    read += both;
    refused += !plumb.refused.empty() && !checked.refused.empty();
    by_plumb_alone += !plumb.refused.empty() && checked.refused.empty();
    by_checker_alone += plumb.refused.empty() && !checked.refused.empty();
  }
  fmt::print("{} read by both, {} refused by both, {} refused by Plumb alone, {} by the checker alone\n", read, refused,
             by_plumb_alone, by_checker_alone);
  EXPECT_GT(refused, testing::often(100));
  EXPECT_GT(read, testing::often(100));
}

TEST(CheckerQuestions, PropertiesOfTheCompetitionAreReadAlike) {
  int files = 0, regions = 0, several = 0;
  for (const char* const folder : {"vnncomp", "vnncomp-hard"}) {
    std::ifstream list(shared() / folder / "instances.csv");
    if (!list) GTEST_SKIP() << shared() / folder << " does not exist (set PLUMB_SHARED)";
    std::map<std::string, network::Network> networks;
    std::string line;
    std::getline(list, line);
    while (std::getline(list, line)) {
      std::istringstream fields(line);
      std::string category, onnx, property;
      std::getline(fields, category, ',');
      std::getline(fields, onnx, ',');
      std::getline(fields, property, ',');
      const std::string text = read_file(shared() / folder / property);
      if (const vnnlib::Script script = vnnlib::parse(text, property); script.networks.size() > 1) {
        ++several;
        continue;
      }
      if (!networks.contains(onnx)) {
        networks.emplace(onnx, onnx::import_onnx(shared() / folder / onnx).network);
      }
      const Reading plumb = by_plumb(text, networks.at(onnx));
      const Reading checked = by_checker(text, networks.at(onnx));
      EXPECT_EQ(plumb.refused, "");
      EXPECT_EQ(difference(plumb, checked), "") << property;
      ++files;
      regions += static_cast<int>(plumb.question.size());
    }
  }
  fmt::print("{} properties, {} regions; {} of several networks\n", files, regions, several);
}

struct SampleCase {
  std::string network, data;
  std::vector<std::int64_t> samples;
};

// The question about a sample by Plumb: as src/cli puts it together.
Reading by_plumb(const checker::Arguments& arguments, const network::Network& network, const data::DataSet& data) {
  Reading reading;
  try {
    const checker::Neighbourhood& asked = arguments.around;
    assembly::NeighbourhoodOptions options;
    options.domain = assembly::parse_domain(asked.domain);
    options.norm = assembly::parse_norm(asked.norm);
    if (!asked.eps_scale.empty()) {
      options.scale = assembly::parse_numbers(asked.eps_scale, "eps-scale", Rational::Accept::kNotNegative);
    }
    if (!asked.eps.empty()) {
      options.families.push_back(property::NormBall{options.norm, Rational::parse(asked.eps, "epsilon")});
    }
    for (const std::string& text : asked.perturbations) {
      std::ranges::move(assembly::parse_perturbations(text), std::back_inserter(options.families));
    }
    const assembly::Neighbourhood neighbourhood(options, network, data);
    neighbourhood.expect_samples_inside(network, data, {arguments.sample});
    testing::add(reading.question, neighbourhood.around(verify::network_sample(network, data, arguments.sample)),
                 property::adversarial_set(data.label(arguments.sample), asked.targets, network.output_size()));
  } catch (const Error& error) {
    reading.refused = error.what();
  }
  return reading;
}

Reading by_checker(const checker::Arguments& arguments, const network::Network& network, const checker::DataSet& data) {
  const Upward upward;
  Reading reading;
  try {
    reading.question =
        testing::by_region(queries_around(arguments.around, data, arguments.sample, testing::as_checker(network)));
  } catch (const checker::BadFile& error) {
    reading.refused = error.what();
  }
  return reading;
}

std::vector<std::vector<std::string>> options_about_regions() {
  return {
      {"--eps", "0.1"},
      {"--eps", "8/255"},
      {"--eps", "1e-3", "--domain", "none"},
      {"--eps", "0.3", "--norm", "l1"},
      {"--eps", "1/3", "--norm", "l2"},
      {"--eps", ".5", "--norm", "l2", "--domain", "none"},
      {"--eps", "0.1", "--domain", "-0.1,1.1"},
      {"--eps", "0.1", "--eps-scale", "0.3"},
      {"--eps", "0.1", "--eps-scale", "1/3,0,2e-1"},
      {"--eps", "0.1", "--eps-scale", "1/3", "--domain", "none"},
      {"--eps", "0.1", "--domain", "0,1;-0.2,1.3;0,2"},
      {"--eps", "0.1", "--target", "3"},
      {"--eps", "0.1", "--target", "0,1"},
      {"--perturbation", "linf:0.01"},
      {"--perturbation", "l1:3+l2:0.5"},
      {"--perturbation", "blur:3x3"},
      {"--perturbation", "blur:1x3+linf:1/255"},
      {"--perturbation", "blur:3x1", "--perturbation", "brightness:-0.1,0.1"},
      {"--perturbation", "brightness:1e-1,1e+0"},
      {"--perturbation", "contrast:0.8,1.2"},
      {"--perturbation", "contrast:0.7,0.9,0.3"},
      {"--perturbation", "contrast:0.7,0.9,0.25"},
      {"--perturbation", "patch:2,3,4,5"},
      {"--perturbation", "patch:0,0,3,3", "--domain", "-0.1,1.7"},
      {"--perturbation", "patch:14,14,30,30"},
      {"--perturbation", "blur:2x3"},
      {"--perturbation", "unheard-of:1"},
      {"--eps", "-0.1"},
      {"--eps", "0.1", "--domain", "0.4,0.6"},
  };
}

TEST(CheckerQuestions, QuestionsAboutSamplesAreReadAlike) {
  const fs::path digits = fs::path(PLUMB_REPOSITORY) / "examples/digits";
  std::vector<SampleCase> cases{{digits / "digits.onnx", "mnist:" + digits.string(), {0, 7, 999, 1000}}};
  const std::string mnist = "mnist:" + (shared() / "data/mnist").string();
  const std::string cifar = "cifar10:" + (shared() / "data/cifar10-jpeg").string();
  const std::string csv = "csv:" + (shared() / "data/cifar10/test_first100.csv.gz").string();
  if (fs::exists(shared())) {
    cases.push_back({shared() / "networks/mnist_wk17a.onnx", mnist, {0, 1, 8, 4242}});
    cases.push_back({shared() / "networks/mnist_nor_mlp_b.onnx", mnist, {3, 9999}});
    cases.push_back({shared() / "networks/cifar_cnn_small_adv.onnx", cifar, {0, 5, 77}});
    cases.push_back({shared() / "networks/cifar_res_eps8.onnx", csv, {0, 99}});
  }
  int asked = 0, refused = 0;
  for (const SampleCase& one : cases) {
    const network::Network network = onnx::import_onnx(one.network).network;
    for (const std::string scale : {"", "1/256", "0.3"}) {
      const bool is_csv = one.data.starts_with("csv:");
      const std::string used = is_csv && scale.empty() ? "1/255" : scale;
      data::DataSetOptions data_options;
      if (!used.empty()) data_options.scale = used;
      const data::DataSet data = data::read_data_set(one.data, data_options);
      const checker::DataSet seen = [&] {
        const Upward upward;
        return checker::read_data_set(
            one.data, used.empty() ? std::nullopt : std::optional(mpq_class(used == "0.3" ? "3/10" : used)), false);
      }();
      for (const std::vector<std::string>& options : options_about_regions()) {
        if (!scale.empty() && options[1] != "0.1" && options[1] != "contrast:0.8,1.2") continue;
        for (const std::int64_t sample : one.samples) {
          std::vector<std::string> words{one.network, "--data", one.data, "--sample", std::to_string(sample), "proof"};
          words.insert(words.end(), options.begin(), options.end());
          const checker::Arguments arguments = checker::parse_arguments(words);
          const Reading plumb = by_plumb(arguments, network, data), checked = by_checker(arguments, network, seen);
          EXPECT_EQ(difference(plumb, checked), "") << fmt::format("{}", fmt::join(words, " "));
          ++asked;
          refused += !plumb.refused.empty();
        }
      }
    }
  }
  fmt::print("{} questions, {} refused by both\n", asked, refused);
}

}  // namespace
}  // namespace plumb
