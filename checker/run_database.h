// run_database.h: the store of a run of `plumb accuracy`, an SQLite file (docs/store.md).
//
// In:  what was asked, which answers the run claims, and what earlier calls found about them.
// Out: what is found now, in the table `checked`, which `plumb report` reads. Nothing else in the file is changed.
//
// Nothing is trusted: that the network and the data are those of the run is shown by their hashes, and claims of the
// run only say which certificates should be there.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "command_line.h"

struct sqlite3;

namespace checker {

struct Run {
  Arguments asked;                   // without a sample and a radius; files and the folder as the run named them
  std::vector<std::string> levels;   // the radii, smallest first; or the one perturbation
  std::vector<std::string> folders;  // in which relative names may be meant, in this order
  std::string network_sha256, data_hash;
  std::set<std::int64_t> samples;
};

using SampleAndLevel = std::pair<std::int64_t, std::string>;

// An answer of the run. `verdict` is `holds`, `violated` or `unknown`.
struct Claim {
  std::string verdict;
  double recorded = 0;   // when; it tells answers to the same question apart
  bool implied = false;  // by the answer at another radius, so that it needs no certificate of its own
};

// What was found about a sample at one level.
struct Finding {
  std::string verdict = "unknown";  // what is proven
  std::string proof;                // how: `certificate` or `evaluation`; empty if nothing is proven
  std::string reason;               // why the certificate is rejected; empty if it is not
  std::string arithmetic;           // `intervals` or `exact`
  double seconds = 0;
  std::string certificate;         // SHA-256 of the file; empty if there is none
  std::optional<double> recorded;  // of the answer that it is about, if there was one
  std::string network;             // SHA-256 of its file
  std::string checker;             // version of this program
};

class RunDatabase {
 public:
  // Throws BadFile if the file is no store of a version that is known, here and whenever it cannot be read or written.
  explicit RunDatabase(const std::string& path);

  Run run();
  std::map<SampleAndLevel, Claim> claims();
  std::map<SampleAndLevel, Finding> findings();
  // Stores the findings about one sample, all or none of them. May be called by several threads.
  void record(std::int64_t sample, const std::vector<std::string>& levels, const std::vector<Finding>& findings);

 private:
  struct Close {
    void operator()(sqlite3* handle) const;
  };

  std::string path_;
  std::unique_ptr<sqlite3, Close> handle_;
  std::mutex writing_;
};

}  // namespace checker
