#include "certificate/certificate.h"

#include <fmt/format.h>
#include <unistd.h>

#include <cerrno>
#include <system_error>

#include "base/error.h"
#include "base/file.h"
#include "base/sha256.h"
#include "certificate/gzip_file.h"

namespace plumb::certificate {
namespace {

enum Answer : std::int64_t { kHolds = 0, kViolated = 1 };

std::filesystem::path folder_of(const std::filesystem::path& file) {
  return file.has_parent_path() ? file.parent_path() : std::filesystem::path(".");
}

void begin(GzipFile& file, Answer answer, const std::string& sha256) {
  file.write(kBeginning);
  file.write(Record(Kind::kAnswer).n(static_cast<std::int64_t>(answer)).text("real").bytes());
  file.write(Record(Kind::kNetwork).text(sha256).bytes());
}

void end(GzipFile& file) {
  file.write(Record(Kind::kEnd).bytes());
  file.finish();
}

Record witness_record(const verdict::Witness& witness) {
  Record record(Kind::kWitness);
  for (const std::vector<double>* numbers : {&witness.input, &witness.parameters}) {
    record.n(numbers->size());
    for (const double x : *numbers) record.d(x);
  }
  return record;
}

}  // namespace

std::string sha256_of_file(const std::filesystem::path& path) {
  Sha256 hash;
  const std::string bytes = read_file(path);
  hash.add(std::string_view(bytes));
  return hash.digits();
}

void expect_writable(const std::filesystem::path& folder) {
  std::error_code unknown;
  errno = std::filesystem::is_directory(folder, unknown) ? 0 : ENOENT;
  if (errno != 0 || access(folder.c_str(), W_OK | X_OK) != 0) {
    throw FileError(folder.string(),
                    fmt::format("certificates cannot be written here: {}", std::generic_category().message(errno)),
                    "choose another folder, or make this one writable");
  }
}

Certificate::Certificate(std::filesystem::path target, NetworkFile network)
    : target_(std::move(target)), network_(std::move(network)), recorder_(*network_.network, folder_of(target_)) {
  expect_writable(folder_of(target_));
  std::error_code unknown;
  if (std::filesystem::is_directory(target_, unknown))
    throw FileError(target_.string(), "is a folder, so that no certificate can be written", "give a file");
}

void Certificate::write_violated(const verdict::Witness& witness) const {
  GzipFile file(target_);
  begin(file, kViolated, network_.sha256);
  file.write(witness_record(witness).bytes());
  end(file);
}

void Certificate::write_holds() const {
  if (recorder_.failure()) std::rethrow_exception(recorder_.failure());
  if (!recorder_.is_complete())
    throw InternalError("certificate", "the answer holds, but the search did not report all of its proof");
  GzipFile file(target_);
  begin(file, kHolds, network_.sha256);
  recorder_.read([&](std::string_view bytes) { file.write(bytes); });
  end(file);
}

std::string Certificate::write(const verdict::Verdict& verdict) const {
  switch (verdict.answer) {
    case verdict::Answer::kUnknown:
      return "the answer is unknown";
    case verdict::Answer::kViolated:
      if (verdict.witness->evidence == verdict::WitnessEvidence::kFloatOnly)
        return "the witness is not proven over the reals";
      write_violated(*verdict.witness);
      return "";
    case verdict::Answer::kHolds:
      write_holds();
      return "";
  }
  throw InternalError("certificate", "invalid Answer value");
}

}  // namespace plumb::certificate
