#include "reader.h"

#include <cmath>
#include <cstring>
#include <fstream>

#include "error.h"

namespace checker {

Reader::Reader(const std::string& path)
    : path_(path), file_(gzopen(path.c_str(), "rb")), buffer_(std::size_t{1} << 16) {
  if (file_ == nullptr) throw BadFile(path + ": cannot be opened: " + std::strerror(errno));
  try {
    read_beginning();
  } catch (...) {
    gzclose(file_);
    throw;
  }
}

Reader::Reader(std::string name, Source source)
    : path_(std::move(name)), source_(std::move(source)), buffer_(std::size_t{1} << 16) {
  read_beginning();
}

Reader::~Reader() {
  if (file_ != nullptr) gzclose(file_);
}

void Reader::read_beginning() {
  for (const char c : std::string("plumb certificate\n")) {
    if (byte() != static_cast<unsigned char>(c)) broken("not a certificate");
  }
  Index version = 0;
  read(version);
  if (version != 1) broken("version " + std::to_string(version) + ", but this program reads version 1");
}

void Reader::broken(const std::string& why) const {
  throw BadFile(path_ + ", byte " + std::to_string(read_before_ + static_cast<Index>(at_)) + ": " + why);
}

unsigned char Reader::byte() {
  if (at_ == filled_) {
    read_before_ += static_cast<Index>(filled_);
    at_ = filled_ = 0;
    const int got = source_ ? static_cast<int>(source_(buffer_.data(), buffer_.size()))
                            : gzread(file_, buffer_.data(), static_cast<unsigned>(buffer_.size()));
    if (got <= 0) broken(got < 0 ? "the compressed data are damaged" : "the file ends too early");
    filled_ = static_cast<std::size_t>(got);
    checksum_ = crc32(checksum_, buffer_.data(), static_cast<unsigned>(got));
  }
  return buffer_[at_++];
}

void Reader::read(Index& number) {
  std::uint64_t value = 0;
  for (int shift = 0; shift < 63; shift += 7) {
    const unsigned char b = byte();
    value |= static_cast<std::uint64_t>(b & 0x7f) << shift;
    number = static_cast<Index>(value);
    if (b < 0x80) return;
  }
  broken("a number is too large");
}

void Reader::read(bool& flag) {
  Index value = 0;
  read(value);
  if (value > 1) broken("neither 0 nor 1");
  flag = value == 1;
}

template <class Float>
double Reader::read_float() {
  unsigned char bytes[sizeof(Float)];
  for (unsigned char& b : bytes) b = byte();
  Float value = 0;
  std::memcpy(&value, bytes, sizeof(value));
  if (!std::isfinite(value)) broken("a number is not finite");
  return value;
}

void Reader::read(double& number) { number = read_float<double>(); }

void Reader::read(std::string& text) {
  Index count = 0;
  for (read(count); count > 0; --count) text.push_back(static_cast<char>(byte()));
}

void Reader::read(Decision& decision) {
  Index code = 0;
  read(code);
  decision = {code / 2, code % 2 == 1};
}

void Reader::read_reals(std::vector<double>& numbers, std::size_t count) {
  constexpr std::size_t kMostInRecord = std::size_t{1} << 26;
  if ((reals_in_record_ += count) > kMostInRecord) broken("a record with too many numbers");
  const unsigned char kind = byte();
  if (kind > 5) broken("an unknown kind of list");
  numbers.assign(count, kind == 3 ? read_float<double>() : 0.0);
  if (kind == 1 || kind == 2) {
    for (double& number : numbers) number = kind == 1 ? read_float<float>() : read_float<double>();
  } else if (kind >= 4) {
    std::size_t next = 0;
    Index entries = 0, distance = 0;
    for (read(entries); entries > 0; --entries) {
      read(distance);
      if (distance == 0 || static_cast<std::size_t>(distance) > count - next) broken("an entry beyond its list");
      next += static_cast<std::size_t>(distance);
      numbers[next - 1] = kind == 4 ? read_float<float>() : read_float<double>();
    }
  }
}

// zlib ignores what follows a stream. The last bytes of the file must be the checksum and the length of this stream.
void Reader::expect_end() {
  unsigned char more = 0, trailer[8] = {};
  if (source_) {
    if (at_ != filled_ || source_(&more, 1) != 0) broken("something follows the last record");
    return;
  }
  bool is_whole = at_ == filled_ && gzread(file_, &more, 1) == 0;
  int error = Z_OK;
  gzerror(file_, &error);
  std::ifstream file(path_, std::ios::binary);
  is_whole =
      is_whole && error == Z_OK && file.seekg(-8, std::ios::end) && file.read(reinterpret_cast<char*>(trailer), 8);
  const auto length = static_cast<std::uint64_t>(read_before_) + filled_;
  for (int i = 0; i < 4; ++i) {
    is_whole = is_whole && trailer[i] == (checksum_ >> 8 * i & 0xff) && trailer[4 + i] == (length >> 8 * i & 0xff);
  }
  if (!is_whole) broken("something follows the last record, or its end is damaged");
}

Record Reader::next() {
  begins_at_ = read_before_ + static_cast<Index>(at_);
  reals_in_record_ = 0;
  const unsigned char kind = byte();
  Record record;
  const auto read_kind = [&]<std::size_t... k>(std::index_sequence<k...>) {
    const bool known = ((kind == k + 1 && (read(record.emplace<k>()), true)) || ...);
    if (!known) broken("an unknown kind of record, " + std::to_string(kind));
  };
  read_kind(std::make_index_sequence<std::variant_size_v<Record>>());
  if (const auto* units = std::get_if<Units>(&record)) units_ = units->units.size();
  if (const auto* tree = std::get_if<Tree>(&record)) cuts_ = tree->cuts.size();
  if (std::holds_alternative<Elements>(record)) cuts_ = 0;
  if (std::holds_alternative<End>(record)) {
    expect_end();
  }
  return record;
}

}  // namespace checker
