#include "runtime/watch/line_block.h"

#include <algorithm>

#include "runtime/output/line_bytes.h"
#include "runtime/output/newlines.h"
#include "runtime/watch/survey.h"

namespace gibbous {

void LineBlock::set(std::string_view raw) {
  raw_ = raw;
  counted_ = 0;
  index_ = 0;
  const ByteSurvey seen = survey(raw);
  lines_ = seen.newlines + 1;
  const BeyondAscii beyond = seen.beyond_ascii ? look_beyond_ascii(raw) : BeyondAscii();
  cleaned_ = seen.controls || !beyond.clean;
  if (cleaned_) clean_lines();
  folding_ = cleaned_ && seen.beyond_ascii ? look_beyond_ascii(scratch_).folding : beyond.folding;
}

void LineBlock::clean_lines() {
  scratch_.clear();
  starts_.clear();
  for (std::size_t begin = 0; begin <= raw_.size();) {
    const std::size_t end = std::min(raw_.find('\n', begin), raw_.size());
    if (begin > 0) scratch_ += '\n';
    starts_.push_back({scratch_.size(), begin});
    const std::string_view line = raw_.substr(begin, end - begin);
    // Lines of a terminal or of Windows usually end with '\r'.
    append_clean(line.ends_with('\r') ? line.substr(0, line.size() - 1) : line, scratch_);
    begin = end + 1;
  }
}

LineBlock::Line LineBlock::line(std::size_t begin) {
  const std::string_view all = text();
  const std::size_t end = std::min(all.find('\n', begin), all.size());
  Line line{all.substr(begin, end - begin), begin, end, 0};
  if (!cleaned_) {
    index_ += count_newlines(all.data() + counted_, begin - counted_);
    counted_ = begin;
    line.index = index_;
    return line;
  }
  const auto start =
      std::lower_bound(starts_.begin(), starts_.end(), begin,
                       [](const Start& each, std::size_t wanted) { return each.text < wanted; });
  line.index = static_cast<std::uint64_t>(start - starts_.begin());
  line.begin = start->raw;
  line.end = start + 1 == starts_.end() ? raw_.size() : (start + 1)->raw - 1;
  return line;
}

}  // namespace gibbous
