// presets_in(): all patterns are one set, so that a line costs one pass.
#include "runtime/output/error_patterns.h"

#include <re2/set.h>

#include <string>

#include "runtime/output/error_line.h"

namespace gibbous {
namespace {

// A set that needs more searches without its memory of states, and finds the same.
constexpr std::int64_t kMaxSetBytes = 16 * 1024 * 1024;

class ErrorSet {
 public:
  ErrorSet() : set_(options(), re2::RE2::UNANCHORED) {
    std::string problem;
    for (const ErrorPattern& pattern : error_patterns()) {
      set_.Add({pattern.regex.data(), pattern.regex.size()}, &problem);
    }
    set_.Compile();
  }

  FoundPresets find(std::string_view line) const {
    std::vector<int> matches;
    if (!set_.Match({line.data(), line.size()}, &matches)) return 0;
    FoundPresets found = 0;
    for (const int at : matches) {
      found |= preset_bit(error_patterns()[static_cast<std::size_t>(at)].preset);
    }
    return found;
  }

 private:
  static re2::RE2::Options options() {
    re2::RE2::Options options;
    options.set_log_errors(false);
    options.set_max_mem(kMaxSetBytes);
    return options;
  }

  re2::RE2::Set set_;
};

}  // namespace

const std::vector<ErrorPattern>& error_patterns() {
  static const std::vector<ErrorPattern> patterns = {
#include "runtime/output/error_patterns.inc"
  };
  return patterns;
}

FoundPresets presets_in(std::string_view line) {
  static const ErrorSet set;
  return set.find(line.substr(0, kMaxCheckedLineBytes));
}

}  // namespace gibbous
