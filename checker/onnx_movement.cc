// Operations that move, repeat or drop elements, or give them another shape.
#include <algorithm>
#include <numeric>

#include "onnx_node.h"

namespace checker {
namespace {

constexpr std::int64_t kLong = std::int64_t{1} << 28;

Integers up_to(std::int64_t count, std::int64_t first = 0) {
  Integers result(at(count));
  std::iota(result.begin(), result.end(), first);
  return result;
}

Values transpose(const OnnxNode& node) {
  const Integers in_order = up_to(node.input(0).rank());
  const Integers permutation = node.integers("perm", {in_order.rbegin(), in_order.rend()});
  require(std::ranges::is_permutation(permutation, in_order), "perm does not permute the dimensions");
  return {node.graph.transpose(node.input(0), permutation)};
}

Values concat(const OnnxNode& node) {
  require(node.find("axis", Attribute::INT) != nullptr, "attribute 'axis' is missing");
  return {node.graph.concatenate(node.all(), node.axis(0))};
}

Values split(const OnnxNode& node) {
  const Value& x = node.input(0);
  const std::int64_t axis = node.axis(0), parts = node.proto.output_size(), length = x.shape[at(axis)];
  auto sizes = node.integers_since(13, 1, "split");
  if (!sizes) {
    const std::int64_t part = (length + parts - 1) / parts;
    const bool fits = node.opset < 18 ? length % parts == 0 : node.integer("num_outputs", 0) == parts;
    require(fits, "the sizes of the parts do not follow");
    sizes.emplace();
    for (std::int64_t p = 0; p < parts; ++p) sizes->push_back(std::clamp<std::int64_t>(length - p * part, 0, part));
  }
  require(std::ssize(*sizes) == parts, "not one size for each part");
  Values results;
  std::int64_t first = 0;
  for (const std::int64_t size : *sizes) {
    require(size >= 0 && size <= length - first, "the parts are longer than the whole");
    results.push_back(node.graph.pick(x, axis, up_to(size, first)));
    first += size;
  }
  require(first == length, "the parts are shorter than the whole");
  return results;
}

// The positions that a slice takes from a dimension; those out of range are clamped.
Integers slice_positions(std::int64_t first, std::int64_t last, std::int64_t step, std::int64_t length) {
  require(step != 0, "a slice with step 0");
  if (first < 0) first = std::max(first, -length - 1) + length;
  if (last < 0) last = std::max(last, -length - 1) + length;
  first = std::clamp<std::int64_t>(first, 0, step > 0 ? length : length - 1);
  last = std::clamp<std::int64_t>(last, step > 0 ? 0 : -1, length);
  step = std::clamp(step, -length - 1, length + 1);
  Integers positions;
  for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) positions.push_back(i);
  return positions;
}

Values slice(const OnnxNode& node) {
  Value x = node.input(0);
  const Integers starts = node.integers_since(10, 1, "starts").value_or(Integers{});
  const Integers ends = node.integers_since(10, 2, "ends").value_or(Integers{});
  const Integers axes = node.integers_since(10, 3, "axes").value_or(up_to(std::ssize(starts)));
  const Integers steps = node.has(4) ? node.integers_at(4) : Integers(starts.size(), 1);
  const bool fit = ends.size() == starts.size() && axes.size() == starts.size() && steps.size() == starts.size();
  require(fit, "starts, ends, axes and steps are not equally long");
  for (std::size_t i = 0; i < starts.size(); ++i) {
    const std::int64_t axis = OnnxNode::axis(axes[i], x.rank());
    x = node.graph.pick(x, axis, slice_positions(starts[i], ends[i], steps[i], x.shape[at(axis)]));
  }
  return {x};
}

Values gather(const OnnxNode& node) {
  const Value& x = node.input(0);
  const std::int64_t axis = node.axis(0), length = x.shape[at(axis)];
  Integers positions = node.integers_at(1);
  for (std::int64_t& p : positions) {
    require(p >= -length && p < length, "index " + std::to_string(p) + " is out of range");
    if (p < 0) p += length;
  }
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, node.input(1).shape.begin(), node.input(1).shape.end());
  return {reshaped(node.graph.pick(x, axis, positions), shape)};
}

