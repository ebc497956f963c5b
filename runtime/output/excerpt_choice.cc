// Greedy, in order of importance. Each step is checked against the budget, including the notes that
// it adds or saves.
#include "runtime/output/excerpt_choice.h"

#include <algorithm>

namespace gibbous {
namespace {

// The ends get these shares of the budget before errors other than the first and the last.
constexpr std::size_t kHeadPercent = 15;
constexpr std::size_t kTailPercent = 25;
// The tail gets two parts of the remaining budget and the head one.
constexpr std::size_t kFillParts = 3;
constexpr std::size_t kTailFillParts = 2;

class Choice {
 public:
  Choice(const std::vector<ExcerptUnit>& units, std::size_t budget, std::size_t note)
      : units_(units), chosen_(units.size(), false), budget_(budget), note_(note), cost_(note) {}

  // Returns false if the unit does not fit, or there is nothing to show.
  bool add(std::size_t unit, std::size_t limit) {
    if (chosen_[unit]) return true;
    if (units_[unit].is_gone) return false;
    // A unit inside a gap splits the note in two; next to a shown unit it moves the note; between
    // two it removes it.
    const bool before = unit == 0 || chosen_[unit - 1];
    const bool after = unit + 1 == units_.size() || chosen_[unit + 1];
    std::size_t cost = cost_ + units_[unit].cost;
    if (!before && !after) cost += note_;
    if (before && after) cost -= note_;
    if (cost > limit) return false;
    cost_ = cost;
    chosen_[unit] = true;
    return true;
  }

  void add_tail(std::size_t limit) {
    for (std::size_t unit = units_.size(); unit-- > 0;) {
      if (!add(unit, limit)) return;
    }
  }

  void add_head(std::size_t limit) {
    for (std::size_t unit = 0; unit < units_.size(); ++unit) {
      if (!add(unit, limit)) return;
    }
  }

  // Adds the context of a unit that is shown.
  void add_context(std::size_t unit, std::size_t lines) {
    if (!chosen_[unit]) return;
    for (std::size_t i = 1; i <= lines && unit + i < units_.size(); ++i) {
      if (!add(unit + i, budget_)) break;
    }
    for (std::size_t i = 1; i <= lines && i <= unit; ++i) {
      if (!add(unit - i, budget_)) break;
    }
  }

  std::vector<bool> run(std::size_t context_lines) {
    if (cost_ > budget_) return chosen_;
    const std::vector<std::size_t> errors = errors_inwards();
    const std::size_t first_and_last = std::min<std::size_t>(errors.size(), 2);
    if (!units_.empty()) static_cast<void>(add(units_.size() - 1, budget_));
    for (std::size_t i = 0; i < first_and_last; ++i) static_cast<void>(add(errors[i], budget_));
    add_tail(std::min(budget_, cost_ + budget_ * kTailPercent / 100));
    add_head(std::min(budget_, cost_ + note_ + budget_ * kHeadPercent / 100));

    for (std::size_t i = 0; i < first_and_last; ++i) add_context(errors[i], context_lines);
    for (const std::size_t unit : errors) static_cast<void>(add(unit, budget_));
    for (const std::size_t unit : errors) add_context(unit, context_lines);

    add_tail(cost_ + (budget_ - cost_) * kTailFillParts / kFillParts);
    add_head(budget_);
    add_tail(budget_);
    return chosen_;
  }

 private:
  // Returns the first, the last, the second, the last but one, and so on.
  std::vector<std::size_t> errors_inwards() const {
    std::vector<std::size_t> errors;
    std::size_t low = 0;
    std::size_t high = units_.size();
    while (low < high) {
      while (low < high && !units_[low].is_error) ++low;
      if (low < high) errors.push_back(low++);
      while (low < high && !units_[high - 1].is_error) --high;
      if (low < high) errors.push_back(--high);
    }
    return errors;
  }

  const std::vector<ExcerptUnit>& units_;
  std::vector<bool> chosen_;
  const std::size_t budget_;
  const std::size_t note_;
  std::size_t cost_;  // of all shown units and all notes
};

}  // namespace

std::vector<bool> choose_units(const std::vector<ExcerptUnit>& units, std::size_t budget_bytes,
                               std::size_t note_bytes, std::size_t context_lines) {
  return Choice(units, budget_bytes, note_bytes).run(context_lines);
}

}  // namespace gibbous
