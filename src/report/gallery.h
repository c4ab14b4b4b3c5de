// gallery.h: adversarial examples as people look at them.
//
// In:  results with witnesses; the original samples and the network, if available. Out: pictures and numbers.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "property/perturbation.h"
#include "report/picture.h"
#include "report/sources.h"
#include "store/store.h"

namespace plumb::report {

struct Score {
  std::int64_t label = 0;
  std::optional<double> original;  // the network's output on the sample
  double perturbed = 0;
};

struct Change {
  std::int64_t element = 0;
  std::optional<double> original;
  double perturbed = 0;
};

struct Example {
  std::int64_t sample = 0, label = 0, predicted = 0;
  double distance = 0;
  std::optional<bool> pgd;
  std::string reason;
  // PNG files in base 64; empty if there is none. The difference is magnified.
  std::string original, perturbed, difference;
  double magnification = 1;
  std::vector<Change> changes;  // if inputs are not pictures: the elements that changed most
  std::vector<Score> scores;    // of the labels that matter most, best at the witness first
  double lead = 0;              // by how much the predicted label's score exceeds the true one's at the witness

  std::size_t size() const { return original.size() + perturbed.size() + difference.size(); }
};

// Makes examples of the results of one store.
class ExampleMaker {
 public:
  // `sources` must outlive this object.
  ExampleMaker(const Sources& sources, const std::vector<store::Setting>& settings,
               std::optional<property::ImageShape> noted_image);

  // The result must have a witness.
  Example example_of(const store::StoredResult& result) const;
  // Returns the unchanged sample as a PNG file in base 64; empty if it is not a picture, or not available.
  std::string thumbnail(std::int64_t sample) const;

 private:
  std::optional<std::vector<double>> original(std::int64_t sample) const;
  std::vector<double> outputs_at(std::vector<double> input) const;
  void add_pictures(Example& example, const std::vector<double>& witness,
                    const std::optional<std::vector<double>>& sample) const;

  const Sources& sources_;
  std::optional<property::ImageShape> image_;
  std::optional<ValueRange> domain_;
};

}  // namespace plumb::report
