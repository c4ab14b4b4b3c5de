// onnx.h: the checker's own reading of ONNX files.
//
// In:  a .onnx or .onnx.gz file, opset 8 to 21; weights inside it or in files beside it.
// Out: the network that the file defines over the real numbers. Whatever depends on no input is computed while reading,
//      in interval arithmetic, so that a result that is not exact is enclosed. Nodes that no output needs are left out.
//      A last Softmax, LogSoftmax or Sigmoid is dropped (NetworkOutput::only_order).
//
// Hostile files: sizes are checked before memory is allocated; what is made by moving and repeating is limited in
//                proportion to what the file stores; nothing recurses.
// Throws BadFile if the file is damaged, or if it is not a static network of piecewise-linear operations.
#pragma once

#include <string>

#include "network.h"

namespace checker {

Network read_network(const std::string& path);

}  // namespace checker
