#include <iomanip>
#include <ostream>

#include "reader.h"

namespace checker {
namespace {

class Printer {
 public:
  explicit Printer(std::ostream& out) : out_(out) {}

  void operator()(const auto&... fields) { (print(fields), ...); }

 private:
  void print(Index number) { out_ << ' ' << number; }
  void print(bool flag) { out_ << (flag ? " yes" : " no"); }
  void print(double number) { out_ << ' ' << number; }
  void print(const std::string& text) { out_ << ' ' << std::quoted(text); }
  void print(const Decision& decision) { out_ << ' ' << (decision.active ? '+' : '-') << decision.unit; }
  void print(const Inequality& inequality) {
    (*this)(inequality.outputs, inequality.inputs);
    out_ << (inequality.strict ? " <" : " <=");
    print(inequality.bound);
  }
  void print(const PerUnit& numbers) { print_sparse(numbers); }
  void print(const PerCut& numbers) { print_sparse(numbers); }
  template <class First, class Second>
  void print(const std::pair<First, Second>& both) {
    print(both.first);
    out_ << ':';
    print(both.second);
  }
  template <class Entry>
  void print(const std::vector<Entry>& list) {
    out_ << " [";
    for (const Entry& entry : list) print(entry);
    out_ << " ]";
  }
  template <class Field>
  void print(const std::optional<Field>& field) {
    if (field)
      print(*field);
    else
      out_ << " default";
  }
  void print(const auto& record) { const_cast<std::remove_cvref_t<decltype(record)>&>(record).fields(*this); }

  void print_sparse(const std::vector<double>& numbers) {
    out_ << " {";
    for (std::size_t i = 0; i < numbers.size(); ++i) {
      if (numbers[i] != 0) out_ << ' ' << i << ':' << numbers[i];
    }
    out_ << " }";
  }

  std::ostream& out_;
};

}  // namespace

void print(Reader& reader, std::ostream& out) {
  out << std::setprecision(17);
  for (bool ended = false; !ended;) {
    const Record record = reader.next();
    out << kRecordNames[record.index()];
    std::visit(Printer(out), record);
    out << '\n';
    ended = std::holds_alternative<End>(record);
  }
}

}  // namespace checker
