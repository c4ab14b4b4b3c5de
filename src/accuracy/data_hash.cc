#include "accuracy/data_hash.h"

#include <algorithm>

#include "base/parallel.h"
#include "base/sha256.h"
#include "verify/sample.h"

namespace plumb::accuracy {

std::string data_hash(const network::Network& network, const data::DataSet& data, int threads) {
  constexpr std::int64_t kBlock = 64;  // part of the definition: the hash is computed from the hashes of blocks
  std::vector<std::string> blocks(static_cast<std::size_t>((data.size() + kBlock - 1) / kBlock));
  parallel_for(static_cast<std::int64_t>(blocks.size()), threads, [&](std::int64_t block) {
    Sha256 hash;
    for (std::int64_t k = block * kBlock; k < std::min(data.size(), (block + 1) * kBlock); ++k) {
      hash.add_list(verify::network_sample(network, data, k));
      hash.add(data.has_labels() ? data.label(k) : std::int64_t{-1});
    }
    blocks[static_cast<std::size_t>(block)] = hash.digits();
  });
  Sha256 whole;
  whole.add(std::string_view("plumb data 1"));
  whole.add(data.size());
  for (const std::string& block : blocks) whole.add(std::string_view(block));
  return whole.digits();
}

}  // namespace plumb::accuracy
