// The messages about nodes that contradict their operation's definition. tests/oracle/ill_formed.py compares which
// nodes are refused with ONNX Runtime, and tests/oracle/forms.py compares the definitions with ONNX's.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include "support/thrown_error.h"
#include "unit/onnx/onnx_model.h"

namespace plumb::onnx {
namespace {

using ::testing::AllOf;
using ::testing::HasSubstr;

// The printed text: the problem, then the remedy.
std::string message(const Model& model) {
  const auto error = thrown_by<DataError>([&] { model.import(); });
  return std::string(error.what()) + "\n" + error.remedy();
}

Model product() {
  Model model({1, 2});
  model.weight("w", {2, 2}, {1, 2, 3, 4}).node("Gemm", {"x", "w"}, "y").named("product");
  return model;
}

TEST(OnnxForms, AnUnknownAttributeIsNamedWithTheNodeTheOpsetAndTheNearestThatIsKnown) {
  EXPECT_THAT(message(product().integer("transb", 1)),
              AllOf(HasSubstr("node 'product' (Gemm)"), HasSubstr("no attribute 'transb' at opset 13"),
                    HasSubstr("the nearest known attribute is 'transB'")));
  EXPECT_THAT(message(product().integer("alfa", 1)), HasSubstr("the nearest known attribute is 'alpha'"));
  EXPECT_THAT(message(Model({1, 2}).node("Relu", {"x"}, "y").integer("alpha", 1)), HasSubstr("has no attributes"));
}

TEST(OnnxForms, AnAttributeOfAnotherOpsetIsNamedWithItsOpsets) {
  EXPECT_THAT(message(Model({1, 2}, 13).node("Clip", {"x"}, "y").real("min", 0)),
              AllOf(HasSubstr("Clip has no attribute 'min' at opset 13"), HasSubstr("opset 6 to 10")));
  EXPECT_EQ(Model({1, 2}, 10).node("Clip", {"x"}, "y").real("min", 0).error(), "no error");
}

TEST(OnnxForms, AnAttributeOfAnotherKindIsNamedWithBothKinds) {
  EXPECT_THAT(product().real("transB", 1).error(), HasSubstr("'transB' is of kind 'float', but must be of kind 'int'"));
}

TEST(OnnxForms, NotesThatProgramsLeaveForThemselvesAreIgnored) {
  EXPECT_EQ(product().integer("__origin", 1).error(), "no error");
}

TEST(OnnxForms, MixedTypesAreNamedWithTheirInputs) {
  EXPECT_THAT(Model({1, 2}).double_weight("d", {1, 2}).node("Add", {"x", "d"}, "y").error(),
              AllOf(HasSubstr("node 'y' (Add)"), HasSubstr("input 0 is of type float, but input 1 is of type double")));
}

TEST(OnnxForms, AnOperationThatCameLaterIsNamedWithItsOpset) {
  EXPECT_THAT(Model({1, 2}, 8).node("Where", {"x", "x", "x"}, "y").error(), HasSubstr("it was added in opset 9"));
}

}  // namespace
}  // namespace plumb::onnx
