// Lies about bounds of elements by trees of their own: every kind is noticed.
#include <gtest/gtest.h>

#include <cmath>
#include <optional>

#include "unit/audit/lies.h"

namespace plumb::audit {
namespace {

// Trees of elements as early as can be, and as large as is needed.
search::DecideOptions element_trees() {
  search::DecideOptions options = tree_alone();
  options.subproblems_per_unit = 1000;
  return options;
}

// Remembers which elements the present trees are about.
struct ElementMessenger : Messenger {
  using Messenger::Messenger;
  void element_trees_begin(network::NodeId node, std::span<const std::int64_t> about) override {
    elements.assign(about.begin(), about.end());
    Messenger::element_trees_begin(node, about);
  }
  void element_trees_end(std::span<const double> bounds) override {
    elements.clear();
    Messenger::element_trees_end(bounds);
  }
  bool is_inside() const { return !elements.empty(); }
  std::vector<std::int64_t> elements;
};

TEST(Audit, NoticesAnOpenSubproblemWithoutABound) {
  struct Liar : ElementMessenger {
    using ElementMessenger::ElementMessenger;
    void subproblem_bounded(const events::Closing&) override {}
    void element_trees_end(std::span<const double> bounds) override {
      ++lies;
      std::vector<double> other(bounds.begin(), bounds.end());
      for (double& bound : other) bound /= 2;
      ElementMessenger::element_trees_end(other);
    }
  };
  expect_noticed<Liar>(element_trees(), near_miss, Lie::kPerhaps);
}

// Closings are told at the end of the trees, but for one below a root that is needed to decide an element.
TEST(Audit, NoticesASubproblemOfAnElementThatIsLeftOut) {
  struct Kept {
    events::Closing closing;
    std::vector<double> slope, multiplier;
  };
  struct Liar : ElementMessenger {
    using ElementMessenger::ElementMessenger;
    void closed(const events::Closing& closing) override {
      if (!is_inside()) return Messenger::closed(closing);
      kept.push_back({closing,
                      {closing.slope.begin(), closing.slope.end()},
                      {closing.multiplier.begin(), closing.multiplier.end()}});
    }
    void element_trees_end(std::span<const double> bounds) override {
      bool is_left_out = false;
      for (Kept& one : kept) {
        if (!is_left_out && !one.closing.decisions.empty() && bounds[one.closing.target] == 0) {
          is_left_out = true;
          ++lies;
          continue;
        }
        one.closing.slope = one.slope;
        one.closing.multiplier = one.multiplier;
        one.closing.on_upper_line = {};  // it was valid when the event was sent
        Messenger::closed(one.closing);
      }
      kept.clear();
      ElementMessenger::element_trees_end(bounds);
    }
    std::vector<Kept> kept;
  };
  expect_noticed<Liar>(element_trees(), near_miss, Lie::kPerhaps);
}

TEST(Audit, NoticesThatAnElementIsClosedByTheProofOfAnother) {
  struct Liar : ElementMessenger {
    using ElementMessenger::ElementMessenger;
    void closed(const events::Closing& closing) override {
      events::Closing other = closing;
      if (is_inside() && elements.size() > 1) {
        other.target = (closing.target + 2) % (2 * elements.size());
        ++lies;
      }
      Messenger::closed(other);
    }
  };
  expect_noticed<Liar>(element_trees(), near_miss, Lie::kPerhaps);
}

TEST(Audit, NoticesThatTheNegatedElementIsMeant) {
  struct Liar : ElementMessenger {
    using ElementMessenger::ElementMessenger;
    void closed(const events::Closing& closing) override {
      events::Closing other = closing;
      if (is_inside() && closing.decisions.empty()) {
        other.target ^= 1;
        ++lies;
      }
      Messenger::closed(other);
    }
    void subproblem_bounded(const events::Closing& bounding) override {
      events::Closing other = bounding;
      other.target ^= 1;
      ++lies;
      Messenger::subproblem_bounded(other);
    }
  };
  expect_noticed<Liar>(element_trees());
}

TEST(Audit, NoticesElementTreesInsideATree) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void tree_begins(std::span<const std::int64_t> functionals, std::span<const std::int64_t> cuts,
                     std::span<const events::TreeRoot> roots) override {
      Messenger::tree_begins(functionals, cuts, roots);
      ++lies;
      element_trees_begin(1, std::vector<std::int64_t>{0});
    }
  };
  expect_noticed<Liar>(element_trees());
}

TEST(Audit, NoticesATreeInsideElementTrees) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) override {
      Messenger::element_trees_begin(node, elements);
      ++lies;
      tree_begins(std::vector<std::int64_t>{0}, {}, std::vector<events::TreeRoot>(1));
    }
  };
  expect_noticed<Liar>(element_trees());
}

// Closed subproblems of elements refute nothing.
TEST(Audit, NoticesElementTreesThatEndAsATree) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void element_trees_end(std::span<const double>) override {
      ++lies;
      tree_ends();
    }
  };
  expect_noticed<Liar>(element_trees(), near_miss, Lie::kPerhaps);
}

TEST(Audit, NoticesATreeThatEndsAsElementTrees) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void tree_ends() override {
      ++lies;
      element_trees_end(std::vector<double>{0, 0});
    }
  };
  expect_noticed<Liar>(element_trees());
}

TEST(Audit, NoticesABoundedSubproblemOfATreeOfFunctionals) {
  struct Liar : Messenger {
    using Messenger::Messenger;
    void closed(const events::Closing& closing) override {
      ++lies;
      subproblem_bounded(closing);
      Messenger::closed(closing);
    }
  };
  expect_noticed<Liar>(tree_without_cuts());
}

// The trees of a node that does not exist, and of elements before the first and after the last.
template <int kind>
struct NoSuchElement : Messenger {
  using Messenger::Messenger;
  void element_trees_begin(network::NodeId node, std::span<const std::int64_t> elements) override {
    std::vector<std::int64_t> other(elements.begin(), elements.end());
    if (kind == 0) node = 1000;
    if (kind == 1) other.back() = -1;
    if (kind == 2) other.back() = 1000;
    if (kind == 3) other.clear();
    ++lies;
    Messenger::element_trees_begin(node, other);
  }
};

TEST(Audit, NoticesElementsThatDoNotExist) {
  expect_noticed<NoSuchElement<0>>(element_trees());
  expect_noticed<NoSuchElement<1>>(element_trees());
  expect_noticed<NoSuchElement<2>>(element_trees());
  expect_noticed<NoSuchElement<3>>(element_trees());
}

TEST(Audit, NoticesTargetsThatNoElementHas) {
  struct Liar : ElementMessenger {
    using ElementMessenger::ElementMessenger;
    void subproblem_bounded(const events::Closing& bounding) override {
      events::Closing other = bounding;
      other.target = 2 * elements.size();
      ++lies;
      Messenger::subproblem_bounded(other);
    }
  };
  expect_noticed<Liar>(element_trees());
}

// A multiple of an inequality of the unsafe set proves nothing about an element.
TEST(Audit, NoticesAConstraintInATreeOfAnElement) {
  struct Liar : ElementMessenger {
    using ElementMessenger::ElementMessenger;
    void subproblem_bounded(const events::Closing& bounding) override {
      events::Closing other = bounding;
      other.constraint_multiplier.push_back({0, 1e-9});
      ++lies;
      Messenger::subproblem_bounded(other);
    }
  };
  expect_noticed<Liar>(element_trees());
}

}  // namespace
}  // namespace plumb::audit
