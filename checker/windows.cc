#include "windows.h"

#include <map>

namespace checker {
namespace {

std::vector<Affine::Run> runs_of(const Taps& taps, std::int64_t channels, std::int64_t plane, std::int64_t step) {
  std::vector<Affine::Run> runs;
  for (std::int64_t c = 0; c < channels; ++c) {
    for (const Tap& tap : taps) {
      const Affine::Run next(0, c * plane + tap.element, c * step + tap.weight, 1);
      Affine::Run* last = runs.empty() ? nullptr : &runs.back();
      const bool goes_on =
          last != nullptr && last->source + last->count == next.source && last->weight + last->count == next.weight;
      if (goes_on)
        ++last->count;
      else
        runs.push_back(next);
    }
  }
  return runs;
}

}  // namespace

std::vector<Taps> taps_of(const Shape& in, const Shape& out, const Shape& kernel, const Along& along) {
  std::vector<Taps> result{{{}}};
  for (std::size_t d = 0; d < in.size(); ++d) {
    std::vector<Taps> longer;
    for (const Taps& before : result) {
      for (std::int64_t position = 0; position < out[d]; ++position) {
        Taps& taps = longer.emplace_back();
        for (const Tap& tap : before) {
          for (std::int64_t k = 0; k < kernel[d]; ++k) {
            const std::int64_t i = along(d, position, k);
            if (i >= 0 && i < in[d]) taps.push_back({tap.element * in[d] + i, tap.weight * kernel[d] + k});
          }
        }
      }
    }
    result = std::move(longer);
  }
  return result;
}

// Positions that read alike, as seen from the first element that they read, share a pattern.
Affine map_of(const Windows& windows, std::int64_t step,
              const std::function<std::int64_t(std::int64_t, std::int64_t)>& first_weight, Numbers weights,
              Numbers biases) {
  const std::int64_t in_group = windows.in_channels / windows.groups, out_group = windows.out_channels / windows.groups;
  windows.take(windows.samples * windows.out_channels * std::ssize(windows.taps));
  Affine op{std::move(weights), std::move(biases), {}};
  std::map<Taps, std::int64_t> known;
  std::vector<std::pair<std::int64_t, std::int64_t>> patterns;  // and the first element
  for (Taps taps : windows.taps) {
    const std::int64_t first = taps.empty() ? 0 : taps[0].element;
    for (Tap& tap : taps) tap.element -= first;
    const auto [found, is_new] = known.emplace(taps, std::ssize(op.patterns));
    if (is_new) windows.take(in_group * std::ssize(taps));
    if (is_new) op.patterns.push_back(runs_of(taps, in_group, windows.plane, step));
    patterns.emplace_back(found->second, first);
  }
  for (std::int64_t s = 0; s < windows.samples; ++s) {
    for (std::int64_t c = 0; c < windows.out_channels; ++c) {
      const std::int64_t group = (s * windows.in_channels + c / out_group * in_group) * windows.plane;
      std::int64_t p = 0;
      for (const auto& [pattern, first] : patterns)
        op.elements.emplace_back(pattern, group + first, first_weight(c, p++), op.biases.empty() ? -1 : c);
    }
  }
  return op;
}

Affine convolution(const Windows& w, Numbers weights, Numbers biases) {
  const std::int64_t of_channel = w.in_channels / w.groups * w.kernel;
  const auto first_weight = [=](std::int64_t c, std::int64_t) { return c * of_channel; };
  return map_of(w, w.kernel, first_weight, std::move(weights), std::move(biases));
}

Affine transposed_convolution(const Windows& w, Numbers weights, Numbers biases) {
  const std::int64_t in_group = w.in_channels / w.groups, out_group = w.out_channels / w.groups, kernel = w.kernel;
  const auto first_weight = [=](std::int64_t c, std::int64_t) {
    return (c / out_group * in_group * out_group + c % out_group) * kernel;
  };
  return map_of(w, out_group * kernel, first_weight, std::move(weights), std::move(biases));
}

}  // namespace checker
