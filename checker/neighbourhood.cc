#include "neighbourhood.h"

#include <algorithm>

#include "error.h"
#include "exact_number.h"
#include "file.h"

namespace checker {
namespace {

constexpr std::int64_t kMostNumbers = std::int64_t{1} << 28;  // in a region

std::optional<Image> image_of(const Shape& shape) {
  std::size_t first = 0;
  while (shape.size() > first + 3 && shape[first] == 1) ++first;
  const Shape last(shape.begin() + static_cast<std::ptrdiff_t>(first), shape.end());
  if (last.size() != 2 && last.size() != 3) return std::nullopt;
  Image image{last.size() == 3 ? last[0] : 1, last[last.size() - 2], last.back()};
  if (last.size() == 3 && last[2] <= 4 && last[0] > 4) image = {last[2], last[0], last[1], true};
  return image.height < 2 || image.width < 2 ? std::nullopt : std::optional(image);
}

// "blur:3x5": a name and numbers.
struct Family {
  std::string name;
  std::vector<mpq_class> numbers;
};

// The + in an exponent, as in 1e+3, joins no families.
std::vector<Family> families_of(const Neighbourhood& asked) {
  std::vector<Family> families;
  if (!asked.eps.empty()) families.push_back({asked.norm, {exact_number(asked.eps)}});
  for (std::string text : asked.perturbations) {
    for (std::size_t i = 2; i < text.size(); ++i) {
      const bool in_number = (text[i - 1] == 'e' || text[i - 1] == 'E') && text[i - 2] >= '0' && text[i - 2] <= '9';
      if (text[i] == '+' && in_number) text.erase(i, 1);
    }
    for (const std::string_view part : split(text, '+')) {
      const std::size_t colon = std::min(part.find(':'), part.size());
      if (colon == part.size()) throw BadFile("the perturbation '" + std::string(part) + "' is not supported here");
      Family& family = families.emplace_back(std::string(part.substr(0, colon)));
      for (const std::string_view number : split(part.substr(colon + 1), family.name == "blur" ? 'x' : ',')) {
        family.numbers.push_back(exact_number(number));
      }
    }
  }
  return families;
}

// A number of rows or columns.
std::int64_t count_of(const mpq_class& number) {
  if (number.get_den() != 1 || number < 0 || number > 100'000) throw BadFile("expected a natural number");
  return number.get_num().get_si();
}

double exact_difference(double a, double b) {
  const mpq_class difference = mpq_class(a) - mpq_class(b);
  if (!is_double(difference)) throw BadFile("the difference of two values of the sample is no double");
  return difference.get_d();
}

// Makes the regions around one sample.
struct Around {
  const std::vector<double>& sample;
  const std::optional<Image>& image;
  const std::optional<Box>& domain;
  const std::vector<mpq_class>& scales;  // of the radii of inputs; empty if all are one

  Region region(const Family& family) const {
    const std::string& name = family.name;
    const std::vector<mpq_class>& numbers = family.numbers;
    const std::size_t count = numbers.size();
    if (count == 1 && numbers[0] >= 0) {
      if (name == "linf") return ball(Norm::kLinf, numbers[0]);
      if (name == "l1" && scales.empty()) return ball(Norm::kL1, numbers[0]);
      if (name == "l2" && scales.empty()) return ball(Norm::kL2, numbers[0]);
    }
    if (name == "blur" && count == 2) return blur(count_of(numbers[0]), count_of(numbers[1]));
    if (name == "patch" && count == 4) return patch(numbers);
    if (count >= 2 && numbers[0] <= numbers[1]) {
      if (name == "brightness" && count == 2)
        return along(std::vector<double>(sample.size(), 1), numbers[0], numbers[1]);
      if (name == "contrast" && count <= 3) return contrast(numbers);
    }
    throw BadFile("the perturbation '" + name + "' with these numbers is not understood");
  }

  const Image& as_image() const {
    if (!image || image->size() != std::ssize(sample)) throw BadFile("the perturbation needs an image");
    return *image;
  }

  void expect_inside_domain() const {
    for (std::size_t i = 0; i < sample.size(); ++i) {
      const bool is_inside = domain->low[i] <= sample[i] && sample[i] <= domain->high[i];
      if (!is_inside) throw BadFile("the sample lies outside of the domain");
    }
  }

  // Without a domain, the box around the ball takes its place.
  Region ball(Norm norm, const mpq_class& radius) const {
    Ball result{norm, sample, scales.empty() ? radius : mpq_class(0), {}, {}};
    for (const mpq_class& scale : scales) result.radii.push_back(radius * scale);
    for (const mpq_class& one : result.radii) result.radius = std::max(result.radius, one);
    const double reach = round_up(result.radius);
    for (const double x : sample) {
      const Interval around = x + Interval::between(-reach, reach);
      result.domain.low.push_back(around.low());
      result.domain.high.push_back(around.high);
    }
    if (!domain) return result;
    expect_inside_domain();
    result.domain = *domain;
    return result;
  }

  // x + z gain, for z from low to high.
  Region along(std::vector<double> gain, const mpq_class& low, const mpq_class& high) const {
    return AffineImage{sample, std::move(gain), {{round_down(low)}, {round_up(high)}}, {}};
  }

  // p + c (x - p) = x + (c - 1) (x - p), where p is given or the mean. The ends of c are rounded, then those of c - 1.
  Region contrast(const std::vector<mpq_class>& numbers) const {
    mpq_class sum;
    for (const double x : sample) sum += x;
    const double pivot = numbers.size() == 3 ? nearest_double(numbers[2])
                                             : static_cast<double>(nearest_float(sum / mpq_class(sample.size())));
    std::vector<double> gain;
    for (const double x : sample) gain.push_back(exact_difference(x, pivot));
    return along(std::move(gain), mpq_class(round_down(numbers[0])) - 1, mpq_class(round_up(numbers[1])) - 1);
  }

  // With weights z_k at the places k of the kernel beside its centre: x + sum_k z_k ((x moved by k) - x), where z >= 0
  // and sum z <= 1.
  Region blur(std::int64_t height, std::int64_t width) const {
    const Image& size = as_image();
    const bool fits = height % 2 == 1 && width % 2 == 1 && height * width > 1;
    if (!fits || height > 2 * size.height || width > 2 * size.width) throw BadFile("a blur needs two odd numbers");
    if (height * width > kMostNumbers / size.size()) throw BadFile("the kernel of the blur is too large");
    const std::int64_t weights = height * width - 1;
    const std::vector<double> zeros(at(weights)), ones(zeros.size(), 1);
    AffineImage result{sample, std::vector<double>(sample.size() * zeros.size()), {zeros, ones}, {}};
    if (weights > 1) result.inequalities.push_back({ones, 1});
    for (std::int64_t k = 0; k < weights; ++k) {
      const std::int64_t place = k < weights / 2 ? k : k + 1;  // the centre is left out
      const std::int64_t down = place / width - height / 2, right = place % width - width / 2;
      for (std::int64_t i = 0; i < size.size(); ++i) {
        const std::int64_t c = i / size.width / size.height, y = i / size.width % size.height, x = i % size.width;
        const bool is_inside = y + down >= 0 && y + down < size.height && x + right >= 0 && x + right < size.width;
        const double from = is_inside ? sample[size.element(c, y + down, x + right)] : 0;
        const std::size_t at = size.element(c, y, x);
        result.generator[at * zeros.size() + static_cast<std::size_t>(k)] = exact_difference(from, sample[at]);
      }
    }
    return result;
  }

  // Row, column, height and width of a rectangle whose pixels may have any value of the domain.
  Region patch(const std::vector<mpq_class>& numbers) const {
    const Image& size = as_image();
    const std::int64_t row = count_of(numbers[0]), column = count_of(numbers[1]);
    const std::int64_t last_row = row + count_of(numbers[2]), last_column = column + count_of(numbers[3]);
    const bool fits = row < last_row && last_row <= size.height && column < last_column && last_column <= size.width;
    if (!domain || !fits) throw BadFile("a patch needs a domain and must lie within the image");
    expect_inside_domain();
    Box box{sample, sample};
    for (std::int64_t i = 0; i < size.size(); ++i) {
      const std::int64_t c = i / size.width / size.height, y = i / size.width % size.height, x = i % size.width;
      if (y < row || y >= last_row || x < column || x >= last_column) continue;
      const std::size_t at = size.element(c, y, x);
      box.low[at] = domain->low[at];
      box.high[at] = domain->high[at];
    }
    return box;
  }
};

// For each target: it is not below any label that is no target. Without targets, every label but the sample's own may
// win against it alone.
std::vector<Conjunction> unsafe_set(std::int64_t label, const std::vector<std::int64_t>& targets,
                                    std::int64_t outputs) {
  const auto is_target = [&](std::int64_t other) { return std::ranges::find(targets, other) != targets.end(); };
  for (const std::int64_t target : targets) {
    if (target >= outputs || target == label) throw BadFile("a target is no label, or the sample's own");
  }
  std::vector<Conjunction> unsafe;
  for (std::int64_t winner = 0; winner < outputs; ++winner) {
    if (targets.empty() ? winner == label : !is_target(winner)) continue;
    Conjunction& wins = unsafe.emplace_back();
    for (std::int64_t loser = 0; loser < outputs; ++loser) {
      if (targets.empty() ? loser != label : is_target(loser)) continue;
      Inequality& inequality = wins.emplace_back();  // y_loser - y_winner <= 0
      inequality.outputs = {{loser, 1}, {winner, -1}};
      std::ranges::sort(inequality.outputs);
    }
  }
  return unsafe;
}

}  // namespace

std::optional<Image> image_of(const Network& network, const DataSet* data) {
  std::optional<Image> image;
  if (network.inputs.size() == 1) image = image_of(network.inputs[0].shape);
  if (image || data == nullptr) return image;
  image = image_of(data->shape);
  if (image) image->channels_last = false;
  return image;
}

std::vector<std::string> for_each_input(const std::string& text, char separator, std::int64_t inputs,
                                        const std::optional<Image>& image) {
  const bool is_file = text.find_first_of("+-.0123456789") != 0;
  const std::string content = is_file ? read_file(text) : text;
  std::vector<std::string> entries;
  for (std::string_view entry : split(content, is_file ? '\n' : separator)) {
    if (is_file) entry = split(entry, '#')[0];
    if (!entry.empty()) entries.emplace_back(entry);
  }
  const std::int64_t given = std::ssize(entries);
  const bool per_channel = given != inputs && image && given == image->channels && image->size() == inputs;
  if (given != 1 && given != inputs && !per_channel) throw BadFile("'" + text + "' does not fit the network's inputs");
  std::vector<std::string> result;
  for (std::int64_t i = 0; i < inputs; ++i) {
    const std::int64_t channel = !per_channel ? i : image->channels_last ? i % given : i / (inputs / given);
    result.push_back(entries[static_cast<std::size_t>(given == 1 ? 0 : channel)]);
  }
  return result;
}

std::vector<Query> queries_around(const Neighbourhood& asked, const DataSet& data, std::int64_t sample,
                                  const Network& network) {
  const std::int64_t inputs = network.input_size, label = data.label(sample);
  const Shape shape = network.inputs.size() == 1 ? network.inputs[0].shape : Shape{inputs};
  const std::vector<double> x = data.sample(sample, shape);
  if (label < 0 || label >= network.output_size) throw BadFile("the network has no label " + std::to_string(label));
  const std::optional<Image> image = image_of(network, &data);
  std::optional<Box> domain;
  if (asked.domain != "none") {
    domain.emplace();
    for (const std::string& range : for_each_input(asked.domain, ';', inputs, image)) {
      const std::vector<std::string_view> ends = split(range, ',');
      if (ends.size() != 2) throw BadFile("the domain '" + range + "' is not of the form LO,HI");
      domain->low.push_back(round_down(exact_number(ends[0])));
      domain->high.push_back(round_up(exact_number(ends[1])));
    }
  }
  std::vector<mpq_class> scales;
  if (!asked.eps_scale.empty()) {
    for (const std::string& one : for_each_input(asked.eps_scale, ',', inputs, image)) {
      scales.push_back(exact_number(one));
      if (scales.back() < 0) throw BadFile("the scale " + one + " of a radius is negative");
    }
  }
  std::vector<Query> queries;
  for (const Family& family : families_of(asked)) {
    queries.push_back(
        {Around{x, image, domain, scales}.region(family), unsafe_set(label, asked.targets, network.output_size)});
  }
  return queries;
}

}  // namespace checker
