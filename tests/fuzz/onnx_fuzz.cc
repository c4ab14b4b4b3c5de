// Any bytes as an ONNX file: imported, or refused with a plumb::Error. An imported network can be evaluated, and its
// simplified form agrees with its plain form. Mutations mostly keep the file a valid protocol buffer, so that they
// reach the import rules instead of failing in the parser.
#include <google/protobuf/stubs/logging.h>
#include <onnx/onnx_pb.h>

#include <algorithm>
#include <cmath>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <random>
#include <string>

#include "base/error.h"
#include "network/evaluator.h"
#include "onnx/onnx_file.h"

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t max_size);

namespace {

using google::protobuf::FieldDescriptor;
using google::protobuf::Message;
using google::protobuf::Reflection;

constexpr std::int64_t kMaxElements = 1 << 12;

struct Evaluation {
  std::vector<double> outputs;
  bool tame = true;  // no number is so large that rounding could explain a difference
};

Evaluation evaluate_at_zero(const plumb::network::Network& network) {
  const std::vector<double> input(static_cast<std::size_t>(network.input_size()), 0.0);
  Evaluation result;
  result.outputs.resize(static_cast<std::size_t>(network.output_size()));
  plumb::network::Evaluator<double>::Workspace workspace;
  plumb::network::Evaluator<double>(shared(network)).evaluate(input, result.outputs, workspace);
  const auto is_tame = [](double v) { return std::abs(v) < 1e6; };
  for (const auto& values : workspace.values) {
    result.tame = result.tame && std::all_of(values.begin(), values.end(), is_tame);
  }
  for (const plumb::network::Node& node : network.nodes()) {
    const auto tame = [&](const plumb::network::Coefficients& c) {
      result.tame = result.tame && is_tame(c.max_abs()) && is_tame(1e9 * c.error().absolute);
    };
    if (const auto* dense = std::get_if<plumb::network::Dense>(&node.op)) tame(dense->weight);
    if (const auto* conv = std::get_if<plumb::network::Convolution>(&node.op)) tame(conv->weight);
    if (const auto* conv = std::get_if<plumb::network::TransposedConvolution>(&node.op)) tame(conv->weight);
    if (const auto* scale = std::get_if<plumb::network::ScaleShift>(&node.op)) tame(scale->scale);
  }
  return result;
}

// All messages inside `message`, and `message` itself.
void collect(Message& message, std::vector<Message*>& all) {
  all.push_back(&message);
  const Reflection& reflection = *message.GetReflection();
  std::vector<const FieldDescriptor*> fields;
  reflection.ListFields(message, &fields);
  for (const FieldDescriptor* field : fields) {
    if (field->cpp_type() != FieldDescriptor::CPPTYPE_MESSAGE) continue;
    if (!field->is_repeated()) {
      collect(*reflection.MutableMessage(&message, field), all);
      continue;
    }
    for (int i = 0; i < reflection.FieldSize(message, field); ++i) {
      collect(*reflection.MutableRepeatedMessage(&message, field, i), all);
    }
  }
}

std::int64_t interesting_number(std::mt19937& random) {
  constexpr std::int64_t kNumbers[] = {0,         1,  2,  3,       4,         5,         7, 8, 16,           -1,
                                       -2,        -3, 64, 1 << 20, 1LL << 31, 1LL << 40, 6, 9, -(1LL << 31), INT64_MAX,
                                       INT64_MIN, 10, 11, 13};
  return kNumbers[random() % std::size(kNumbers)];
}

// Changes one number or name, or repeats or drops one entry.
void mutate_field(Message& message, const FieldDescriptor* field, std::mt19937& random) {
  const Reflection& reflection = *message.GetReflection();
  if (field->is_repeated()) {
    const int size = reflection.FieldSize(message, field);
    if (size == 0) return;
    const int i = static_cast<int>(random() % static_cast<unsigned>(size));
    if (random() % 4 == 0) return reflection.RemoveLast(&message, field);
    if (random() % 4 == 0) return reflection.SwapElements(&message, field, i, size - 1);
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
      return reflection.SetRepeatedInt64(&message, field, i, interesting_number(random));
    }
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_STRING) {
      const int j = static_cast<int>(random() % static_cast<unsigned>(size));
      return reflection.SetRepeatedString(&message, field, i, reflection.GetRepeatedString(message, field, j));
    }
    if (field->cpp_type() == FieldDescriptor::CPPTYPE_MESSAGE) {
      reflection.AddMessage(&message, field)->CopyFrom(reflection.GetRepeatedMessage(message, field, i));
    }
    return;
  }
  if (random() % 8 == 0) return reflection.ClearField(&message, field);
  if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT64) {
    reflection.SetInt64(&message, field, interesting_number(random));
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_INT32) {
    reflection.SetInt32(&message, field, static_cast<std::int32_t>(interesting_number(random)));
  } else if (field->cpp_type() == FieldDescriptor::CPPTYPE_FLOAT) {
    reflection.SetFloat(&message, field, static_cast<float>(interesting_number(random)));
  }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size, std::size_t max_size,
                                               unsigned seed) {
  std::mt19937 random(seed);
  const google::protobuf::LogSilencer quiet;
  onnx::ModelProto model;
  if (random() % 8 == 0 || !model.ParseFromArray(data, static_cast<int>(size))) {
    return LLVMFuzzerMutate(data, size, max_size);
  }
  for (unsigned change = 0; change <= random() % 3; ++change) {
    std::vector<Message*> messages;
    collect(model, messages);
    Message& message = *messages[random() % messages.size()];
    std::vector<const FieldDescriptor*> fields;
    message.GetReflection()->ListFields(message, &fields);
    if (!fields.empty()) mutate_field(message, fields[random() % fields.size()], random);
  }
  const std::string bytes = model.SerializePartialAsString();
  if (bytes.empty() || bytes.size() > max_size) return LLVMFuzzerMutate(data, size, max_size);
  std::copy(bytes.begin(), bytes.end(), data);
  return bytes.size();
}

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
  const std::string_view bytes(reinterpret_cast<const char*>(data), size);
  try {
    plumb::onnx::OnnxOptions options;
    options.max_elements = kMaxElements;
    const plumb::network::Network simple = plumb::onnx::import_onnx_bytes(bytes, "input", ".", options).network;
    options.simplify = false;
    const plumb::network::Network plain = plumb::onnx::import_onnx_bytes(bytes, "input", ".", options).network;
    const Evaluation a = evaluate_at_zero(simple), b = evaluate_at_zero(plain);
    for (std::size_t i = 0; i < a.outputs.size() && a.tame && b.tame; ++i) {
      if (std::abs(a.outputs[i] - b.outputs[i]) > 1e-3) std::abort();
    }
  } catch (const plumb::Error& error) {
    if (error.kind() == plumb::ErrorKind::kInternal) std::abort();
  }
  return 0;
}
