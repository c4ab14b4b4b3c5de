#include "accuracy/counts_json.h"

#include <nlohmann/json.hpp>

namespace plumb::accuracy {

nlohmann::ordered_json counts_json(const LevelCounts& counts) {
  return {{"samples", counts.samples},
          {"misclassified", counts.misclassified},
          {"looked_at", counts.looked_at},
          {"vulnerable_misclassified", counts.vulnerable_misclassified},
          {"robust", counts.robust},
          {"vulnerable", counts.vulnerable},
          {"unknown", counts.unknown},
          {"pending", counts.pending},
          {"by_solver", counts.by_solver},
          {"implied", counts.implied},
          {"pgd_tried", counts.pgd_tried},
          {"pgd_found", counts.pgd_found},
          {"certified_robust", counts.certified_robust},
          {"certified_vulnerable", counts.certified_vulnerable},
          {"rejected", counts.rejected},
          {"test_error", counts.test_error()},
          {"error_lower", counts.error_lower()},
          {"error_upper", counts.error_upper()},
          {"exact", counts.exact()}};
}

}  // namespace plumb::accuracy
