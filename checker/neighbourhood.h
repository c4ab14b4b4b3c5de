// neighbourhood.h: the question about a sample: can a perturbation change its label? docs/commands.md and
// docs/perturbations.md define the options and the families.
//
// The regions contain every input that is asked about: ends of ranges that are no doubles are rounded outward.
// Everything else is exact, but that the pivot of a contrast is the double (the mean of an image: the float) nearest to
// it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data_set.h"
#include "network.h"
#include "question.h"

namespace checker {

// What stands behind the options of these names; empty where an option is not given.
struct Neighbourhood {
  std::string eps, norm = "linf", eps_scale, domain = "0,1";
  std::vector<std::string> perturbations;
  std::vector<std::int64_t> targets;
};

// A query for each family of the union. Throws BadFile for what is not understood, not supported, or does not fit.
std::vector<Query> queries_around(const Neighbourhood& asked, const DataSet& data, std::int64_t sample,
                                  const Network& network);

// How the elements of an input form an image.
struct Image {
  std::int64_t channels = 1, height = 0, width = 0;
  bool channels_last = false;

  std::int64_t size() const { return channels * height * width; }
  std::size_t element(std::int64_t channel, std::int64_t row, std::int64_t column) const {
    return static_cast<std::size_t>(channels_last ? (row * width + column) * channels + channel
                                                  : (channel * height + row) * width + column);
  }
};
// Of the network's input, or else of the samples if they are given.
std::optional<Image> image_of(const Network& network, const DataSet* data);

// The entries of a list, or of a file with one per line, for each input: there is one for all inputs, one per channel,
// or one per input.
std::vector<std::string> for_each_input(const std::string& text, char separator, std::int64_t inputs,
                                        const std::optional<Image>& image);

}  // namespace checker
