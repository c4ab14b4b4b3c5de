// audit.h: proves the answer of a search again, by the program that checks certificates.
//
// In:  a query; the events of a search that decides it, and its verdict.
// Out: nothing if the verdict is proven; an InternalError that names the claim that is not.
//
// While the search runs, what it reports becomes the records of a certificate (certificate/recorder.h). When it has
// ended, the checker (checker/, docs/certificates.md) reads them. It knows the query and the network as it was
// searched, derives its own bounds in interval arithmetic, and tries exactly what intervals cannot confirm. What the
// answer does not rest on is not recorded, so it is not checked. An unknown answer claims nothing.
//
// Sound:   a `holds` that passes does not depend on any code of bounds, reduction or search, and a `violated` on none
//          of attack; this folder cannot include them. A witness is evaluated exactly, on the network of its file.
// Trusts:  that the network searched is the function of its file (certificates do not: plumb-check reads the file).
//          Margins and statistics of a verdict, and witnesses that are unsafe in floating point alone, are not checked.
// Refuses: a search that continues an earlier one, whose proof is not known here.
#pragma once

#include <array>
#include <atomic>
#include <optional>
#include <string>

#include "certificate/record.h"
#include "certificate/recorder.h"
#include "property/query.h"

namespace plumb::audit {

// How many records of each kind the checker has accepted.
class AuditCounts {
 public:
  void add(certificate::Kind kind, std::int64_t number) { of_kind_[index(kind)] += number; }
  AuditCounts& operator+=(const AuditCounts& more);

  std::int64_t of(certificate::Kind kind) const { return of_kind_[index(kind)]; }
  std::int64_t closings() const;     // of subproblems, by any proof
  std::int64_t refutations() const;  // of functionals, by bounds alone
  std::int64_t cuts() const;
  std::int64_t records() const;  // all of them

 private:
  static std::size_t index(certificate::Kind kind) { return static_cast<std::size_t>(kind); }

  std::array<std::int64_t, 32> of_kind_{};
};

class Audit {
 public:
  // Keeps a reference: the query must outlive it.
  explicit Audit(const property::Query& query);

  // Hears the search.
  events::EventSink& listener() { return *recorder_; }

  // Proves the verdict of the search. Returns an empty text, or says why a `holds` remains unproven: `cancel` was set,
  // or the proof cannot be recorded. Throws InternalError, which names the claim, if the checker does not accept it.
  std::string confirm(const verdict::Verdict& verdict, const std::atomic<bool>* cancel = nullptr);

  const AuditCounts& counts() const { return counts_; }
  double seconds() const { return seconds_; }  // that confirm() has taken

 private:
  void prove(const std::atomic<bool>* cancel);
  void prove(const verdict::Witness& witness) const;

  const property::Query& query_;
  network::Network named_;  // the query's network, with a name for each node with units
  std::optional<certificate::Recorder> recorder_;
  AuditCounts counts_;
  double seconds_ = 0;
};

}  // namespace plumb::audit
