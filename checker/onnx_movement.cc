// Operations that move, repeat or drop elements, or give them another shape.
#include <algorithm>
#include <numeric>

#include "onnx_node.h"

namespace checker {
namespace {

Integers up_to(std::int64_t count, std::int64_t first = 0) {
  Integers result(static_cast<std::size_t>(count));
  std::iota(result.begin(), result.end(), first);
  return result;
}

std::vector<Value> transpose(OnnxNode& node) {
  const std::int64_t rank = node.input(0).rank();
  Integers permutation = up_to(rank);
  std::ranges::reverse(permutation);
  permutation = node.integers("perm", permutation);
  Integers sorted = permutation;
  std::ranges::sort(sorted);
  if (sorted != up_to(rank)) throw BadFile("perm does not permute the dimensions");
  return {node.graph.transpose(node.input(0), permutation)};
}

std::vector<Value> concat(OnnxNode& node) {
  if (node.find("axis", onnx::AttributeProto::INT) == nullptr) throw BadFile("attribute 'axis' is missing");
  return {node.graph.concatenate(node.all(), OnnxNode::axis(node.integer("axis", 0), node.input(0).rank()))};
}

std::vector<Value> split(OnnxNode& node) {
  const Value& x = node.input(0);
  const std::int64_t axis = OnnxNode::axis(node.integer("axis", 0), x.rank());
  const std::int64_t parts = node.proto.output_size(), length = x.shape[static_cast<std::size_t>(axis)];
  auto sizes = node.integers_since(13, 1, "split");
  if (!sizes) {
    const std::int64_t part = (length + parts - 1) / parts;
    if (node.opset >= 18 ? node.integer("num_outputs", 0) != parts : length % parts != 0) {
      throw BadFile("the sizes of the parts do not follow");
    }
    sizes.emplace();
    for (std::int64_t p = 0; p < parts; ++p) sizes->push_back(std::clamp<std::int64_t>(length - p * part, 0, part));
  }
  if (static_cast<std::int64_t>(sizes->size()) != parts) throw BadFile("not one size for each part");
  std::vector<Value> results;
  std::int64_t first = 0;
  for (const std::int64_t size : *sizes) {
    if (size < 0 || size > length - first) throw BadFile("the parts are longer than the whole");
    results.push_back(node.graph.pick(x, axis, up_to(size, first)));
    first += size;
  }
  if (first != length) throw BadFile("the parts are shorter than the whole");
  return results;
}

// The positions that a slice takes from a dimension; those out of range are clamped.
Integers slice_positions(std::int64_t first, std::int64_t last, std::int64_t step, std::int64_t length) {
  if (step == 0) throw BadFile("a slice with step 0");
  if (first < 0) first = std::max(first, -length - 1) + length;
  if (last < 0) last = std::max(last, -length - 1) + length;
  first = std::clamp<std::int64_t>(first, 0, step > 0 ? length : length - 1);
  last = std::clamp<std::int64_t>(last, step > 0 ? 0 : -1, length);
  step = std::clamp(step, -length - 1, length + 1);
  Integers positions;
  for (std::int64_t i = first; step > 0 ? i < last : i > last; i += step) positions.push_back(i);
  return positions;
}

std::vector<Value> slice(OnnxNode& node) {
  Value x = node.input(0);
  const auto starts = node.integers_since(10, 1, "starts"), ends = node.integers_since(10, 2, "ends");
  const std::size_t count = starts ? starts->size() : 0;
  const Integers axes = node.integers_since(10, 3, "axes").value_or(up_to(static_cast<std::int64_t>(count)));
  const Integers steps = node.has(4) ? node.integers_at(4) : Integers(count, 1);
  if (!starts || !ends || ends->size() != count || axes.size() != count || steps.size() != count) {
    throw BadFile("starts, ends, axes and steps are not equally long");
  }
  for (std::size_t i = 0; i < count; ++i) {
    const std::int64_t axis = OnnxNode::axis(axes[i], x.rank());
    const std::int64_t length = x.shape[static_cast<std::size_t>(axis)];
    x = node.graph.pick(x, axis, slice_positions((*starts)[i], (*ends)[i], steps[i], length));
  }
  return {x};
}

std::vector<Value> gather(OnnxNode& node) {
  const Value& x = node.input(0);
  const std::int64_t axis = OnnxNode::axis(node.integer("axis", 0), x.rank());
  const std::int64_t length = x.shape[static_cast<std::size_t>(axis)];
  Integers positions = node.integers_at(1);
  for (std::int64_t& p : positions) {
    if (p < -length || p >= length) throw BadFile("index " + std::to_string(p) + " is out of range");
    if (p < 0) p += length;
  }
  Shape shape = x.shape;
  shape.erase(shape.begin() + axis);
  shape.insert(shape.begin() + axis, node.input(1).shape.begin(), node.input(1).shape.end());
  return {reshaped(node.graph.pick(x, axis, positions), shape)};
}

// The positions along one dimension with padding; -1 stands for the constant. Only pads on which all run times agree.
Integers padded(const std::string& mode, std::int64_t length, std::int64_t before, std::int64_t after) {
  const bool is_constant = mode == "constant";
  const std::int64_t most = mode == "reflect" ? length - 1 : mode == "wrap" ? length : std::int64_t{1} << 28;
  if (std::max(before, after) > most || std::min(before, after) < (is_constant ? -length : 0) ||
      (is_constant ? std::min<std::int64_t>(0, before) + std::min<std::int64_t>(0, after) <= -length &&
                         std::min(before, after) < 0
                   : length == 0)) {
    throw BadFile("pads of " + std::to_string(before) + " and " + std::to_string(after) + " for " +
                  std::to_string(length) + " elements");
  }
  Integers positions;
  for (std::int64_t i = -before; i < length + after; ++i) {
    const bool is_inside = i >= 0 && i < length;
    if (is_inside || is_constant)
      positions.push_back(is_inside ? i : -1);
    else if (mode == "edge")
      positions.push_back(i < 0 ? 0 : length - 1);
    else if (mode == "wrap")
      positions.push_back(i < 0 ? i + length : i - length);
    else
      positions.push_back(i < 0 ? -i : 2 * (length - 1) - i);
  }
  return positions;
}

std::vector<Value> pad(OnnxNode& node) {
  const Value& x = node.input(0);
  const std::string mode = node.text("mode", "constant");
  if (mode != "constant" && mode != "edge" && mode != "reflect" && mode != "wrap") throw BadFile("mode '" + mode + "'");
  const Integers pads = node.integers_since(11, 1, "pads").value_or(Integers{});
  const Integers axes = node.has(3) ? node.integers_at(3) : up_to(x.rank());
  if (pads.size() != 2 * axes.size()) throw BadFile("the pads do not fit the dimensions");
  Value filler = x.is_integer() ? known({1}, Integers{0}) : known({1}, Numbers{{node.real("value", 0)}, {}});
  filler.type = filler.holds = x.type;
  if (node.has(2)) filler = node.input(2);
  if (size_of(filler.shape) != 1 || filler.is_node()) throw BadFile("the padding is not a single known number");
  Steps steps = node.graph.steps_of(x.shape);
  Shape shape = x.shape;
  std::vector<bool> given(shape.size(), false);
  for (std::size_t i = 0; i < axes.size(); ++i) {
    const auto d = static_cast<std::size_t>(OnnxNode::axis(axes[i], x.rank()));
    if (given[d]) throw BadFile("an axis is given twice");
    given[d] = true;
    if (pads[i] > 0) node.graph.take(pads[i]);
    if (pads[i + axes.size()] > 0) node.graph.take(pads[i + axes.size()]);
    Integers along = padded(mode, x.shape[d], pads[i], pads[i + axes.size()]);
    shape[d] = static_cast<std::int64_t>(along.size());
    for (std::int64_t& p : along) p = p < 0 ? -1 : steps[d][static_cast<std::size_t>(p)];
    steps[d] = std::move(along);
  }
  if (filler.is_known() && filler.numbers()[0].is_zero()) return {node.graph.move(x, steps)};
  Integers source = node.graph.sources(steps);
  std::ranges::replace(source, -1, size_of(x.shape));
  return {node.graph.move({x, filler}, source, shape)};
}

std::vector<Value> expand(OnnxNode& node) {
  return {node.graph.broadcast(node.input(0), broadcast_shape(node.input(0).shape, node.integers_at(1)))};
}

std::vector<Value> tile(OnnxNode& node) {
  const Value& x = node.input(0);
  const Integers& repeats = node.integers_at(1);
  if (repeats.size() != x.shape.size()) throw BadFile("not one number of repetitions for each dimension");
  Steps steps = node.graph.steps_of(x.shape);
  for (std::size_t d = 0; d < steps.size(); ++d) {
    const std::int64_t n = x.shape[d];
    if (repeats[d] < 0 || (n > 0 && repeats[d] > (std::int64_t{1} << 28) / n)) throw BadFile("too many repetitions");
    node.graph.take(repeats[d] * n);
    const Integers once = std::move(steps[d]);
    steps[d].clear();
    for (std::int64_t r = 0; r < repeats[d] && n > 0; ++r) steps[d].insert(steps[d].end(), once.begin(), once.end());
  }
  return {node.graph.move(x, steps)};
}

// DepthToSpace moves blocks of channels into space; SpaceToDepth does the reverse.
std::vector<Value> depth_space(OnnxNode& node) {
  const Value& x = node.input(0);
  const std::int64_t b = node.integer("blocksize", 0);
  if (x.rank() != 4 || b < 1 || b > 1 << 14) throw BadFile("four dimensions and a blocksize are needed");
  const std::int64_t n = x.shape[0], c = x.shape[1], h = x.shape[2], w = x.shape[3];
  if (node.proto.op_type() == "SpaceToDepth") {
    if (h % b != 0 || w % b != 0) throw BadFile("the blocks do not divide the input");
    const Value blocks = reshaped(x, {n, c, h / b, b, w / b, b});
    return {reshaped(node.graph.transpose(blocks, {0, 3, 5, 1, 2, 4}), {n, c * b * b, h / b, w / b})};
  }
  const std::string mode = node.text("mode", "DCR");
  if (c % (b * b) != 0 || (mode != "DCR" && mode != "CRD")) throw BadFile("the blocks do not divide the channels");
  const std::int64_t depth = c / (b * b);
  const bool is_crd = mode == "CRD";
  const Value blocks = reshaped(x, is_crd ? Shape{n, depth, b, b, h, w} : Shape{n, b, b, depth, h, w});
  const Integers order = is_crd ? Integers{0, 1, 4, 2, 5, 3} : Integers{0, 3, 4, 1, 5, 2};
  return {reshaped(node.graph.transpose(blocks, order), {n, depth, h * b, w * b})};
}

std::vector<Value> identity(OnnxNode& node) { return {node.input(0)}; }

std::vector<Value> dropout(OnnxNode& node) {
  if (node.has(2) && std::ranges::any_of(node.integers_at(2), [](std::int64_t v) { return v != 0; })) {
    throw BadFile("training mode");
  }
  return {node.input(0)};
}

std::vector<Value> reshape(OnnxNode& node) {
  const Value& x = node.input(0);
  Shape shape = node.integers_at(1);
  std::int64_t* open = nullptr;
  for (std::size_t d = 0; d < shape.size(); ++d) {
    if (shape[d] == 0 && node.integer("allowzero", 0) == 0) {
      if (d >= x.shape.size()) throw BadFile("dimension " + std::to_string(d) + " is copied from nowhere");
      shape[d] = x.shape[d];
    }
    if (shape[d] != -1) continue;
    if (open != nullptr) throw BadFile("two dimensions are left open");
    *(open = &shape[d]) = 1;
  }
  const std::int64_t others = size_of(shape);
  if (open != nullptr) *open = others == 0 ? 0 : size_of(x.shape) / others;
  return {reshaped(x, shape)};
}

std::vector<Value> flatten(OnnxNode& node) {
  const Value& x = node.input(0);
  std::int64_t axis = node.integer("axis", 1);
  if (axis != x.rank()) axis = OnnxNode::axis(axis, x.rank());
  const Shape rows(x.shape.begin(), x.shape.begin() + axis), columns(x.shape.begin() + axis, x.shape.end());
  return {reshaped(x, {size_of(rows), size_of(columns)})};
}

std::vector<Value> squeeze(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto axes = node.integers_since(13, 1, "axes");
  Shape shape;
  std::vector<bool> drop(x.shape.size(), false);
  for (std::size_t d = 0; d < drop.size(); ++d) drop[d] = !axes && x.shape[d] == 1;
  for (const std::int64_t axis : axes.value_or(Integers{})) {
    drop[static_cast<std::size_t>(OnnxNode::axis(axis, x.rank()))] = true;
  }
  for (std::size_t d = 0; d < drop.size(); ++d) {
    if (!drop[d]) shape.push_back(x.shape[d]);
  }
  return {reshaped(x, shape)};
}

std::vector<Value> unsqueeze(OnnxNode& node) {
  const Value& x = node.input(0);
  const auto axes = node.integers_since(13, 1, "axes");
  if (!axes) throw BadFile("axes are missing");
  const std::int64_t rank = x.rank() + static_cast<std::int64_t>(axes->size());
  std::vector<bool> is_new(static_cast<std::size_t>(rank), false);
  for (const std::int64_t axis : *axes) {
    const auto d = static_cast<std::size_t>(OnnxNode::axis(axis, rank));
    if (is_new[d]) throw BadFile("an axis is given twice");
    is_new[d] = true;
  }
  Shape shape;
  auto next = x.shape.begin();
  for (const bool is_one : is_new) shape.push_back(is_one ? 1 : *next++);
  return {reshaped(x, shape)};
}

}  // namespace

Rules movement_rules() {
  return {{"Transpose", transpose, 1, 1, "perm"},
          {"Concat", concat, 1, kAny, "axis"},
          {"Split", split, 1, 2, "axis num_outputs split"},
          {"Slice", slice, 1, 5, "axes ends starts"},
          {"Gather", gather, 2, 2, "axis"},
          {"Pad", pad, 1, 4, "mode pads value"},
          {"Expand", expand, 2, 2, ""},
          {"Tile", tile, 2, 2, ""},
          {"DepthToSpace", depth_space, 1, 1, "blocksize mode"},
          {"SpaceToDepth", depth_space, 1, 1, "blocksize"},
          {"Identity", identity, 1, 1, ""},
          {"Dropout", dropout, 1, 3, "ratio seed"},
          {"Reshape", reshape, 2, 2, "allowzero"},
          {"Flatten", flatten, 1, 1, "axis"},
          {"Squeeze", squeeze, 1, 2, "axes"},
          {"Unsqueeze", unsqueeze, 1, 2, "axes"}};
}

}  // namespace checker
