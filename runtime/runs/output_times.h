// OutputTimes: when the bytes of one stream came, to about a tenth of a second, and coarser for old
// ones of a long run, whose times share a bounded memory. Loop thread only.
#pragma once

#include <algorithm>
#include <cstddef>
#include <vector>

#include "runtime/base/clock.h"
#include "runtime/output/stream.h"

namespace gibbous {

class OutputTimes {
 public:
  // The bytes before `end` that are not known yet came now.
  void add(Offset end, Nanos now) {
    if (!marks_.empty() && now - marks_.back().at < kStep) {
      marks_.back().end = end;
      return;
    }
    if (marks_.size() == kMaxMarks) thin();
    marks_.push_back({end, now});
  }
  // Returns when the byte before `end` came; it must have come.
  Nanos before(Offset end) const {
    const auto mark =
        std::lower_bound(marks_.begin(), marks_.end(), end,
                         [](const Mark& each, Offset wanted) { return each.end < wanted; });
    return mark == marks_.end() ? Nanos{0} : mark->at;
  }

 private:
  static constexpr Nanos kStep = std::chrono::milliseconds(100);
  static constexpr std::size_t kMaxMarks = 512;
  struct Mark {
    Offset end = 0;
    Nanos at{0};
  };

  // The later of each two neighbours stands for both.
  void thin() {
    for (std::size_t i = 0; i < kMaxMarks / 2; ++i) marks_[i] = marks_[2 * i + 1];
    marks_.resize(kMaxMarks / 2);
  }

  std::vector<Mark> marks_;
};

}  // namespace gibbous