// The positions along one dimension with padding; -1 stands for the constant. Only pads on which run times agree.
Integers padded(const std::string& mode, std::int64_t length, std::int64_t before, std::int64_t after) {
  const bool is_constant = mode == "constant";
  const std::int64_t cut = std::max<std::int64_t>(0, -before) + std::max<std::int64_t>(0, -after);
  const std::int64_t most = mode == "reflect" ? length - 1 : mode == "wrap" ? length : kLong;
  const bool fits =
      std::max(before, after) <= most && (is_constant ? cut == 0 || cut < length : cut == 0 && length > 0);
  require(fits, "pads of " + std::to_string(before) + " and " + std::to_string(after) + " are not supported here");
  Integers positions;
  for (std::int64_t i = -before; i < length + after; ++i) {
    const std::int64_t reflected = i < 0 ? -i : 2 * (length - 1) - i, wrapped = i < 0 ? i + length : i - length;
    const bool is_inside = i >= 0 && i < length;
    positions.push_back(is_inside           ? i
                        : is_constant       ? -1
                        : mode == "edge"    ? std::clamp<std::int64_t>(i, 0, length - 1)
                        : mode == "reflect" ? reflected
                                            : wrapped);
  }
  return positions;
}

Values pad(const OnnxNode& node) {
  const Value& x = node.input(0);
  const std::string mode = node.text("mode", "constant");
  require(mode == "constant" || mode == "edge" || mode == "reflect" || mode == "wrap", "mode '" + mode + "'");
  const Integers pads = node.integers_since(11, 1, "pads").value_or(Integers{});
  const Integers axes = node.has(3) ? node.integers_at(3) : up_to(x.rank());
  require(pads.size() == 2 * axes.size(), "the pads do not fit the dimensions");
  Value filler = node.has(2) ? node.known_input(2) : known({}, exactly({node.real("value", 0)}), x.type);
  require(size_of(filler.shape) == 1 && filler.type == x.type, "the padding is not a single number of the same type");
  Steps steps = node.graph.steps_of(x.shape);
  Shape shape = x.shape;
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const std::size_t d = at(OnnxNode::axis(axes[i], x.rank())), j = i + axes.size();
    require(std::ssize(steps[d]) == x.shape[d], "an axis is padded twice");
    require(std::min(pads[i], pads[j]) >= -kLong && std::max(pads[i], pads[j]) <= kLong, "the pads are too large");
    node.graph.take(std::max<std::int64_t>(0, pads[i]) + std::max<std::int64_t>(0, pads[j]));
    Integers along = padded(mode, x.shape[d], pads[i], pads[j]);
    for (std::int64_t& p : along) p = p < 0 ? -1 : steps[d][at(p)];
    shape[d] = std::ssize(along);
    steps[d] = std::move(along);
  }
  if ((*filler.numbers)[0].is_zero()) return {node.graph.move(x, steps)};
  Integers source = node.graph.sources(steps);
  std::ranges::replace(source, -1, size_of(x.shape));
  return {node.graph.move({x, filler}, source, shape)};
}

Values expand(const OnnxNode& node) {
  return {node.graph.broadcast(node.input(0), broadcast_shape(node.input(0).shape, node.integers_at(1)))};
}

Values tile(const OnnxNode& node) {
  Value x = node.input(0);
  const Integers repeats = node.integers_at(1);
  require(std::ssize(repeats) == x.rank(), "not one number of repetitions for each dimension");
  for (std::size_t d = 0; d < repeats.size(); ++d) {
    Integers positions(at(size_of({repeats[d], x.shape[d]})));
    for (std::size_t i = 0; i < positions.size(); ++i) positions[i] = static_cast<std::int64_t>(i) % x.shape[d];
    x = node.graph.pick(x, static_cast<std::int64_t>(d), positions);
  }
  return {x};
}

