// npy_output.h: writes arrays for NumPy.
#pragma once

#include <cstdint>
#include <span>
#include <string>

namespace plumb::cli {

// Writes a rows x columns array of float64. Throws FileError if it cannot be written completely.
void write_npy(const std::string& path, std::span<const double> values, std::int64_t rows, std::int64_t columns);

}  // namespace plumb::cli
