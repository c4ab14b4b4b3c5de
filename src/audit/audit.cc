#include "audit/audit.h"

#include <algorithm>
#include <cfenv>
#include <chrono>
#include <cstring>
#include <filesystem>
#include <numeric>
#include <system_error>

#include "audit/checker_network.h"
#include "audit/checker_question.h"
#include "base/error.h"
#include "certificate/certificate.h"
#include "certificate/spool.h"
#include "check.h"  // the checker's
#include "error.h"  // the checker's
#include "network/op_kind.h"

namespace plumb::audit {
namespace {

using certificate::Kind;
using certificate::Spool;

struct Interrupted {};
constexpr std::int64_t kReadAtOnce = 4096;  // bytes, between two looks at whether the audit is to stop

// The checker rounds upward, everything else to nearest.
class RoundingUpward {
 public:
  RoundingUpward() : before_(std::fegetround()) { checker::round_upward(); }
  ~RoundingUpward() { std::fesetround(before_); }
  RoundingUpward(const RoundingUpward&) = delete;

 private:
  int before_;
};

// Networks that were not read from a file have no names for their units. Where units were merged, the file's names are
// not enough. So the nodes are named by their numbers.
network::Network with_names(const network::Network& network) {
  std::vector<network::Node> nodes = network.nodes();
  for (network::NodeId id = 0; id < nodes.size(); ++id) {
    network::Node& node = nodes[id];
    node.unit_name.reset();
    if (has_units(node.op)) node.unit_name = network::UnitNodeName{node.name, static_cast<std::int64_t>(id)};
  }
  return {std::move(nodes), network.inputs(), network.outputs(), network.opset()};
}

std::filesystem::path temporary_folder() {
  std::error_code unknown;
  const std::filesystem::path folder = std::filesystem::temp_directory_path(unknown);
  return unknown ? "/tmp" : folder;
}

// The records as a whole certificate, but for its header: what it is about is known here.
void copy_proof(const certificate::Recorder& recorder, Spool& proof) {
  proof.append(certificate::kBeginning);
  recorder.read([&](std::string_view bytes) { proof.append(bytes); });
  proof.append(certificate::Record(Kind::kEnd).bytes());
}

checker::Reader::Source source_of(const Spool& proof, const std::atomic<bool>* cancel) {
  return [&proof, cancel, at = std::int64_t{0}](unsigned char* buffer, std::size_t size) mutable {
    if (cancel != nullptr && cancel->load(std::memory_order_relaxed)) throw Interrupted();
    const std::int64_t last = std::min({at + static_cast<std::int64_t>(size), at + kReadAtOnce, proof.size()});
    std::size_t taken = 0;
    proof.read(at, last, [&](std::string_view bytes) {
      std::memcpy(buffer + taken, bytes.data(), bytes.size());
      taken += bytes.size();
    });
    at = last;
    return taken;
  };
}

}  // namespace

AuditCounts& AuditCounts::operator+=(const AuditCounts& more) {
  for (std::size_t k = 0; k < of_kind_.size(); ++k) of_kind_[k] += more.of_kind_[k];
  return *this;
}

std::int64_t AuditCounts::closings() const { return of(Kind::kClose) + of(Kind::kBare) + of(Kind::kProgram); }
std::int64_t AuditCounts::refutations() const { return of(Kind::kRefuted) + of(Kind::kValues); }
std::int64_t AuditCounts::cuts() const { return of(Kind::kCut) + of(Kind::kMerged); }
std::int64_t AuditCounts::records() const { return std::accumulate(of_kind_.begin(), of_kind_.end(), std::int64_t{0}); }

Audit::Audit(const property::Query& query) : query_(query), named_(with_names(*query.network)) {
  recorder_.emplace(named_, temporary_folder());
}

std::string Audit::confirm(const verdict::Verdict& verdict, const std::atomic<bool>* cancel) {
  const auto start = std::chrono::steady_clock::now();
  std::string why_not;
  try {
    if (verdict.answer == verdict::Answer::kHolds) prove(cancel);
    if (verdict.answer == verdict::Answer::kViolated) prove(verdict.witness.value());
  } catch (const checker::Rejected& rejected) {
    throw InternalError("audit", rejected.what());
  } catch (const checker::BadFile& broken) {
    throw InternalError("audit", broken.what());
  } catch (const Interrupted&) {
    why_not = "interrupted before the audit was complete";
  } catch (const InternalError&) {
    throw;
  } catch (const Error& error) {
    why_not = std::string("the audit has no proof: ") + error.what();
  }
  seconds_ += std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
  return why_not;
}

void Audit::prove(const std::atomic<bool>* cancel) {
  if (query_.unsafe.conjunctions.empty()) return;  // nothing is unsafe
  if (recorder_->failure()) std::rethrow_exception(recorder_->failure());
  if (!recorder_->is_complete()) throw InternalError("audit", "the search did not report all of its proof");
  Spool proof(temporary_folder());
  copy_proof(*recorder_, proof);
  const checker::Network network = checker_network(named_);
  const checker::Question question = checker_question(query_.region, query_.unsafe);
  const RoundingUpward upward;
  checker::Reader reader("proof", source_of(proof, cancel));
  checker::Check check(network, question, checker::Arithmetic::kIntervals);
  check.run(reader);
  for (std::size_t k = 0; k < check.counts().records.size(); ++k)
    counts_.add(static_cast<Kind>(k + 1), check.counts().records[k]);
}

void Audit::prove(const verdict::Witness& witness) const {
  if (witness.evidence == verdict::WitnessEvidence::kFloatOnly) return;
  const checker::Network network = checker_network(*as_stored(query_.network));
  const checker::Question question = checker_question(query_.region, query_.unsafe);
  const RoundingUpward upward;
  check_witness(network, question, {witness.input, witness.parameters});
}

}  // namespace plumb::audit
