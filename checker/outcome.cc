#include "outcome.h"

#include "error.h"

namespace checker {
namespace {

// Reads the records before the first that proves something. Returns whether the answer is `violated`.
bool read_header(Reader& reader, const Network& network) {
  const Record first = reader.next(), second = reader.next();
  const auto* answer = std::get_if<Answer>(&first);
  const auto* hash = std::get_if<NetworkHash>(&second);
  if (answer == nullptr || hash == nullptr) throw BadFile(reader.place() + ": the certificate has no header");
  if (answer->arithmetic != "real")
    throw Rejected("it is about the arithmetic '" + answer->arithmetic + "', which this program does not know");
  if (hash->sha256 != network.sha256) throw Rejected("it is about another network, with the SHA-256 " + hash->sha256);
  return answer->violated;
}

}  // namespace

Outcome check_certificate(Reader& reader, const Network& network, const Question& question, Arithmetic arithmetic,
                          const std::function<void(const Witness&)>& check_point) {
  if (read_header(reader, network)) {
    const Record record = reader.next();
    const auto* witness = std::get_if<Witness>(&record);
    if (witness == nullptr) throw Rejected(reader.place() + ": a witness is missing");
    check_point(*witness);
    if (!std::holds_alternative<End>(reader.next())) throw Rejected(reader.place() + ": more than a witness");
    return {true, {}};
  }
  Check proof(network, question, arithmetic);
  proof.run(reader);
  return {false, proof.counts()};
}

}  // namespace checker
