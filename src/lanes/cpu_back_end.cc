#include "lanes/cpu_back_end.h"

#include "lanes/cpu_lanes.h"
#include "lanes/lane_network.h"
#include "lanes/layered_lanes.h"

namespace plumb::lanes {
namespace {

class CpuBackEnd final : public BoundingBackEnd {
 public:
  std::int64_t float_width() const override { return kLanes<float>; }

  std::unique_ptr<LaneSystem<float>> float_system(const StoredRows& rows) const override {
    return std::make_unique<LaneNetwork<float>>(rows.network, rows.cuts, rows.constraints, rows.budget);
  }
  std::unique_ptr<LaneSystem<double>> double_system(const StoredRows& rows) const override {
    return std::make_unique<LaneNetwork<double>>(rows.network, rows.cuts, rows.constraints, rows.budget);
  }
  std::unique_ptr<LaneSystem<double>> layered_system(const bounds::RegionBounds& bounds,
                                                     bounds::Functionals functionals,
                                                     const Budget* budget) const override {
    return std::make_unique<LayeredLanes>(bounds, std::move(functionals), budget);
  }
};

}  // namespace

std::shared_ptr<const BoundingBackEnd> cpu_back_end() {
  static const auto back_end = std::make_shared<const CpuBackEnd>();
  return back_end;
}

}  // namespace plumb::lanes
