// content_hash.cc: which parts of a query are hashed, and in which order. After a change, stored results are not found.
#include "base/sha256.h"
#include "property/query.h"

namespace plumb::property {
namespace {

class Hasher {
 public:
  explicit Hasher(const char* kind) { hash_.add(std::string_view(kind)); }

  void number(std::int64_t n) { hash_.add(n); }
  void number(std::size_t n) { hash_.add(static_cast<std::int64_t>(n)); }
  void number(double x) { hash_.add(x); }
  void text(std::string_view t) {
    number(t.size());
    hash_.add(t);
  }
  template <class Numbers>
  void list(const Numbers& numbers) {
    hash_.add_list(numbers);
  }
  void coefficients(const network::Coefficients& c) {
    list(c.values());
    number(c.error().relative);
    number(c.error().absolute);
  }
  std::string digits() { return hash_.digits(); }

 private:
  Sha256 hash_;
};

void add(Hasher& h, const tensor::ConvolutionGeometry& g) {
  h.list(std::array{g.in_channels, g.in_height, g.in_width, g.out_channels, g.out_height, g.out_width, g.kernel_height,
                    g.kernel_width, g.stride_height, g.stride_width, g.dilation_height, g.dilation_width, g.pad_top,
                    g.pad_left, g.groups});
}

void add(Hasher& h, const network::Input& op) { h.number(op.index); }
void add(Hasher& h, const network::Constant& op) { h.coefficients(op.values); }
void add(Hasher& h, const network::Dense& op) {
  h.list(std::array{op.rows, op.inputs, op.outputs});
  h.coefficients(op.weight);
  h.coefficients(op.bias);
}
void add(Hasher& h, const network::Convolution& op) {
  add(h, op.geometry);
  h.coefficients(op.weight);
  h.coefficients(op.bias);
}
void add(Hasher& h, const network::TransposedConvolution& op) {
  add(h, op.geometry);
  h.coefficients(op.weight);
  h.coefficients(op.bias);
}
void add(Hasher& h, const network::ScaleShift& op) {
  h.list(std::array{op.outer, op.channels, op.inner});
  h.coefficients(op.scale);
  h.coefficients(op.shift);
}
void add(Hasher& h, const network::IndexMap& op) { h.list(*op.source); }
void add(Hasher& h, const network::Sum& op) { h.coefficients(op.coefficients); }
void add(Hasher&, const network::Relu&) {}
void add(Hasher& h, const network::Maximum& op) {
  h.list(*op.offsets);
  h.list(*op.members);
}

void add(Hasher& h, const Rational& r) {
  for (const Rational::Integer part : {r.numerator(), r.denominator()}) {
    h.number(static_cast<std::int64_t>(part >> 64));
    h.number(static_cast<std::int64_t>(static_cast<std::uint64_t>(part)));
  }
  h.number(std::int64_t{r.is_negative()});
}

void add(Hasher& h, const std::vector<LinearInequality>& inequalities) {
  h.number(inequalities.size());
  for (const LinearInequality& inequality : inequalities) {
    h.list(inequality.coefficients);
    h.number(inequality.bound);
  }
}
void add(Hasher& h, const Box& box) {
  h.list(box.lower);
  h.list(box.upper);
}
void add(Hasher& h, const Ball& ball) {
  h.text(name_of(ball.norm));
  h.list(ball.centre);
  add(h, ball.radius);
  add(h, ball.domain);
  if (ball.radii.empty()) return;
  h.text("radii");
  for (const Rational& radius : ball.radii) add(h, radius);
}
void add(Hasher& h, const AffineImage& image) {
  h.list(image.offset);
  h.list(image.generator);
  add(h, image.parameters);
  add(h, image.inequalities);
}
void add(Hasher& h, const Polytope& polytope) {
  add(h, polytope.box);
  add(h, polytope.inequalities);
}

// An inequality without `inputs` is the same as one whose `inputs` are all zero, so both must have the same hash.
std::vector<double> without_zeros(const std::vector<double>& inputs) {
  for (const double x : inputs) {
    if (x != 0) return inputs;
  }
  return {};
}

void add(Hasher& h, const UnsafeSet& unsafe) {
  h.number(unsafe.conjunctions.size());
  for (const Conjunction& conjunction : unsafe.conjunctions) {
    h.number(conjunction.size());
    for (const OutputInequality& inequality : conjunction) {
      h.list(inequality.outputs);
      h.list(without_zeros(inequality.inputs));
      h.number(inequality.bound);
      h.number(std::int64_t{inequality.strict});
    }
  }
}

}  // namespace

std::string content_hash(const network::Network& network) {
  Hasher h("plumb network 1");
  h.number(network.inputs().size());
  for (const network::NetworkInput& input : network.inputs()) {
    h.number(tensor::element_count(input.shape));
    h.number(static_cast<std::int64_t>(input.type));
  }
  h.number(network.nodes().size());
  for (const network::Node& node : network.nodes()) {
    h.number(node.op.index());
    std::visit([&](const auto& op) { add(h, op); }, node.op);
    h.list(node.arguments);
  }
  h.number(network.outputs().size());
  for (const network::NetworkOutput& output : network.outputs()) {
    h.number(output.node);
    h.text(output.dropped_activation.value_or(""));
  }
  return h.digits();
}

std::string content_hash(const Query& query, const std::string& network_hash) {
  Hasher h("plumb query 1");
  h.text(network_hash);
  h.number(query.region.parts().size());
  for (const SimpleRegion& part : query.region.parts()) {
    h.number(part.index());
    std::visit([&](const auto& kind) { add(h, kind); }, part);
  }
  add(h, query.unsafe);
  return h.digits();
}

std::string content_hash(const Query& query) { return content_hash(query, content_hash(*query.network)); }

}  // namespace plumb::property
