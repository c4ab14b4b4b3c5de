// reader.h: reads the records of a certificate one after the other.
//
// Errors: BadFile, with the place in the uncompressed file. Lists grow as their entries are read, so memory stays in
//         proportion to the file; numbers of which there are as many as units are limited in each record.
#pragma once

#include <zlib.h>

#include <functional>
#include <iosfwd>

#include "certificate.h"

namespace checker {

class Reader {
 public:
  // Fills a buffer with what follows in an uncompressed certificate; returns how much, which is 0 only at its end.
  using Source = std::function<std::size_t(unsigned char* buffer, std::size_t size)>;

  explicit Reader(const std::string& path);
  // `name` stands for a file in messages.
  Reader(std::string name, Source source);
  ~Reader();
  Reader(const Reader&) = delete;

  // The next record. After End nothing may follow, and next() must not be called.
  Record next();
  // "proof.plumb, byte 1234", where the last record begins.
  std::string place() const { return path_ + ", byte " + std::to_string(begins_at_); }

  // Reads fields.
  void operator()(auto&... fields) { (read(fields), ...); }

 private:
  void read(Index& number);
  void read(bool& flag);
  void read(double& number);
  void read(std::string& text);
  void read(Decision& decision);
  void read(Inequality& inequality) {
    (*this)(inequality.outputs, inequality.inputs, inequality.bound, inequality.strict);
  }
  void read(PerUnit& numbers) { read_reals(numbers, units_); }
  void read(PerCut& numbers) { read_reals(numbers, cuts_); }
  template <class First, class Second>
  void read(std::pair<First, Second>& both) {
    (*this)(both.first, both.second);
  }
  template <class Entry>
  void read(std::vector<Entry>& list) {
    Index count = 0;
    for (read(count); count > 0; --count) read(list.emplace_back());
  }
  template <class Field>
  void read(std::optional<Field>& field) {
    bool is_there = false;
    read(is_there);
    if (is_there) read(field.emplace());
  }
  void read(auto& record) { record.fields(*this); }
  void read_reals(std::vector<double>& numbers, std::size_t count);
  template <class Float>
  double read_float();
  unsigned char byte();
  void read_beginning();
  [[noreturn]] void broken(const std::string& why) const;

  std::string path_;
  gzFile file_ = nullptr;  // or else a source
  Source source_;
  // Throws BadFile unless the file ends with the gzip stream that was read.
  void expect_end();

  std::vector<unsigned char> buffer_;
  unsigned long checksum_ = 0;  // of what was read
  std::size_t at_ = 0, filled_ = 0;
  Index read_before_ = 0, begins_at_ = 0;
  std::size_t units_ = 0, cuts_ = 0, reals_in_record_ = 0;
};

// The certificate as text, one line per record: its name, then its fields.
void print(Reader& reader, std::ostream& out);

}  // namespace checker
