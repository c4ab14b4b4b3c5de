#include "neighbourhood.h"

#include <algorithm>

#include "error.h"
#include "exact_number.h"
#include "file.h"

namespace checker {
namespace {

std::vector<std::string> split(const std::string& text, char separator) {
  std::vector<std::string> parts(1);
  for (const char c : text) {
    if (c == separator) {
      parts.emplace_back();
    } else if (c != ' ' && c != '\r') {
      parts.back() += c;
    }
  }
  return parts;
}

std::optional<Image> image_of(const Shape& shape) {
  const auto first = std::find_if(shape.begin(), shape.end() - std::min<std::ptrdiff_t>(3, std::ssize(shape)),
                                  [](std::int64_t n) { return n != 1; });
  const Shape last(first, shape.end());
  if (last.size() != 2 && last.size() != 3) return std::nullopt;
  Image image{last.size() == 3 ? last[0] : 1, last[last.size() - 2], last[last.size() - 1]};
  if (last.size() == 3 && last[2] <= 4 && last[0] > 4) image = {last[2], last[0], last[1], true};
  if (image.height < 2 || image.width < 2) return std::nullopt;
  return image;
}

// "blur:3x5": a name and numbers. The + in an exponent, as in 1e+3, joins no families.
struct Family {
  std::string name;
  std::vector<mpq_class> numbers;
};

std::vector<Family> families_of(const Neighbourhood& asked) {
  std::vector<Family> families;
  if (!asked.eps.empty()) families.push_back({asked.norm, {exact_number(asked.eps)}});
  for (std::string text : asked.perturbations) {
    for (std::size_t i = 2; i < text.size(); ++i) {
      const bool in_number = std::isdigit(static_cast<unsigned char>(text[i - 2])) != 0;
      if (text[i] == '+' && in_number && (text[i - 1] == 'e' || text[i - 1] == 'E')) text.erase(i, 1);
    }
    for (const std::string& part : split(text, '+')) {
      if (part.ends_with(".json")) throw BadFile("'" + part + "': directions from a file are not supported here");
      Family family{part.substr(0, part.find(':')), {}};
      const char separator = family.name == "blur" ? 'x' : ',';
      for (const std::string& number : split(part.substr(std::min(family.name.size() + 1, part.size())), separator)) {
        family.numbers.push_back(exact_number(number));
      }
      families.push_back(std::move(family));
    }
  }
  if (families.empty()) throw BadFile("neither --eps nor --perturbation is given");
  return families;
}

// Makes the regions around one sample.
struct Around {
  const std::vector<double>& sample;
  const std::optional<Image>& image;
  const std::optional<Box>& domain;
  const std::vector<mpq_class>& scales;  // of the radii of inputs; empty: all are one

  Region region(const Family& family) const {
    const std::vector<mpq_class>& numbers = family.numbers;
    const bool is_ball = numbers.size() == 1 && numbers[0] >= 0;
    if (is_ball && family.name == "linf") return ball(Norm::kLinf, numbers[0]);
    if (is_ball && family.name == "l1" && scales.empty()) return ball(Norm::kL1, numbers[0]);
    if (is_ball && family.name == "l2" && scales.empty()) return ball(Norm::kL2, numbers[0]);
    if (family.name == "blur" && numbers.size() == 2) return blur(natural(numbers[0]), natural(numbers[1]));
    if (family.name == "patch" && numbers.size() == 4) {
      return patch(natural(numbers[0]), natural(numbers[1]), natural(numbers[2]), natural(numbers[3]));
    }
    const bool is_range = numbers.size() >= 2 && numbers[0] <= numbers[1];
    if (is_range && family.name == "brightness" && numbers.size() == 2) {
      return along(std::vector<double>(sample.size(), 1), numbers[0], numbers[1]);
    }
    if (is_range && family.name == "contrast" && numbers.size() <= 3) return contrast(numbers);
    throw BadFile("the perturbation '" + family.name + "' with these numbers is not understood");
  }

