// See history.h.
#include "bindings/inspect/top/history.h"

#include <algorithm>
#include <array>
#include <cmath>

namespace gibbous::top {
namespace {

constexpr double kWholeProcessor = 100;

void push(std::deque<double>& values, double value) {
  values.push_back(value);
  if (values.size() > kHistoryLooks) values.pop_front();
}

std::string curve(const std::deque<double>& values, double top) {
  static constexpr std::array<const char*, 8> kSteps = {"▁", "▂", "▃", "▄", "▅", "▆", "▇", "█"};
  constexpr auto kLast = static_cast<double>(kSteps.size() - 1);
  std::string text;
  for (const double value : values) {
    const double step = top > 0 ? std::clamp(std::ceil(value / top * kLast), 0.0, kLast) : 0;
    text += kSteps[static_cast<std::size_t>(step)];
  }
  return text;
}

double highest(const std::deque<double>& values, double least) {
  for (const double value : values) least = std::max(least, value);
  return least;
}

}  // namespace

void History::add(double processor, std::uint64_t rss_bytes) {
  if (processor >= 0) push(processor_, processor);
  push(memory_, static_cast<double>(rss_bytes));
}

std::string History::processor_curve() const {
  return curve(processor_, highest(processor_, kWholeProcessor));
}

std::string History::memory_curve() const {
  return curve(memory_, highest(memory_, 0));
}

}  // namespace gibbous::top
