#include "store/result_row.h"

#include <fmt/format.h>

#include <bit>
#include <cmath>
#include <nlohmann/json.hpp>

#include "base/error.h"
#include "base/sha256.h"
#include "store/remedies.h"
#include "verdict/statistics_json.h"

namespace plumb::store {

const char* const kResultColumns =
    "query, run, recorded, verdict, evidence, reason, engine, solver, misclassified, margin_lower, margin_upper, "
    "witness, outputs, part, parameters, representable, predicted, distance, seconds, nodes, timeout, work_limit, "
    "implied_by, pgd, statistics, digest";
const char* const kResultParameters = "?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?, ?";

namespace {

using Json = nlohmann::ordered_json;

enum Column : std::size_t {
  kQuery,
  kRun,
  kRecorded,
  kVerdict,
  kEvidence,
  kReason,
  kEngine,
  kSolver,
  kMisclassified,
  kMarginLower,
  kMarginUpper,
  kWitness,
  kOutputs,
  kPart,
  kParameters,
  kRepresentable,
  kPredicted,
  kDistance,
  kSeconds,
  kNodes,
  kTimeout,
  kWorkLimit,
  kImpliedBy,
  kPgd,
  kStatistics,
  kDigest,
  kColumns
};

// Eight bytes per number, little-endian on every machine.
Blob blob_of(const std::vector<double>& numbers) {
  Blob blob;
  blob.bytes.reserve(8 * numbers.size());
  for (const double number : numbers) {
    const auto bits = std::bit_cast<std::uint64_t>(number);
    for (int shift = 0; shift < 64; shift += 8) blob.bytes.push_back(static_cast<char>(bits >> shift & 255U));
  }
  return blob;
}

std::vector<double> numbers_of(const Blob& blob) {
  std::vector<double> numbers;
  for (std::size_t at = 0; at + 8 <= blob.bytes.size(); at += 8) {
    std::uint64_t bits = 0;
    for (std::size_t k = 0; k < 8; ++k) {
      bits |= static_cast<std::uint64_t>(static_cast<unsigned char>(blob.bytes[at + k])) << (8 * k);
    }
    numbers.push_back(std::bit_cast<double>(bits));
  }
  return numbers;
}

Value text_or_null(const std::string& text) { return text.empty() ? Value() : Value(text); }

// SQLite does not keep the sign of zero, and stores NaN as NULL.
double storable(double number, const StoredResult& result) {
  if (std::isnan(number)) throw InternalError(fmt::format("sample {}", result.sample), "a number of the result is NaN");
  return number + 0.0;
}

template <class Type>
Value value_or_null(const std::optional<Type>& value) {
  return value ? Value(*value) : Value();
}

std::string digest_of(std::span<const Value> values) {
  struct Feeder {
    Sha256& hash;

    void operator()(std::monostate) const {}
    void operator()(std::int64_t value) const { hash.add(value); }
    void operator()(double value) const { hash.add(value); }
    void operator()(const std::string& value) const {
      hash.add(static_cast<std::int64_t>(value.size()));
      hash.add(value);
    }
    void operator()(const Blob& value) const { (*this)(value.bytes); }
  };
  Sha256 hash;
  for (const Value& value : values) {
    hash.add(static_cast<std::int64_t>(value.index()));
    std::visit(Feeder{hash}, value);
  }
  return hash.digits();
}

// The number of nodes is left out, because it has a column of its own.
std::string statistics_text(const verdict::Statistics& statistics) {
  Json json = statistics_json(statistics);
  json.erase("nodes");
  return json.dump(-1, ' ', false, Json::error_handler_t::replace);
}

verdict::Answer answer_of(const std::string& name) {
  for (const verdict::Answer answer :
       {verdict::Answer::kHolds, verdict::Answer::kViolated, verdict::Answer::kUnknown}) {
    if (name == name_of(answer)) return answer;
  }
  throw std::invalid_argument(name);
}

std::string text_of(const Value& value) {
  return std::holds_alternative<std::monostate>(value) ? "" : std::get<std::string>(value);
}

// Stores of older versions do not record what a witness rests on. There it was two evaluations in floating point.
verdict::WitnessEvidence witness_evidence_of(const std::string& name) {
  for (const verdict::WitnessEvidence evidence :
       {verdict::WitnessEvidence::kExact, verdict::WitnessEvidence::kRealOnly}) {
    if (name == name_of(evidence)) return evidence;
  }
  return verdict::WitnessEvidence::kFloatOnly;
}

verdict::Witness witness_of(std::span<const Value> row) {
  verdict::Witness witness;
  witness.input = numbers_of(std::get<Blob>(row[kWitness]));
  witness.outputs = numbers_of(std::get<Blob>(row[kOutputs]));
  witness.slack = -std::get<double>(row[kMarginUpper]);
  witness.part = static_cast<std::size_t>(std::get<std::int64_t>(row[kPart]));
  witness.parameters = numbers_of(std::get<Blob>(row[kParameters]));
  witness.representable = std::get<std::int64_t>(row[kRepresentable]) != 0;
  witness.evidence = witness_evidence_of(text_of(row[kEvidence]));
  return witness;
}

// Throws std::bad_variant_access or a similar exception if a value does not have the expected type.
StoredResult decoded(std::span<const Value> row) {
  StoredResult result;
  result.query = std::get<std::string>(row[kQuery]);
  result.run = std::get<std::int64_t>(row[kRun]);
  result.recorded = std::get<double>(row[kRecorded]);
  result.misclassified = std::get<std::int64_t>(row[kMisclassified]) != 0;
  result.seconds = std::get<double>(row[kSeconds]);
  result.engine = std::get<std::string>(row[kEngine]);
  result.solver = text_of(row[kSolver]);
  if (const auto* timeout = std::get_if<double>(&row[kTimeout])) result.timeout = *timeout;
  if (const auto* work = std::get_if<std::int64_t>(&row[kWorkLimit])) result.work_limit = *work;
  result.implied_by = text_of(row[kImpliedBy]);
  if (const auto* pgd = std::get_if<std::int64_t>(&row[kPgd])) result.pgd = *pgd != 0;
  verdict::Verdict& verdict = result.verdict;
  verdict.answer = answer_of(std::get<std::string>(row[kVerdict]));
  verdict.evidence = text_of(row[kEvidence]) == name_of(verdict::Evidence::kSolver) ? verdict::Evidence::kSolver
                                                                                    : verdict::Evidence::kRigorous;
  verdict.reason = std::get<std::string>(row[kReason]);
  verdict.margin_lower = std::get<double>(row[kMarginLower]);
  verdict.statistics = verdict::statistics_of(Json::parse(std::get<std::string>(row[kStatistics])));
  verdict.statistics.nodes = std::get<std::int64_t>(row[kNodes]);
  if (std::holds_alternative<Blob>(row[kWitness])) {
    verdict.witness = witness_of(row);
    result.predicted = std::get<std::int64_t>(row[kPredicted]);
    result.distance = std::get<double>(row[kDistance]);
  }
  return result;
}

}  // namespace

std::vector<Value> result_row(const StoredResult& result) {
  const verdict::Verdict& verdict = result.verdict;
  std::vector<Value> row(kColumns);
  row[kQuery] = result.query;
  row[kRun] = result.run;
  row[kRecorded] = result.recorded;
  row[kVerdict] = std::string(name_of(verdict.answer));
  if (const auto evidence = evidence_word(verdict)) row[kEvidence] = *evidence;
  row[kReason] = verdict.reason;
  row[kEngine] = result.engine;
  row[kSolver] = text_or_null(result.solver);
  row[kMisclassified] = std::int64_t{result.misclassified};
  row[kMarginLower] = verdict.margin_lower;
  if (verdict.witness) {
    row[kMarginUpper] = -verdict.witness->slack;
    row[kWitness] = blob_of(verdict.witness->input);
    row[kOutputs] = blob_of(verdict.witness->outputs);
    row[kPart] = static_cast<std::int64_t>(verdict.witness->part);
    row[kParameters] = blob_of(verdict.witness->parameters);
    row[kRepresentable] = std::int64_t{verdict.witness->representable};
    row[kPredicted] = result.predicted;
    row[kDistance] = result.distance;
  }
  row[kSeconds] = result.seconds;
  row[kNodes] = verdict.statistics.nodes;
  row[kTimeout] = value_or_null(result.timeout);
  row[kWorkLimit] = value_or_null(result.work_limit);
  row[kImpliedBy] = text_or_null(result.implied_by);
  if (result.pgd) row[kPgd] = std::int64_t{*result.pgd};
  row[kStatistics] = statistics_text(verdict.statistics);
  for (Value& value : row) {
    if (auto* number = std::get_if<double>(&value)) *number = storable(*number, result);
  }
  row[kDigest] = digest_of(std::span(row).first(kDigest));
  return row;
}

StoredResult result_of_row(std::span<const Value> row, const std::string& where) {
  const DataError damaged(where, "the store is damaged (a result does not fit its digest); nothing was written to it",
                          restore_store());
  if (row.size() != kColumns || row[kDigest] != Value(digest_of(row.first(kDigest)))) throw damaged;
  try {
    return decoded(row);
  } catch (const std::exception&) {
    throw damaged;
  }
}

}  // namespace plumb::store
