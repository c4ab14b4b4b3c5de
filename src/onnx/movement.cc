// Import rules for operations that only move, repeat or drop elements. Those that keep all elements in their order are
// in reshape.cc.
#include <fmt/format.h>

#include <algorithm>
#include <numeric>

#include "base/error.h"
#include "base/numbers.h"
#include "onnx/node.h"

namespace plumb::onnx {
namespace {

std::vector<Value> import_transpose(OnnxNode& node) {
  const Value& x = node.input(0);
  std::vector<std::int64_t> reversed(x.shape.size());
  std::iota(reversed.rbegin(), reversed.rend(), 0);
  const auto permutation = node.integers("perm", reversed);
  std::vector<std::int64_t> sorted = permutation;
  std::sort(sorted.begin(), sorted.end());
  std::reverse(reversed.begin(), reversed.end());
  if (sorted != reversed) throw DataError("", fmt::format("perm does not permute {} dimensions", x.rank()));
  return {node.graph.transpose(x, permutation)};
}

std::vector<Value> import_concat(OnnxNode& node) {
  std::vector<Value> values = node.all_inputs();
  if (std::any_of(values.begin(), values.end(), [](const Value& v) { return v.is_integer(); }) &&
      !std::all_of(values.begin(), values.end(), [](const Value& v) { return v.is_integer(); })) {
    throw DataError("", "integers and reals cannot be joined");
  }
  const std::int64_t rank = values[0].rank();
  const std::size_t axis = index(node.axis(node.integer("axis", 0), rank));
  tensor::Shape shape = values[0].shape;
  shape[axis] = 0;
  std::vector<std::int64_t> start, offset;  // per value: its position along the axis, and in the concatenation of all
  std::int64_t total = 0;
  for (const Value& v : values) {
    tensor::Shape rest = v.shape;
    if (v.rank() == rank) rest[axis] = shape[axis];
    if (rest != shape) {
      throw DataError("", fmt::format("shapes {} and {} cannot be joined along axis {}",
                                      tensor::to_string(values[0].shape), tensor::to_string(v.shape), axis));
    }
    start.push_back(shape[axis]);
    offset.push_back(total);
    shape[axis] += v.shape[axis];
    total += node.graph.size_of(v.shape);
  }
  node.graph.size_of(shape);
  std::vector<std::vector<std::int64_t>> strides;
  for (const Value& v : values) strides.push_back(tensor::strides_of(v.shape));
  const auto table = node.graph.build_table(shape, [&](std::span<const std::int64_t> position) {
    const auto part = index(std::upper_bound(start.begin(), start.end(), position[axis]) - start.begin() - 1);
    std::int64_t source = offset[part] - start[part] * strides[part][axis];
    for (std::size_t d = 0; d < position.size(); ++d) source += position[d] * strides[part][d];
    return source;
  });
  return {node.graph.select(values, table, shape)};
}

// Along one axis, element i of the result is element picks[i] of the value.
Value pick(Graph& graph, const Value& x, std::size_t axis, const std::vector<std::int64_t>& picks) {
  tensor::Shape shape = x.shape;
  shape[axis] = static_cast<std::int64_t>(picks.size());
  graph.size_of(shape);
  const auto strides = tensor::strides_of(x.shape);
  const auto table = graph.build_table(shape, [&](std::span<const std::int64_t> position) {
    std::int64_t source = (picks[index(position[axis])] - position[axis]) * strides[axis];
    for (std::size_t d = 0; d < position.size(); ++d) source += position[d] * strides[d];
    return source;
  });
  return graph.select(x, table, shape);
}

std::vector<Value> import_split(OnnxNode& node) {
  const Value& x = node.input(0);
  const std::size_t axis = index(node.axis(node.integer("axis", 0), x.rank()));
  const std::int64_t parts = node.output_count(), length = x.shape[axis];
  const std::int64_t even = parts == 0 ? 0 : (length + parts - 1) / parts;
  auto sizes = node.integers_from(1, "split");
  if (sizes && static_cast<std::int64_t>(sizes->size()) != parts) {
    throw DataError("", fmt::format("{} sizes for {} results", sizes->size(), parts));
  }
  if (node.opset() >= 18 && sizes.has_value() == node.has_attribute("num_outputs")) {
    throw DataError("", "either split or num_outputs is needed");
  }
  if (node.integer("num_outputs", parts) != parts) throw DataError("", "num_outputs is not the number of results");
  if (!sizes) {
    if (node.opset() < 18 && length % parts != 0) {
      throw DataError("", fmt::format("{} elements in {} equal parts", length, parts), "give the sizes: split");
    }
    sizes.emplace();
    for (std::int64_t p = 0; p < parts; ++p) sizes->push_back(std::clamp<std::int64_t>(length - p * even, 0, even));
  }
  std::vector<Value> results;
  std::int64_t first = 0;
  for (const std::int64_t size : *sizes) {
    if (size < 0 || size > length - first)
      throw DataError("", fmt::format("a part is longer than the {} elements", length));
    std::vector<std::int64_t> picks(index(size));
    std::iota(picks.begin(), picks.end(), first);
    results.push_back(pick(node.graph, x, axis, picks));
    first += size;
  }
  if (first != length)
    throw DataError("", fmt::format("the parts have {} elements in total, but there are {}", first, length));
  return results;
}

// The positions first, first + step, ... that ONNX's Slice takes from a dimension of size `length`. Positions out of
// range are clamped as ONNX says.
std::vector<std::int64_t> slice_picks(std::int64_t first, std::int64_t last, std::int64_t step, std::int64_t length) {
  if (step == 0) throw DataError("", "a slice with step 0");
  if (first < 0) first = std::max(first, -length - 1) + length;
  if (last < 0) last = std::max(last, -length - 1) + length;
  first = std::clamp<std::int64_t>(first, 0, step > 0 ? length : length - 1);
  last = std::clamp<std::int64_t>(last, step > 0 ? 0 : -1, length);
  std::vector<std::int64_t> picks;
  if (step > 0) {
    for (std::int64_t i = first; i < last; i += std::min(step, length)) picks.push_back(i);
  } else {
    for (std::int64_t i = first; i > last; i += std::max(step, -length)) picks.push_back(i);
  }
  return picks;
}

std::vector<Value> import_slice(OnnxNode& node) {
  Value x = node.input(0);
  const auto starts = node.integers_from(1, "starts");
  const auto ends = node.integers_from(2, "ends");
  if (!starts || !ends || starts->size() != ends->size())
    throw DataError("", "starts and ends must have the same length");
  std::vector<std::int64_t> axes(starts->size());
  std::iota(axes.begin(), axes.end(), 0);
  if (const auto given = node.integers_from(3, "axes")) axes = *given;
  std::vector<std::int64_t> steps(starts->size(), 1);
  if (const auto given = node.integers_from(4, "steps")) steps = *given;
  if (axes.size() != starts->size() || steps.size() != starts->size()) {
    throw DataError("", "axes and steps must be as long as starts");
  }
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t axis = index(node.axis(axes[i], x.rank()));
    x = pick(node.graph, x, axis, slice_picks((*starts)[i], (*ends)[i], steps[i], x.shape[axis]));
  }
  return {x};
}

std::vector<Value> import_gather(OnnxNode& node) {
  const Value& x = node.input(0);
  const std::size_t axis = index(node.axis(node.integer("axis", 0), x.rank()));
  std::vector<std::int64_t> picks = node.integer_input(1, "the index");
  for (std::int64_t& p : picks) {
    if (p < -x.shape[axis] || p >= x.shape[axis]) {
      throw DataError("", fmt::format("index {} is out of range for a dimension of size {}", p, x.shape[axis]));
    }
    if (p < 0) p += x.shape[axis];
  }
  Value result = pick(node.graph, x, axis, picks);
  tensor::Shape shape(x.shape.begin(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis));
  shape.insert(shape.end(), node.input(1).shape.begin(), node.input(1).shape.end());
  shape.insert(shape.end(), x.shape.begin() + static_cast<std::ptrdiff_t>(axis) + 1, x.shape.end());
  result.shape = std::move(shape);
  return {result};
}

// The source of position `i` in a dimension of size `length`; -1 means the padding constant. check_pads() makes sure
// that one reflection or repetition is enough.
std::int64_t padded_source(const std::string& mode, std::int64_t i, std::int64_t length) {
  if (i >= 0 && i < length) return i;
  if (mode == "constant") return -1;
  if (mode == "edge") return std::clamp<std::int64_t>(i, 0, length - 1);
  if (mode == "wrap") return i < 0 ? i + length : i - length;
  return i < 0 ? -i : 2 * (length - 1) - i;
}

// Accepts the pads on which runtimes agree. Negative pads, which cut elements off, are allowed in mode "constant" only,
// and must not cut off all elements. A dimension may be reflected or repeated at most once on each side.
void check_pads(const std::string& mode, std::int64_t length, std::int64_t before, std::int64_t after) {
  const std::int64_t least = std::min(before, after), most = std::max(before, after);
  if (mode == "constant") {
    const std::int64_t cut = std::max<std::int64_t>(0, -before) + std::max<std::int64_t>(0, -after);
    if (cut == 0 || cut < length) return;
    throw DataError("", fmt::format("pads of {} and {} cut off all {} elements of a dimension", before, after, length));
  }
  if (length == 0) throw DataError("", "there is no element to pad with");
  if (least < 0) {
    throw DataError("", fmt::format("mode {} with a negative pad, {}", mode, least),
                    "cut elements off with a separate Slice node");
  }
  const std::int64_t limit = mode == "reflect" ? length - 1 : mode == "wrap" ? length : tensor::kMaxElements;
  if (most > limit) {
    throw DataError("", fmt::format("mode {} with a pad of {} for {} elements", mode, most, length),
                    fmt::format("at most {} can be added at once: use several Pad nodes", limit));
  }
}

std::vector<Value> import_pad(OnnxNode& node) {
  const Value& x = node.input(0);
  const std::string mode = node.text("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") {
    throw DataError("", fmt::format("mode '{}'", mode));
  }
  const auto pads = node.integers_from(1, "pads");
  std::vector<std::int64_t> axes(x.shape.size());
  std::iota(axes.begin(), axes.end(), 0);
  if (node.has_input(3)) axes = node.integer_input(3, "axes");
  if (!pads || pads->size() != 2 * axes.size()) throw DataError("", "pads do not fit the dimensions");
  std::vector<std::int64_t> begin(x.shape.size(), 0);
  tensor::Shape shape = x.shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t d = index(node.axis(axes[i], x.rank()));
    const std::int64_t before = (*pads)[i], after = (*pads)[i + axes.size()];
    if (std::abs(before) > tensor::kMaxElements || std::abs(after) > tensor::kMaxElements)
      throw DataError("", "the pads are too large");
    begin[d] = before;
    shape[d] += before + after;
    check_pads(mode, x.shape[d], before, after);
  }
  double fill = node.real("value", 0.0);
  if (node.has_input(2)) {
    const Value& value = node.input(2);
    if (value.is_node()) throw Unsupported{"the padding depends on the input"};
    if (node.graph.size_of(value.shape) != 1) throw DataError("", "the padding is not a single number");
    fill = value.is_real() ? value.reals()[0] : static_cast<double>(value.integers()[0]);
  }
  node.graph.size_of(shape);
  const auto strides = tensor::strides_of(x.shape);
  const std::int64_t outside = fill == 0 ? -1 : node.graph.size_of(x.shape);
  const auto table = node.graph.build_table(shape, [&](std::span<const std::int64_t> position) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < position.size(); ++d) {
      const std::int64_t i = padded_source(mode, position[d] - begin[d], x.shape[d]);
      if (i < 0) return outside;
      source += i * strides[d];
    }
    return source;
  });
  if (fill == 0) return {node.graph.select(x, table, shape)};
  const Value filler = x.is_integer() ? integer_value({1}, {static_cast<std::int64_t>(fill)}) : real_value({1}, {fill});
  return {node.graph.select(std::vector<Value>{x, filler}, table, shape)};
}

