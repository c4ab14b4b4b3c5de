#include "run.h"

#include <unistd.h>

#include <algorithm>
#include <cctype>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>

#include "error.h"
#include "file.h"
#include "outcome.h"
#include "parallel.h"
#include "run_sentence.h"
#include "run_sources.h"
#include "values.h"

namespace checker {
namespace {

using Clock = std::chrono::steady_clock;

double seconds_since(Clock::time_point start) { return std::chrono::duration<double>(Clock::now() - start).count(); }

// The name that plumb gives it below the folder of a run: "eps-8_255/sample-00007.plumb".
std::filesystem::path certificate_name(const std::string& level, std::int64_t sample) {
  std::string folder = "eps-" + level;
  for (char& c : folder) {
    if (!std::isalnum(static_cast<unsigned char>(c)) && c != '.' && c != '-') c = '_';
  }
  const std::string number = std::to_string(sample);
  return std::filesystem::path(folder) /
         ("sample-" + std::string(number.size() < 5 ? 5 - number.size() : 0, '0') + number + ".plumb");
}

// Empty if there is no such file.
std::string sha256_of_bytes(const std::filesystem::path& path) {
  std::ifstream file(path, std::ios::binary);
  if (!file) return "";
  return sha256(std::string(std::istreambuf_iterator<char>(file), {}));
}

// Whether the unchanged sample violates the question about it. Most are far from that, which intervals show at once.
bool violates_itself(const Network& network, const Question& question, const std::vector<double>& sample) {
  std::vector<Interval> outputs;
  const auto values = values_of(network, std::vector<Interval>(sample.begin(), sample.end()));
  for (const Place& place : network.output_places)
    outputs.insert(outputs.end(), values[place.node].begin(), values[place.node].end());
  const auto may_hold = [&](const Inequality& inequality) {
    Interval room = inequality.bound;
    for (const auto& [i, coefficient] : inequality.outputs)
      room = room - Interval(coefficient) * outputs[static_cast<std::size_t>(i)];
    return room.high >= 0;
  };
  return std::ranges::any_of(question.queries, [&](const Query& query) {
    if (std::ranges::none_of(query.unsafe, [&](const auto& all) { return std::ranges::all_of(all, may_hold); }))
      return false;
    const auto* image = std::get_if<AffineImage>(&query.region);
    try {
      check_witness(network, {{query}, ""}, {sample, std::vector<double>(image ? image->parameters.low.size() : 0)});
      return true;
    } catch (const Rejected&) {
      return false;
    }
  });
}

class RunCheck {
 public:
  explicit RunCheck(const Arguments& arguments)
      : arguments_(arguments),
        jobs_(arguments.jobs > 0 ? static_cast<std::size_t>(arguments.jobs)
                                 : std::max<std::size_t>(1, std::thread::hardware_concurrency())),
        database_(arguments.run),
        run_(database_.run()),
        sources_(sources_of(arguments, run_, jobs_)),
        samples_(run_.samples.begin(), run_.samples.end()),
        folder_(certificates()),
        claims_(database_.claims()),
        known_(database_.findings()) {
    sources_.data.label(samples_.back());  // throws if there is no such sample
  }

  int check() {
    in_parallel(jobs_, samples_.size(), [this](std::size_t i) { check(samples_[i]); });
    say(arguments_.run + ": " + std::to_string(checked_) + " samples checked " +
        (arguments_.exact ? "exactly" : "with intervals") + " in " +
        std::to_string(std::lround(seconds_since(start_))) + " s, " + std::to_string(done_ - checked_) +
        " before; data set with the hash " + run_.data_hash);
    for (const std::string& level : run_.levels)
      say(sentence(run_, sources_.data.labels.size(), level, counts_[level]));
    return rejected_ > 0 ? 1 : 0;
  }

 private:
  std::filesystem::path certificates() const {
    if (!arguments_.certificates.empty()) {
      if (std::filesystem::is_directory(arguments_.certificates)) return arguments_.certificates;
      throw BadFile(arguments_.certificates + ": is no folder of certificates");
    }
    if (run_.asked.certificates.empty())
      throw BadFile(arguments_.run + ": the run wrote no certificates: give --certificates DIR if there are any");
    for (const std::string& folder : run_.folders) {
      const std::filesystem::path there = std::filesystem::path(folder) / run_.asked.certificates;
      if (std::filesystem::is_directory(there)) return there;
    }
    throw BadFile(run_.asked.certificates + ": the folder of certificates that " + arguments_.run +
                  " names is not there: give --certificates DIR");
  }

  std::optional<Claim> claim(std::int64_t sample, const std::string& level) const {
    const auto found = claims_.find({sample, level});
    return found == claims_.end() ? std::nullopt : std::optional(found->second);
  }

  // What is known about a level of a sample before its certificate is read.
  Finding begin(std::int64_t sample, const std::string& level) const {
    Finding finding;
    finding.arithmetic = arguments_.exact ? "exact" : "intervals";
    finding.network = run_.network_sha256;
    finding.checker = kProgramVersion;
    finding.certificate = sha256_of_bytes(folder_ / certificate_name(level, sample));
    if (const auto claimed = claim(sample, level)) finding.recorded = claimed->recorded;
    return finding;
  }

  // Whether what is stored was found about the same files, and with as much care.
  bool is_known(std::int64_t sample, const std::string& level, const Finding& now) const {
    const auto found = known_.find({sample, level});
    if (found == known_.end() || arguments_.again) return false;
    const Finding& before = found->second;
    return before.certificate == now.certificate && before.recorded == now.recorded && before.network == now.network &&
           before.checker == now.checker && (before.arithmetic == now.arithmetic || before.arithmetic == "exact");
  }

