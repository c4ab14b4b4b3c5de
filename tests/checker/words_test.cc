// What the checker makes of words and files: of numbers, of broken and hostile texts, of arguments, of points.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>

#include "checker/both_questions.h"
#include "command_line.h"
#include "data/data_set.h"
#include "error.h"
#include "exact_number.h"
#include "file.h"
#include "input_map.h"
#include "network/network.h"
#include "question.h"
#include "support/hostile_network.h"
#include "support/made_files.h"
#include "support/random_vnnlib.h"
#include "support/rounds.h"
#include "vnnlib.h"

namespace plumb {
namespace {

using ::testing::ElementsAre;
using ::testing::HasSubstr;
using testing::Random;
using testing::Upward;

checker::Network network_of(std::int64_t inputs, std::int64_t outputs) {
  checker::Network network;
  network.inputs = {{"x", {1, inputs}}};
  network.nodes.push_back({"y", checker::Affine{}, {}, outputs});
  network.outputs = {{"y", 0}};
  network.input_size = inputs;
  network.output_size = outputs;
  return network;
}

std::vector<checker::Query> queries(const std::string& text, const checker::Network& network) {
  const Upward upward;
  return queries_of(checker::parse_property(text, "text", network), network);
}

// The message of the error that the call must throw.
template <class Error>
std::string message_of(const std::function<void()>& call) {
  const Upward upward;
  try {
    call();
  } catch (const Error& error) {
    return error.what();
  }
  ADD_FAILURE() << "threw nothing";
  return "";
}

const std::string kDeclared = "(declare-const X_0 Real)(declare-const X_1 Real)(declare-const Y_0 Real)\n";
const std::string kBox = "(assert (and (>= X_0 0) (<= X_0 1) (>= X_1 0) (<= X_1 1)))\n";

TEST(CheckerNumbers, AreRoundedToTheirSides) {
  const Upward upward;
  const mpq_class tenth = checker::exact_number("0.1");
  EXPECT_EQ(tenth, mpq_class(1, 10));
  EXPECT_EQ(checker::exact_number("8/255"), mpq_class(8, 255));
  EXPECT_EQ(checker::exact_number("-.25e+1"), mpq_class(-5, 2));
  for (const mpq_class& number : {tenth, mpq_class(-tenth), mpq_class(1, 3), mpq_class(-7, 3)}) {
    const double below = checker::round_down(number), above = checker::round_up(number);
    EXPECT_LT(mpq_class(below), number);
    EXPECT_GT(mpq_class(above), number);
    EXPECT_EQ(std::nextafter(below, HUGE_VAL), above);
  }
  EXPECT_EQ(checker::round_down(checker::exact_number("1e-2000")), 0);
  EXPECT_EQ(checker::round_up(checker::exact_number("1e-2000")), 0x1p-1074);
  EXPECT_EQ(checker::round_down(checker::exact_number("-1e-2000")), -0x1p-1074);
  EXPECT_EQ(checker::nearest_double(tenth), 0.1);
  EXPECT_EQ(checker::nearest_float(tenth), 0.1F);
  EXPECT_EQ(checker::nearest_float(mpq_class(0x1.000001p0)), 1.0F);  // a tie: to the even one
  EXPECT_EQ(checker::nearest_float(mpq_class(0x1.000003p0)), 0x1.000004p0F);
  EXPECT_EQ(checker::nearest_float(mpq_class(-0x1.000003p0)), -0x1.000004p0F);
  for (const char* const text : {"", "-", ".", "1e", "1e5000", "0x1", "1..2", "1/0", "1/-2", "inf", "nan", "1 2"}) {
    EXPECT_THROW(checker::exact_number(text), checker::BadFile) << text;
  }
  EXPECT_THROW(checker::round_up(checker::exact_number("1e400")), checker::BadFile);
}

TEST(CheckerProperties, BoundsGrowAndCoefficientsStayExact) {
  const auto all = queries(kDeclared +
                               "(assert (and (>= X_0 0.1) (<= X_0 0.3) (>= X_1 -1) (<= (* 2 X_1) 1)))"
                               "(assert (< (+ (* 0.3 Y_0) (* 1.5 X_1)) 0.1))",
                           network_of(2, 1));
  ASSERT_EQ(all.size(), 1U);
  const auto& box = std::get<checker::Box>(all[0].region);
  EXPECT_THAT(box.low, ElementsAre(std::nextafter(0.1, 0), -1));
  EXPECT_THAT(box.high, ElementsAre(std::nextafter(0.3, 1), 0.5));
  const checker::Inequality expected{{{0, 3}}, {{1, 15}}, 1, true};
  EXPECT_THAT(all[0].unsafe, ElementsAre(ElementsAre(expected)));
}

TEST(CheckerProperties, ContradictionsLeaveNothing) {
  const std::string y = "(assert (<= Y_0 0))";
  EXPECT_TRUE(queries(kDeclared + kBox + y + "(assert (< X_0 0))", network_of(2, 1)).empty());
  EXPECT_TRUE(queries(kDeclared + kBox + y + "(assert (> 1 1))", network_of(2, 1)).empty());
  EXPECT_TRUE(queries(kDeclared + kBox + y + "(assert (or (> X_0 1) (< X_0 0)))", network_of(2, 1)).empty());
  EXPECT_EQ(queries(kDeclared + kBox + y + "(assert (!= X_0 0.5))", network_of(2, 1)).size(), 2U);
}

TEST(CheckerProperties, BrokenTextsEndInOneMessage) {
  std::string deep, wide = "(assert (and";
  for (int i = 0; i < 5000; ++i) deep += "(and ";
  for (int i = 0; i < 40; ++i) wide += " (or (<= Y_0 " + std::to_string(i) + ") (>= X_0 " + std::to_string(i) + "))";
  const std::vector<std::pair<std::string, std::string>> broken{
      {"", "nothing is asserted"},
      {"(assert (<= X_0 1)", "not closed"},
      {"(assert (<= X_0 1)))", "closes nothing"},
      {kDeclared + "(assert " + deep, "1,000 deep"},
      {kDeclared + "(assert (<= X_7 1))", "'X_7' is neither a number nor declared"},
      {"(declare-const X_0 Real)(declare-const X_0 Real)", "declared twice"},
      {"(declare-const X_9 Real)", "the network has no X_9"},
      {"(declare-const X_99999999999999999999 Real)", "natural number"},
      {"(declare-const X_0 Real)(assert (<= X_0 1))", "differ in their inputs"},
      {kDeclared + "(assert (<= (* X_0 Y_0) 1))", "not linear"},
      {kDeclared + "(assert (<= X_0 1e99999))", "neither a number"},
      {kDeclared + "(assert (<= (* 1e2999 1e2999 1e2999 X_0) 1))", "too many digits"},
      {kDeclared + "(assert (<= X_0))", "two sides"},
      {kDeclared + "(assert (=> X_0 1))", "comparison"},
      {kDeclared + "(assert (<= (/ X_0 2) 1))", "expected +, - or *"},
      {kDeclared + "(assert (<= X_0 \"1))", "a word does not end"},
      {kDeclared + "(assert)", "not understood"},
      {"(set-logic QF_LRA)", "line 1: the statement is not understood"},
      {"\n\n(set-logic QF_LRA)", "line 3: the statement is not understood"},
      {kDeclared + "(assert (<= Y_0 1))", "does not have two bounds"},
      {kDeclared + "(assert (and (<= X_0 1) (<= X_1 1) (>= X_0 1) (>= X_1 1e400)))", "too large"},
      {kDeclared + kBox + "(assert (<= (* 0.12345678901234567890123 Y_0) X_0))", "no double"},
      {kDeclared + kBox + wide + "))", "too many parts"},
      {"(vnnlib-version <3.0>)", "bad version"},
      {"(vnnlib-version <2.0>)(declare-network f (declare-input X real [1,3]) (declare-output Y real [1]))", "differ"},
      {"(vnnlib-version <2.0>)(declare-network f (declare-hidden Z real [1] \"z\"))", "not supported"},
      {"(vnnlib-version <2.0>)(declare-network f (declare-input X real [2]))(declare-network g (equal-to f))",
       "several networks"},
      {"(vnnlib-version <2.0>)(declare-network f (declare-input X real [1,2] \"other\"))", "expected \"x\""},
      {"(vnnlib-version <2.0>)(declare-network f (declare-input X real [1,2]))(assert (<= X[0,2] 1))", "shape"},
      {"(vnnlib-version <2.0>)(declare-network f (declare-input X real [1,2]))(assert (<= X[0] 1))", "shape"},
  };
  for (const auto& [text, expected] : broken) {
    EXPECT_THAT(message_of<checker::BadFile>([&] { queries(text, network_of(2, 1)); }), HasSubstr(expected))
        << text.substr(0, 300);
  }
}

// The formula that a random text was written from is the oracle.
TEST(CheckerProperties, PointsSatisfyWhatTheFormulaSays) {
  int satisfied = 0;
  for (int round = 0; round < 10 * testing::rounds(); ++round) {
    Random random(static_cast<std::uint64_t>(round));
    const network::Network network = testing::hostile_network(random);
    const testing::VnnlibQuestion question = testing::random_vnnlib(random, network);
    const Upward upward;
    const checker::Formula formula = checker::parse_property(question.text, "text", testing::as_checker(network));
    std::vector<mpq_class> x, y;
    std::vector<checker::Interval> exactly, nearly;
    for (std::int64_t i = 0; i < network.input_size(); ++i) x.emplace_back(testing::uniform(random, -16, 16), 8);
    for (mpq_class& number : x) number.canonicalize();
    for (std::int64_t i = 0; i < network.output_size(); ++i) {
      const double value = static_cast<double>(testing::uniform(random, -16, 16)) / 8;
      y.emplace_back(value);
      exactly.emplace_back(value);
      nearly.push_back(checker::Interval::between(value - 0.25, value + 0.25));
    }
    const bool holds = testing::holds_at(question.formula, x, y);
    EXPECT_EQ(satisfies(formula, x, exactly), holds) << question.text;
    EXPECT_TRUE(holds || !satisfies(formula, x, nearly)) << question.text;
    satisfied += holds;
  }
  EXPECT_GT(satisfied, testing::often(20));
}

TEST(CheckerDigest, IsTheHashOfTheBytesThatTheContractNames) {
  const auto bytes_of = [](std::initializer_list<double> numbers) {
    std::string bytes(8, '\0');
    bytes[0] = static_cast<char>(numbers.size());
    for (const double number : numbers) bytes.append(reinterpret_cast<const char*>(&number), 8);
    return bytes;
  };
  const auto number = [](double value) { return std::string(reinterpret_cast<const char*>(&value), 8); };
  const auto list = [](std::uint64_t size) { return std::string(reinterpret_cast<const char*>(&size), 8); };
  const checker::Box box{{-0.0, 0.5}, {1, 2}};
  const std::string sides = bytes_of({0, 0.5}) + bytes_of({1, 2});
  EXPECT_EQ(checker::region_digest(box), checker::sha256("b" + sides));
  EXPECT_EQ(checker::region_digest(checker::Ball{checker::Norm::kL2, {0, 1}, mpq_class(8, 255), box, {}}),
            checker::sha256(std::string("o\x02") + bytes_of({0, 1}) + list(5) + "8/255" + sides + list(0)));
  EXPECT_EQ(checker::region_digest(checker::Ball{checker::Norm::kLinf, {0, 1}, 3, box, {3, mpq_class(1, 2)}}),
            checker::sha256(std::string("o") + '\0' + bytes_of({0, 1}) + list(1) + "3" + sides + list(2) + list(1) +
                            "3" + list(3) + "1/2"));
  const std::string rows = list(1) + bytes_of({1, -1}) + number(0.25);
  EXPECT_EQ(checker::region_digest(checker::Polytope{box, {{{1, -1}, 0.25}}}), checker::sha256("p" + sides + rows));
  EXPECT_EQ(checker::region_digest(checker::AffineImage{{1, 2}, {3, 4, 5, 6}, box, {{{1, -1}, 0.25}}}),
            checker::sha256("i" + bytes_of({1, 2}) + bytes_of({3, 4, 5, 6}) + sides + rows));
  EXPECT_EQ(checker::sha256("abc"), "ba7816bf8f01cfea414140de5dae2223b00361a396177a9cb410ff61f20015ad");
}

TEST(CheckerFiles, AreUncompressedOrRefused) {
  const TemporaryDirectory folder;
  const std::string content(100'000, 'x'), packed = gzipped(content);
  EXPECT_EQ(checker::read_file(folder.write("plain", content)), content);
  EXPECT_EQ(checker::read_file(folder.write("packed", packed)), content);
  EXPECT_EQ(checker::read_file(folder.write("empty", "")), "");
  const std::string cut = folder.write("cut", packed.substr(0, packed.size() / 2));
  EXPECT_THAT(message_of<checker::BadFile>([&] { checker::read_file(cut); }), HasSubstr("to its end"));
  EXPECT_THAT(message_of<checker::BadFile>([&] { checker::read_file(folder.path() / "packed", 99'999); }),
              HasSubstr("99999"));
  EXPECT_THAT(message_of<checker::BadFile>([&] { checker::read_file(folder.path()); }), HasSubstr("no such file"));
  EXPECT_THAT(message_of<checker::BadFile>([&] { checker::read_file("/none"); }), HasSubstr("no such file"));
}

// Both readers, with every arrangement that an input may ask for.
void expect_read_alike(const std::string& specification, bool channels_last, const std::optional<std::string>& scale) {
  SCOPED_TRACE(specification);
  data::DataSetOptions options{scale, channels_last ? data::Layout::kChannelsLast : data::Layout::kChannelsFirst};
  const data::DataSet plumb = data::read_data_set(specification, options);
  const Upward upward;
  std::optional<mpq_class> factor;
  if (scale) factor = checker::exact_number(*scale);
  const checker::DataSet checked = checker::read_data_set(specification, factor, channels_last);
  ASSERT_EQ(std::ssize(checked.labels), plumb.size());
  for (const checker::Shape& wanted :
       std::vector<checker::Shape>{{1, 3, 2, 2}, {1, 2, 2, 3}, {12}, {1, 12}, {3, 4}, {6, 6, 3}}) {
    for (std::int64_t k = 0; k < plumb.size(); ++k) {
      std::vector<double> expected, actual;
      try {
        std::fesetround(FE_TONEAREST);
        expected = plumb.sample(k, wanted);
      } catch (const std::exception&) {
      }
      std::fesetround(FE_UPWARD);
      try {
        actual = checked.sample(k, wanted);
      } catch (const checker::BadFile&) {
      }
      EXPECT_EQ(actual, expected);
      EXPECT_EQ(checked.label(k), plumb.label(k));
    }
  }
}

std::string npy(const std::string& header, const std::string& payload) {
  std::string bytes("\x93NUMPY\x01\x00", 8);
  bytes += static_cast<char>(header.size() & 0xff);
  bytes += static_cast<char>(header.size() >> 8);
  return bytes + header + payload;
}

TEST(CheckerData, IsReadAsPlumbReadsIt) {
  const TemporaryDirectory folder;
  std::string bytes, csv = "label,a,b\n";
  std::vector<float> floats;
  std::vector<double> doubles;
  Random random(1);
  for (int k = 0; k < 5; ++k) {
    csv += std::to_string(k);
    for (int i = 0; i < 12; ++i) {
      bytes += static_cast<char>(random() % 256);
      floats.push_back(static_cast<float>(random() % 1000) / 7);
      doubles.push_back(static_cast<double>(random() % 1000) / 7);
      csv += "," + std::to_string(static_cast<double>(random() % 100000) / 997);
    }
    csv += "\n";
  }
  const auto raw = [](const auto& numbers) {
    return std::string(reinterpret_cast<const char*>(numbers.data()), numbers.size() * sizeof numbers[0]);
  };
  for (const char* const shape : {"(5, 12)", "(5, 3, 2, 2)", "(5, 2, 2, 3)", "(5, 6, 2)"}) {
    const auto header = [&](const std::string& type) {
      return "{'descr': '" + type + "', 'fortran_order': False, 'shape': " + shape + ", }\n";
    };
    const std::string y = folder.write("y.npy", npy("{'descr': '<i8', 'fortran_order': False, 'shape': (5,), }\n",
                                                    raw(std::vector<std::int64_t>{3, 1, 4, 1, 5})));
    const std::vector<std::string> files{folder.write("u1.npy", npy(header("|u1"), bytes)),
                                         folder.write("f4.npy", npy(header("<f4"), raw(floats))),
                                         folder.write("f8.npy", npy(header("<f8"), raw(doubles)))};
    for (const std::string& x : files) {
      for (const bool channels_last : {false, true}) {
        expect_read_alike("npy:" + x + "," + y, channels_last, std::nullopt);
        expect_read_alike("npy:" + x + "," + y, channels_last, "1/127.5");
      }
    }
  }
  const std::string table = folder.write("table.csv.gz", gzipped(csv));
  for (const bool channels_last : {false, true}) {
    expect_read_alike("csv:" + table, channels_last, std::nullopt);
    expect_read_alike("csv:" + table, channels_last, "0.3");
  }
}

TEST(CheckerData, BrokenFilesEndInOneMessage) {
  const TemporaryDirectory folder;
  const std::string y = folder.write("y.npy", npy("{'descr': '|u1', 'fortran_order': False, 'shape': (1,), }", "a"));
  const auto npy_error = [&](const std::string& content) {
    const std::string x = folder.write("x.npy", content);
    return message_of<checker::BadFile>([&] { checker::read_data_set("npy:" + x + "," + y, std::nullopt, false); });
  };
  EXPECT_THAT(npy_error(""), HasSubstr("no .npy file"));
  EXPECT_THAT(npy_error(std::string("\x93NUMPY\x01\x00\xff\xff{'descr'", 18)), HasSubstr("cut off"));
  EXPECT_THAT(npy_error(npy("{}", "")), HasSubstr("C order"));
  const auto header = [](const std::string& type, const std::string& order, const std::string& shape) {
    return "{'descr': '" + type + "', 'fortran_order': " + order + ", 'shape': " + shape + ", }";
  };
  EXPECT_THAT(npy_error(npy(header("<f4", "True", "(1, 2)"), "12345678")), HasSubstr("C order"));
  EXPECT_THAT(npy_error(npy(header(">f4", "False", "(1, 2)"), "12345678")), HasSubstr("C order"));
  EXPECT_THAT(npy_error(npy(header("<f4", "False", "(1, 3)"), "12345678")), HasSubstr("does not fit"));
  EXPECT_THAT(npy_error(npy(header("<f4", "False", "(9223372036854775807, 4)"), "12345678")),
              HasSubstr("does not fit"));
  EXPECT_THAT(npy_error(npy(header("<f2", "False", "(1, 4)"), "12345678")), HasSubstr("float32"));
  EXPECT_THAT(npy_error(npy(header("<f4", "False", "(2, 1)"), "12345678")), HasSubstr("labels"));
  EXPECT_THAT(npy_error(npy(header("<f0", "False", "(1, 8)"), "12345678")), HasSubstr("no bytes"));
  const auto csv_error = [&](const std::string& content) {
    const std::string path = folder.write("x.csv", content);
    return message_of<checker::BadFile>([&] { checker::read_data_set("csv:" + path, std::nullopt, false); });
  };
  EXPECT_THAT(csv_error(""), HasSubstr("no samples"));
  EXPECT_THAT(csv_error("1,2\n1,2,3\n"), HasSubstr("different lengths"));
  EXPECT_THAT(csv_error("1,2\n-1,2\n"), HasSubstr("natural number"));
  EXPECT_THAT(csv_error("1,x\n"), HasSubstr("not a number"));
  EXPECT_THAT(csv_error("1,1e39\n"), HasSubstr("too large"));
  folder.write("test_batch.bin", std::string(3072, 'x'));
  folder.write("t10k-images-idx3-ubyte", std::string("\0\0\x08\x03\0\0\0\1\0\0\0\2\0\0\0\2xxx", 19));
  folder.write("t10k-labels-idx1-ubyte", std::string("\0\0\x08\x01\0\0\0\1x", 9));
  for (const char* const kind : {"cifar10", "mnist", "npz", "mnist:/none", ""}) {
    const std::string specification =
        kind + std::string(*kind == 'm' && kind[5] != '\0' ? "" : ":" + folder.path().string());
    message_of<checker::BadFile>([&] { checker::read_data_set(specification, std::nullopt, false); });
  }
}

TEST(CheckerCommandLine, UnderstandsTheDocumentedForms) {
  const checker::Arguments property = checker::parse_arguments({"net.onnx", "p.vnnlib", "proof", "--exact"});
  EXPECT_EQ(property.network + property.property + property.proof, "net.onnxp.vnnlibproof");
  EXPECT_TRUE(property.exact);
  const checker::Arguments sample = checker::parse_arguments(
      {"net.onnx", "--data", "mnist:d", "--sample=7", "--eps", "0.1", "--target", "3, 5", "proof", "--domain", "-1,1"});
  EXPECT_EQ(sample.network + sample.data + sample.proof + sample.around.domain, "net.onnxmnist:dproof-1,1");
  EXPECT_EQ(sample.sample, 7);
  EXPECT_EQ(sample.options, " --eps 0.1 --target 3, 5 --domain -1,1");
  EXPECT_THAT(sample.around.targets, ElementsAre(3, 5));
  const checker::Arguments several = checker::parse_arguments(
      {"n", "--data", "d", "--sample", "0", "--perturbation", "l1:1", "--perturbation", "l2:1", "p"});
  EXPECT_THAT(several.around.perturbations, ElementsAre("l1:1", "l2:1"));
  const checker::Arguments run = checker::parse_arguments(
      {"--run", "run.db", "net.onnx", "--data", "d", "--certificates", "c", "--jobs", "3", "--again"});
  EXPECT_EQ(run.run + run.network + run.data + run.certificates, "run.dbnet.onnxdc");
  EXPECT_TRUE(run.jobs == 3 && run.again && run.task == checker::Arguments::Task::kRun);
  EXPECT_EQ(checker::parse_arguments({"--print", "proof"}).task, checker::Arguments::Task::kPrint);
  EXPECT_EQ(checker::parse_arguments({"--help"}).task, checker::Arguments::Task::kShowHelp);
  EXPECT_EQ(checker::parse_arguments({"--version"}).task, checker::Arguments::Task::kVersion);
}

TEST(CheckerCommandLine, RefusesEverythingElseInOneMessage) {
  const std::vector<std::pair<std::vector<std::string>, std::string>> wrong{
      {{}, "NET, PROPERTY and PROOF"},
      {{"a", "b"}, "NET, PROPERTY and PROOF"},
      {{"a", "b", "c", "d"}, "NET, PROPERTY and PROOF"},
      {{"a", "b", "c", "--epsilon", "1"}, "no option --epsilon"},
      {{"a", "b", "c", "--eps"}, "--eps needs a value"},
      {{"a", "b", "c", "--eps", "1"}, "need --data"},
      {{"a", "--data", "d", "p"}, "--data needs --sample"},
      {{"a", "--data", "d", "--sample", "1", "p"}, "--data needs --sample"},
      {{"a", "--data", "d", "--sample", "-1", "--eps", "1", "p"}, "natural number"},
      {{"a", "--data", "d", "--sample", "1", "--eps", "1", "--target", "x", "p"}, "natural number"},
      {{"a", "--data", "d", "--sample", "1", "--eps", "1", "--layout", "x", "p"}, "chw or hwc"},
      {{"--print"}, "PROOF"},
      {{"--run", "r.db", "net", "p"}, "the run says"},
      {{"--run", "r.db", "--eps", "1"}, "the run says"},
      {{"--run", "r.db", "--jobs", "x"}, "natural number"},
      {{"a", "b", "c", "--jobs", "2"}, "need --run"},
  };
  for (const auto& [words, expected] : wrong) {
    EXPECT_THAT(message_of<checker::BadUsage>([&] { checker::parse_arguments(words); }), HasSubstr(expected));
  }
}

TEST(CheckerQuestion, AboutValuesBehindASoftmaxIsRefused) {
  const TemporaryDirectory folder;
  checker::Network network = network_of(2, 1);
  network.nodes[0].size = network.output_size = 3;
  network.outputs[0].only_order = true;
  const auto ask = [&](const std::string& unsafe) {
    const std::string path =
        folder.write("p.vnnlib", kDeclared + "(declare-const Y_1 Real)(declare-const Y_2 Real)" + kBox + unsafe);
    const Upward upward;
    return question_of(checker::parse_arguments({"net", path, "proof"}), network).queries.size();
  };
  EXPECT_EQ(ask("(assert (<= Y_0 Y_1))"), 1U);
  EXPECT_EQ(ask("(assert (<= (* 0.1 Y_0) (* 0.1 Y_2)))"), 1U);
  for (const char* const unsafe :
       {"(assert (<= Y_0 0.5))", "(assert (<= (+ Y_0 1) Y_1))", "(assert (<= Y_0 (* 2 Y_1)))",
        "(assert (<= (+ Y_0 Y_1) (* 2 Y_2)))", "(assert (<= (+ Y_0 X_0) Y_1))"}) {
    EXPECT_THAT(message_of<checker::BadFile>([&] { ask(unsafe); }), HasSubstr("softmax")) << unsafe;
  }
}

TEST(CheckerNormalisation, PutsAnEnclosedScaleBeforeTheInputs) {
  const Upward upward;
  checker::Network network;
  network.inputs = {{"a", {1, 3, 2, 2}}};
  network.nodes = {
      {"a", checker::Input{0}, {}, 12}, {"r", checker::Relu{}, {0}, 12}, {"s", checker::Affine{}, {0, 1}, 12}};
  network.outputs = {{"s", 2}};
  network.input_size = network.output_size = 12;
  checker::normalise(network, "0,0.5,1", "cifar10", nullptr);
  ASSERT_EQ(network.nodes.size(), 5U);
  for (std::size_t node : {1U, 2U, 3U}) EXPECT_THAT(network.nodes[node].arguments, ElementsAre(node - 1));
  EXPECT_THAT(network.nodes[4].arguments, ElementsAre(2, 3));
  EXPECT_EQ(network.outputs[0].node, 4U);
  const auto& scale = std::get<checker::Affine>(network.nodes[1].op);
  const std::vector<mpq_class> mean{0, mpq_class(1, 2), 1},
      deviation{mpq_class(247, 1000), mpq_class(2435, 10000), mpq_class(2616, 10000)};
  for (std::size_t i = 0; i < 12; ++i) {
    mpq_class d = deviation[i / 4];
    d.canonicalize();
    EXPECT_LE(mpq_class(scale.weights.low[i]), 1 / d);
    EXPECT_GE(mpq_class(scale.weights.high[i]), 1 / d);
    EXPECT_LE(mpq_class(scale.biases.low[i]), -mean[i / 4] / d);
    EXPECT_GE(mpq_class(scale.biases.high[i]), -mean[i / 4] / d);
    EXPECT_LE(scale.weights.high[i], std::nextafter(scale.weights.low[i], 100));
  }
  EXPECT_THROW(checker::normalise(network, "0", "0", nullptr), checker::BadFile);
  EXPECT_THROW(checker::normalise(network, "0,1", "1", nullptr), checker::BadFile);
}

}  // namespace
}  // namespace plumb