std::vector<Value> import_expand(OnnxNode& node) {
  const tensor::Shape wanted = node.integer_input(1, "the shape");
  node.graph.size_of(wanted);
  return {node.graph.broadcast(node.input(0), broadcast_shape(node.input(0).shape, wanted))};
}

std::vector<Value> import_tile(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto& repeats = node.integer_input(1, "the number of repetitions");
  if (repeats.size() != x.shape.size()) throw DataError("", "one number per dimension is needed");
  tensor::Shape shape = x.shape;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (repeats[d] < 0 || (repeats[d] > 0 && shape[d] > tensor::kMaxElements / repeats[d])) {
      throw DataError("", fmt::format("{} repetitions of a dimension of size {}", repeats[d], shape[d]));
    }
    shape[d] *= repeats[d];
  }
  node.graph.size_of(shape);
  const auto strides = tensor::strides_of(x.shape);
  const auto table = node.graph.build_table(shape, [&](std::span<const std::int64_t> position) {
    std::int64_t source = 0;
    for (std::size_t d = 0; d < position.size(); ++d) source += position[d] % x.shape[d] * strides[d];
    return source;
  });
  return {node.graph.select(x, table, shape)};
}

// DepthToSpace moves blocks of channels into space; SpaceToDepth does the reverse.
std::vector<Value> import_depth_space(OnnxNode& node) {
  const Value& x = node.input(0);
  const std::int64_t b = node.integer("blocksize", 0);
  if (x.rank() != 4 || b < 1 || b > tensor::kMaxElements)
    throw DataError("", "a 4-dimensional input and a blocksize are needed");
  const std::int64_t n = x.shape[0], c = x.shape[1], h = x.shape[2], w = x.shape[3];
  const auto divides = [b](std::int64_t size) { return size % b == 0; };
  if (node.op() == "SpaceToDepth") {
    if (!divides(h) || !divides(w)) throw DataError("", fmt::format("blocks of {} do not divide {}x{}", b, h, w));
    const Value blocks = reshaped(x, {n, c, h / b, b, w / b, b});
    return {reshaped(node.graph.transpose(blocks, {0, 3, 5, 1, 2, 4}), {n, c * b * b, h / b, w / b})};
  }
  if (!divides(c) || !divides(c / b)) throw DataError("", fmt::format("{} channels for blocks of {}", c, b));
  const std::int64_t depth = c / (b * b);
  const bool columns_first = node.text("mode", "DCR") == "CRD";
  const Value blocks =
      reshaped(x, columns_first ? tensor::Shape{n, depth, b, b, h, w} : tensor::Shape{n, b, b, depth, h, w});
  const std::vector<std::int64_t> order =
      columns_first ? std::vector<std::int64_t>{0, 1, 4, 2, 5, 3} : std::vector<std::int64_t>{0, 3, 4, 1, 5, 2};
  return {reshaped(node.graph.transpose(blocks, order), {n, depth, h * b, w * b})};
}

}  // namespace