  void check(std::int64_t sample) {
    std::vector<Finding> findings;
    bool are_known = true;
    for (const std::string& level : run_.levels) {
      findings.push_back(begin(sample, level));
      are_known = are_known && is_known(sample, level, findings.back());
    }
    if (are_known) {
      for (std::size_t i = 0; i < findings.size(); ++i) findings[i] = known_.at({sample, run_.levels[i]});
    } else {
      for (std::size_t i = 0; i < findings.size(); ++i) check(sample, run_.levels[i], findings[i]);
      imply(sample, findings);
      for (std::size_t i = 0; i < findings.size(); ++i) compare(claim(sample, run_.levels[i]), findings[i]);
      database_.record(sample, run_.levels, findings);
    }
    take(sample, findings, !are_known);
  }

  Question question_of(const Arguments& asked) const {
    try {
      return question_about_sample(asked, sources_.data, sources_.network);
    } catch (const BadFile& error) {
      throw BadFile(arguments_.run + ": sample " + std::to_string(asked.sample) + ": " + error.what());
    }
  }

  // The question comes from the run and the data, the certificate only says how it is proven.
  void check(std::int64_t sample, const std::string& level, Finding& finding) const {
    const auto start = Clock::now();
    Arguments asked = run_.asked;
    asked.sample = sample;
    if (asked.around.perturbations.empty()) asked.around.eps = level;
    const Network& network = sources_.network;
    const Question question = question_of(asked);
    try {
      if (!finding.certificate.empty()) {
        Reader reader((folder_ / certificate_name(level, sample)).string());
        const Outcome outcome =
            check_certificate(reader, network, question, arguments_.exact ? Arithmetic::kExact : Arithmetic::kIntervals,
                              [&](const Witness& witness) { check_witness(network, question, witness); });
        finding.verdict = outcome.violated ? "violated" : "holds";
        finding.proof = "certificate";
      }
    } catch (const Rejected& error) {
      finding.reason = printable(error.what());
    } catch (const BadFile& error) {
      finding.reason = printable(error.what());
    }
    if (finding.proof.empty() &&
        violates_itself(network, question, sources_.data.sample(sample, input_shape(network)))) {
      finding.verdict = "violated";
      finding.proof = "evaluation";
    }
    finding.seconds = seconds_since(start);
  }

  // Each region lies in those of larger radii: a proof serves the smaller ones, a witness the larger ones.
  static void imply(std::int64_t sample, std::vector<Finding>& findings) {
    const auto spread = [&](const Finding& from, Finding& to) {
      if (to.proof.empty()) {
        to.verdict = from.verdict;
        to.proof = from.proof;
      } else if (to.verdict != from.verdict) {
        throw std::logic_error("sample " + std::to_string(sample) + ": certificates prove opposite things");
      }
    };
    for (std::size_t i = 1; i < findings.size(); ++i) {
      if (findings[i - 1].verdict == "violated") spread(findings[i - 1], findings[i]);
    }
    for (std::size_t i = findings.size() - 1; i > 0; --i) {
      if (findings[i].verdict == "holds") spread(findings[i], findings[i - 1]);
    }
  }

  // An answer of the run that is not proven is noted, whether its certificate is bad or missing.
  static void compare(const std::optional<Claim>& claim, Finding& finding) {
    if (!finding.reason.empty() || !claim || claim->verdict == "unknown" || claim->verdict == finding.verdict) return;
    finding.reason = finding.verdict == "unknown"
                         ? "there is no certificate"
                         : "the run says '" + claim->verdict + "', but '" + finding.verdict + "' is proven";
  }

  // In one line, whatever the store contains.
  void say(const std::string& line) const {
    if (is_terminal_) std::fputs("\r\033[K", stderr);
    std::puts(printable(line).c_str());
    std::fflush(stdout);
  }

  void take(std::int64_t sample, const std::vector<Finding>& findings, bool is_new) {
    const std::scoped_lock lock(counting_);
    ++done_;
    checked_ += is_new;
    for (std::size_t i = 0; i < findings.size(); ++i) {
      counts_[run_.levels[i]].add(findings[i]);
      if (findings[i].reason.empty()) continue;
      ++rejected_;
      say("rejected: sample " + std::to_string(sample) + " at " + run_.levels[i] + ": " +
          (folder_ / certificate_name(run_.levels[i], sample)).string() + ": " + findings[i].reason);
    }
    if (!is_terminal_ || (seconds_since(shown_) < 0.2 && done_ < std::ssize(samples_))) return;
    shown_ = Clock::now();
    const double left = seconds_since(start_) / static_cast<double>(std::max<std::int64_t>(1, checked_)) *
                        static_cast<double>(std::ssize(samples_) - done_);
    std::fprintf(stderr, "\r\033[K%lld of %zu samples, %lld certificates rejected, about %.0f s left",
                 static_cast<long long>(done_), samples_.size(), static_cast<long long>(rejected_), left);
  }

  Clock::time_point start_ = Clock::now(), shown_ = start_;
  const Arguments& arguments_;
  std::size_t jobs_;
  RunDatabase database_;
  Run run_;
  Sources sources_;
  std::vector<std::int64_t> samples_;
  std::filesystem::path folder_;
  std::map<SampleAndLevel, Claim> claims_;
  std::map<SampleAndLevel, Finding> known_;

  bool is_terminal_ = isatty(STDERR_FILENO) == 1;
  std::mutex counting_;
  std::int64_t done_ = 0, checked_ = 0, rejected_ = 0;
  std::map<std::string, LevelCounts> counts_;
};

}  // namespace

int check_run(const Arguments& arguments) { return RunCheck(arguments).check(); }

}  // namespace checker