// DepthToSpace moves blocks of channels into space; SpaceToDepth does the reverse.
Values depth_space(const OnnxNode& node) {
  const Value& x = node.input(0);
  const std::int64_t b = node.integer("blocksize", 0);
  require(x.rank() == 4 && b >= 1 && b <= 1 << 14, "four dimensions and a blocksize are needed");
  const std::int64_t n = x.shape[0], c = x.shape[1], h = x.shape[2], w = x.shape[3], depth = c / (b * b);
  if (node.proto.op_type() == "SpaceToDepth") {
    const Value blocks = reshaped(x, {n, c, h / b, b, w / b, b});
    return {reshaped(node.graph.transpose(blocks, {0, 3, 5, 1, 2, 4}), {n, c * b * b, h / b, w / b})};
  }
  const bool is_crd = node.text("mode", "DCR") == "CRD";
  require(is_crd || node.text("mode", "DCR") == "DCR", "an unknown mode");
  const Value blocks = reshaped(x, is_crd ? Shape{n, depth, b, b, h, w} : Shape{n, b, b, depth, h, w});
  const Integers order = is_crd ? Integers{0, 1, 4, 2, 5, 3} : Integers{0, 3, 4, 1, 5, 2};
  return {reshaped(node.graph.transpose(blocks, order), {n, depth, h * b, w * b})};
}

Values identity(const OnnxNode& node) { return {node.input(0)}; }

Values dropout(const OnnxNode& node) {
  const Integers training = node.has(2) ? node.integers_at(2) : Integers{};
  require(std::ranges::count(training, 0) == std::ssize(training), "training mode");
  return {node.input(0)};
}

Values reshape(const OnnxNode& node) {
  const Value& x = node.input(0);
  Shape shape = node.integers_at(1);
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] != 0 || node.integer("allowzero", 0) != 0) continue;
    require(d < x.shape.size(), "dimension " + std::to_string(d) + " is copied from nowhere");
    shape[d] = x.shape[d];
  }
  if (const auto open = std::ranges::find(shape, -1); open != shape.end()) {
    *open = 1;
    const std::int64_t others = size_of(shape);
    *open = others == 0 ? 0 : size_of(x.shape) / others;
  }
  return {reshaped(x, shape)};
}

Values flatten(const OnnxNode& node) {
  const Value& x = node.input(0);
  const std::int64_t axis = node.integer("axis", 1) == x.rank() ? x.rank() : node.axis(1);
  const Shape rows(x.shape.begin(), x.shape.begin() + axis), columns(x.shape.begin() + axis, x.shape.end());
  return {reshaped(x, {size_of(rows), size_of(columns)})};
}

Values squeeze(const OnnxNode& node) {
  const Value& x = node.input(0);
  const auto axes = node.integers_since(13, 1, "axes");
  Shape shape = x.shape;
  for (std::int64_t& d : shape) d = !axes && d == 1 ? -1 : d;  // -1: goes
  for (const std::int64_t axis : axes.value_or(Integers{})) shape[at(OnnxNode::axis(axis, x.rank()))] = -1;
  std::erase(shape, -1);
  return {reshaped(x, shape)};
}

Values unsqueeze(const OnnxNode& node) {
  const Value& x = node.input(0);
  const Integers axes = node.integers_since(13, 1, "axes").value_or(Integers{});
  Shape shape(x.shape.size() + axes.size(), 0);
  for (const std::int64_t axis : axes) {
    std::int64_t& d = shape[at(OnnxNode::axis(axis, std::ssize(shape)))];
    require(d == 0, "an axis is given twice");
    d = -1;  // new
  }
  auto next = x.shape.begin();
  for (std::int64_t& d : shape) d = d == -1 ? 1 : *next++;
  return {reshaped(x, shape)};
}

}  // namespace

Rules movement_rules() {
  return {{"Transpose", 1, 1, 1, "perm", transpose},
          {"Concat", 1, kAny, kAny, "axis", concat},
          {"Split", 1, 2, 1, "axis num_outputs split", split},
          {"Slice", 1, 5, 1, "axes ends starts", slice},
          {"Gather", 2, 2, 1, "axis", gather},
          {"Pad", 1, 4, 1, "mode pads value", pad},
          {"Expand", 2, 2, 1, "", expand},
          {"Tile", 2, 2, 1, "", tile},
          {"DepthToSpace", 1, 1, 1, "blocksize mode", depth_space},
          {"SpaceToDepth", 1, 1, 1, "blocksize", depth_space},
          {"Identity", 1, 1, 1, "", identity},
          {"Dropout", 1, 3, 1, "ratio seed", dropout},
          {"Reshape", 2, 2, 1, "allowzero", reshape},
          {"Flatten", 1, 1, 1, "axis", flatten},
          {"Squeeze", 1, 2, 1, "axes", squeeze},
          {"Unsqueeze", 1, 2, 1, "axes", unsqueeze}};
}

}  // namespace checker