const RuleTable& movement_rules() {
  static const RuleTable rules{
      {"Transpose", import_transpose, {{1, "T -> T", "perm:ints"}}},
      {"Concat", import_concat, {{4, "T* -> T", "axis:int!"}}},
      {"Split",
       import_split,
       {{2, "T -> T*", "axis:int split:ints"},
        {13, "T int64? -> T*", "axis:int"},
        {18, "T int64? -> T*", "axis:int num_outputs:int"}}},
      {"Slice",
       import_slice,
       {{1, "T -> T", "axes:ints ends:ints! starts:ints!"}, {10, "T Tind Tind Tind? Tind? -> T", ""}}},
      {"Gather", import_gather, {{1, "T Tind -> T", "axis:int"}}},
      {"Pad",
       import_pad,
       {{2, "T -> T", "mode:string pads:ints! value:float"},
        {11, "T int64 T? -> T", "mode:string"},
        {18, "T int64 T? Tind? -> T", "mode:string"}}},
      {"Expand", import_expand, {{8, "T int64 -> T", ""}}},
      {"Tile", import_tile, {{6, "T int64 -> T", ""}}},
      {"DepthToSpace",
       import_depth_space,
       {{1, "T -> T", "blocksize:int!"}, {11, "T -> T", "blocksize:int! mode:string"}}},
      {"SpaceToDepth", import_depth_space, {{1, "T -> T", "blocksize:int!"}}}};
  return rules;
}

}  // namespace plumb::onnx
