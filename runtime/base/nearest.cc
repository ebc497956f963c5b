// Optimal string alignment distance over short names.
#include "runtime/base/nearest.h"

#include <algorithm>
#include <cctype>
#include <cstddef>

namespace gibbous {
namespace {

constexpr std::size_t kMaxNameChars = 128;  // longer ones are not names

std::size_t replace_cost(char left, char right) {
  const auto lower = [](char c) { return std::tolower(static_cast<unsigned char>(c)); };
  return lower(left) == lower(right) ? 0 : 1;
}

std::size_t distance(std::string_view left, std::string_view right) {
  std::vector<std::size_t> before(right.size() + 1);
  std::vector<std::size_t> above(right.size() + 1);
  std::vector<std::size_t> row(right.size() + 1);
  for (std::size_t j = 0; j <= right.size(); ++j) above[j] = j;
  for (std::size_t i = 1; i <= left.size(); ++i) {
    row[0] = i;
    for (std::size_t j = 1; j <= right.size(); ++j) {
      row[j] = std::min(
          {above[j] + 1, row[j - 1] + 1, above[j - 1] + replace_cost(left[i - 1], right[j - 1])});
      if (i > 1 && j > 1 && left[i - 1] == right[j - 2] && left[i - 2] == right[j - 1]) {
        row[j] = std::min(row[j], before[j - 2] + 1);
      }
    }
    std::swap(before, above);
    std::swap(above, row);
  }
  return above[right.size()];
}

// "cmd" for "command", "scripts" for "scripts_dir": the same first letter, and the rest in order.
bool is_short_for(std::string_view wrong, std::string_view name) {
  constexpr std::size_t kLeastChars = 2;
  constexpr std::size_t kMostTimes = 4;  // that the name may be as long
  if (wrong.size() < kLeastChars || name.size() > kMostTimes * wrong.size()) return false;
  std::size_t found = 0;
  for (const char c : name) {
    if (found < wrong.size() && replace_cost(c, wrong[found]) == 0) ++found;
    if (found == 0) return false;
  }
  return found == wrong.size();
}

}  // namespace

std::string nearest_name(std::string_view wrong, const std::vector<std::string>& known) {
  if (wrong.size() > kMaxNameChars) return {};
  std::string best;
  std::string longer;
  std::size_t best_distance = 0;
  for (const std::string& name : known) {
    if (name.size() > kMaxNameChars) continue;
    const bool shortens = is_short_for(wrong, name) && name.size() > wrong.size();
    if (shortens && (longer.empty() || name.size() < longer.size())) longer = name;
    const std::size_t found = distance(wrong, name);
    const std::size_t allowed = std::max<std::size_t>(1, std::max(wrong.size(), name.size()) / 3);
    if (found > allowed) continue;
    if (best.empty() || found < best_distance) {
      best = name;
      best_distance = found;
    }
  }
  // One edit makes most short names another one: "cmd" is no misspelt "cwd".
  constexpr std::size_t kShortName = 3;
  const bool is_near = !best.empty() && (best_distance == 0 || wrong.size() > kShortName);
  return longer.empty() || is_near ? best : longer;
}

std::string did_you_mean(std::string_view nearest, char quote) {
  if (nearest.empty()) return "";
  std::string text = "; did you mean ";
  ((text += quote) += nearest) += quote;
  return text + "?";
}

std::string comma_list(const std::vector<std::string>& words, std::size_t most) {
  std::string text;
  for (std::size_t index = 0; index < words.size(); ++index) {
    if (index == most) return text + ", ...";
    text += (index == 0 ? "" : ", ") + words[index];
  }
  return text;
}

}  // namespace gibbous
