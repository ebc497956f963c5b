// The recent resource use of a run as small curves for `gibbous top`. Pure, any thread.
#pragma once

#include <cstddef>
#include <cstdint>
#include <deque>
#include <string>
#include <vector>

namespace gibbous::top {

inline constexpr std::size_t kHistoryLooks = 30;

class History {
 public:
  // `processor`: percentage of one processor; below 0: unknown, and ignored.
  void add(double processor, std::uint64_t rss_bytes);
  // One character for each measurement, "▁▂█". A full one stands for 100 % or the highest value.
  std::string processor_curve() const;
  // A full one stands for the highest value.
  std::string memory_curve() const;

 private:
  std::deque<double> processor_;
  std::deque<double> memory_;
};

}  // namespace gibbous::top