  static std::int64_t natural(const mpq_class& number) {
    if (number.get_den() != 1 || number < 0 || number > 100'000) throw BadFile("expected a natural number");
    return number.get_num().get_si();
  }
  const Image& as_image() const {
    const bool fits = image && image->channels * image->height * image->width == std::ssize(sample);
    if (!fits) throw BadFile("this perturbation needs an image, with rows and columns");
    return *image;
  }
  static double exact_difference(double a, double b) {
    const mpq_class difference = mpq_class(a) - mpq_class(b);
    if (!is_double(difference)) throw BadFile("a difference of two values of the sample is no double");
    return difference.get_d();
  }

  // Without a domain, the ball's own box takes its place.
  Region ball(Norm norm, const mpq_class& radius) const {
    Ball result{norm, sample, scales.empty() ? radius : mpq_class(0), domain.value_or(Box{}), {}};
    for (const mpq_class& scale : scales) {
      result.radii.push_back(radius * scale);
      result.radius = std::max(result.radius, result.radii.back());
    }
    if (domain) {
      for (std::size_t i = 0; i < sample.size(); ++i) {
        const bool inside = domain->low[i] <= sample[i] && sample[i] <= domain->high[i];
        if (!inside) throw BadFile("the sample lies outside of the domain");
      }
      return result;
    }
    const Interval reach = Interval::between(-round_up(result.radius), round_up(result.radius));
    for (const double x : sample) {
      result.domain.low.push_back((x + reach).low());
      result.domain.high.push_back((x + reach).high);
    }
    return result;
  }

  // x + z gain, for z from low to high.
  Region along(std::vector<double> gain, const mpq_class& low, const mpq_class& high) const {
    return AffineImage{sample, std::move(gain), {{round_down(low)}, {round_up(high)}}, {}};
  }

  // p + c (x - p) = x + (c - 1) (x - p), where p is given or the mean.
  Region contrast(const std::vector<mpq_class>& numbers) const {
    mpq_class sum;
    for (const double x : sample) sum += mpq_class(x);
    const double pivot = numbers.size() == 3 ? nearest_double(numbers[2])
                                             : static_cast<double>(nearest_float(sum / mpq_class(sample.size())));
    std::vector<double> gain;
    for (const double x : sample) gain.push_back(exact_difference(x, pivot));
    const mpq_class low(round_down(numbers[0])), high(round_up(numbers[1]));
    return along(std::move(gain), low - 1, high - 1);
  }

  // With weights z_k at the places k of the kernel beside its centre: x + sum_k z_k ((x moved by k) - x), where z >= 0
  // and sum z <= 1.
  Region blur(std::int64_t height, std::int64_t width) const {
    const Image& size = as_image();
    const bool fits = height % 2 == 1 && width % 2 == 1 && height * width > 1;
    if (!fits || height > 2 * size.height || width > 2 * size.width) throw BadFile("a blur needs two odd numbers");
    const auto weights = static_cast<std::size_t>(height * width - 1);
    const std::vector<double> ones(weights, 1);
    AffineImage result{sample, std::vector<double>(sample.size() * weights), {std::vector<double>(weights), ones}, {}};
    if (weights > 1) result.inequalities.push_back({ones, 1});
    for (std::int64_t place = 0; place < height * width; ++place) {
      const std::int64_t k = place < height * width / 2 ? place : place - 1;  // the centre is left out
      if (place == height * width / 2) continue;
      const std::int64_t down = place / width - height / 2, right = place % width - width / 2;
      for (std::int64_t c = 0; c < size.channels; ++c) {
        for (std::int64_t y = 0; y < size.height; ++y) {
          for (std::int64_t x = 0; x < size.width; ++x) {
            const std::int64_t from_y = y + down, from_x = x + right;
            const bool inside = from_y >= 0 && from_y < size.height && from_x >= 0 && from_x < size.width;
            const std::size_t at = size.element(c, y, x);
            result.generator[at * weights + static_cast<std::size_t>(k)] =
                exact_difference(inside ? sample[size.element(c, from_y, from_x)] : 0, sample[at]);
          }
        }
      }
    }
    return result;
  }

  Region patch(std::int64_t row, std::int64_t column, std::int64_t height, std::int64_t width) const {
    const Image& size = as_image();
    if (!domain) throw BadFile("a patch needs a domain");
    if (row + height > size.height || column + width > size.width) throw BadFile("the patch leaves the image");
    Box box{sample, sample};
    for (std::int64_t c = 0; c < size.channels; ++c) {
      for (std::int64_t y = row; y < row + height; ++y) {
        for (std::int64_t x = column; x < column + width; ++x) {
          const std::size_t at = size.element(c, y, x);
          box.low[at] = domain->low[at];
          box.high[at] = domain->high[at];
        }
      }
    }
    return box;
  }
};

// y_loser - y_winner <= 0.
Inequality not_below(std::int64_t winner, std::int64_t loser) {
  Inequality result;
  result.outputs = {{loser, 1}, {winner, -1}};
  std::ranges::sort(result.outputs);
  return result;
}

// For each target (each label but the sample's own, if there are none): it is not below any label that is no target.
std::vector<Conjunction> unsafe_set(std::int64_t label, const std::vector<std::int64_t>& targets,
                                    std::int64_t outputs) {
  std::vector<bool> wanted(static_cast<std::size_t>(outputs), false);
  for (const std::int64_t target : targets) {
    if (target < 0 || target >= outputs || target == label) throw BadFile("a target is no label, or the sample's own");
    wanted[static_cast<std::size_t>(target)] = true;
  }
  std::vector<Conjunction> unsafe;
  for (std::int64_t winner = 0; winner < outputs; ++winner) {
    if (targets.empty() ? winner == label : !wanted[static_cast<std::size_t>(winner)]) continue;
    Conjunction& wins = unsafe.emplace_back();
    for (std::int64_t other = 0; other < outputs; ++other) {
      const bool counts = targets.empty() ? other == label : !wanted[static_cast<std::size_t>(other)];
      if (counts) wins.push_back(not_below(winner, other));
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
  std::vector<std::string> entries;
  if (text.find_first_of("+-.0123456789") == 0) {
    entries = split(text, separator);
  } else {
    for (const std::string& line : split(read_file(text), '\n')) {
      const std::string entry = line.substr(0, line.find('#'));
      if (!entry.empty()) entries.push_back(entry);
    }
  }
  const auto given = std::ssize(entries);
  const bool per_channel = image && given == image->channels && inputs == given * image->height * image->width;
  if (given != 1 && given != inputs && !per_channel) throw BadFile("'" + text + "' does not fit the network's inputs");
  std::vector<std::string> result;
  const std::int64_t channels_inside = image && image->channels_last ? image->channels : 1;
  for (std::int64_t i = 0; i < inputs; ++i) {
    std::int64_t at = given == 1 ? 0 : i;
    if (per_channel && given != inputs) at = image->channels_last ? i % channels_inside : i / (inputs / given);
    result.push_back(entries[static_cast<std::size_t>(at)]);
  }
  return result;
}

std::vector<Query> queries_around(const Neighbourhood& asked, const DataSet& data, std::int64_t sample,
                                  const Network& network) {
  const std::int64_t inputs = network.input_size, label = data.label(sample);
  const std::vector<double> x =
      data.sample(sample, network.inputs.size() == 1 ? network.inputs[0].shape : Shape{inputs});
  if (label >= network.output_size) throw BadFile("the network has no label " + std::to_string(label));
  const std::optional<Image> image = image_of(network, &data);
  std::optional<Box> domain;
  if (asked.domain != "none") {
    domain.emplace();
    for (const std::string& range : for_each_input(asked.domain, ';', inputs, image)) {
      const std::vector<std::string> ends = split(range, ',');
      if (ends.size() != 2) throw BadFile("--domain " + range + ": expected LO,HI");
      domain->low.push_back(round_down(exact_number(ends[0])));
      domain->high.push_back(round_up(exact_number(ends[1])));
    }
  }
  std::vector<mpq_class> scales;
  if (!asked.eps_scale.empty()) {
    for (const std::string& scale : for_each_input(asked.eps_scale, ',', inputs, image)) {
      scales.push_back(exact_number(scale));
      if (scales.back() < 0) throw BadFile("--eps-scale: a scale is negative");
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
