// The encoding of the mark: | tag 8 | keeper 32 | run 24 |, in RLIMIT_LOCKS with kMaxMarkRun - run.
// The tag of an inner mark is smaller, so that it fits below a hard limit that is an outer mark.
// Both are far from RLIM_INFINITY and positive as signed numbers.
#include "runtime/process/mark.h"

#include <fcntl.h>
#include <sys/prctl.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <string_view>

#include "runtime/process/proc.h"

namespace gibbous {
namespace {

constexpr unsigned kRunBits = 24;
constexpr unsigned kKeeperBits = 32;
constexpr unsigned kTagShift = kRunBits + kKeeperBits;
constexpr std::uint64_t kHardTag = 0x47;  // 'G'
constexpr std::uint64_t kSoftTag = 0x46;

// Its own inverse.
std::uint32_t coded_run(std::uint32_t run, int resource) {
  return resource == RLIMIT_LOCKS ? kMaxMarkRun - (run & kMaxMarkRun) : run & kMaxMarkRun;
}

std::optional<Mark> decode(rlim_t value, std::uint64_t tag, int resource = RLIMIT_RTTIME) {
  if (value == RLIM_INFINITY || value >> kTagShift != tag) return std::nullopt;
  return Mark{static_cast<std::uint32_t>(value >> kRunBits),
              coded_run(static_cast<std::uint32_t>(value), resource)};
}

// Reads one number of /proc/PID/limits.
const char* parse_limit(const char* text, rlim_t& value) {
  constexpr std::string_view kUnlimited = "unlimited";
  constexpr int kDecimal = 10;
  while (*text == ' ') ++text;
  if (std::strncmp(text, kUnlimited.data(), kUnlimited.size()) == 0) {
    value = RLIM_INFINITY;
    return text + kUnlimited.size();
  }
  char* end = nullptr;
  value = std::strtoull(text, &end, kDecimal);
  return end == text ? nullptr : end;
}

// Takes what the limits of a process say, one after the other.
class Merged {
 public:
  void add(const Marks& marks, int resource) {
    if (mark_mode(resource) != MarkMode::kNone) {
      all_.sure = !first_ || (all_.sure && *first_ == marks);
      if (!first_) first_ = marks;
    }
    if (!all_.outer) all_.outer = marks.outer;
    if (!all_.inner) all_.inner = marks.inner;
  }
  Marks take() const { return all_; }

 private:
  std::optional<Marks> first_;
  Marks all_;
};

// Another user's process (sudo, su) refuses prlimit, but every user may read its limits file.
std::optional<Marks> read_marks_file(pid_t pid) {
  constexpr std::size_t kLimitsBytes = 4096;
  std::array<char, kLimitsBytes> text;
  if (!read_proc_file(pid, "limits", text)) return std::nullopt;
  constexpr std::array<std::string_view, kMarkResources.size()> kNames{"Max realtime timeout",
                                                                       "Max file locks"};
  Merged marks;
  for (std::size_t i = 0; i < kNames.size(); ++i) {
    const char* line = std::strstr(text.data(), kNames[i].data());
    rlimit limit{};
    const char* rest =
        line == nullptr ? nullptr : parse_limit(line + kNames[i].size(), limit.rlim_cur);
    if (rest == nullptr || parse_limit(rest, limit.rlim_max) == nullptr) return std::nullopt;
    marks.add(decode_marks(limit, kMarkResources[i]), kMarkResources[i]);
  }
  return marks.take();
}

}  // namespace

MarkMode mark_mode(int resource) {
  rlimit now{};
  if (::prlimit(0, static_cast<__rlimit_resource>(resource), nullptr, &now) != 0)
    return MarkMode::kNone;
  if (now.rlim_max == RLIM_INFINITY) return MarkMode::kHard;
  return decode(now.rlim_max, kHardTag) ? MarkMode::kSoft : MarkMode::kNone;
}

MarkMode mark_mode() {
  MarkMode best = MarkMode::kNone;
  for (const int resource : kMarkResources) best = std::min(best, mark_mode(resource));
  return best;
}

rlimit mark_limit(Mark mark, MarkMode mode, int resource) {
  const std::uint64_t rest =
      std::uint64_t{mark.keeper} << kRunBits | std::uint64_t{coded_run(mark.run, resource)};
  rlimit limit{};
  if (mode == MarkMode::kHard) {
    limit.rlim_cur = limit.rlim_max = kHardTag << kTagShift | rest;
    return limit;
  }
  // The hard limit stays as it is: it is the outer keeper's mark.
  if (::prlimit(0, static_cast<__rlimit_resource>(resource), nullptr, &limit) != 0)
    limit.rlim_max = RLIM_INFINITY;
  limit.rlim_cur = kSoftTag << kTagShift | rest;
  return limit;
}

std::optional<std::uint32_t> Marks::run_of(std::uint32_t keeper) const {
  if (outer && outer->keeper == keeper) return outer->run;
  if (inner && inner->keeper == keeper) return inner->run;
  return std::nullopt;
}

std::optional<std::uint32_t> Marks::sure_run_of(std::uint32_t keeper) const {
  // Below no other keeper its marks are hard limits, and a soft one may belong to any program.
  const bool made_up = mark_mode() == MarkMode::kHard && !(outer && outer->keeper == keeper);
  return sure && !made_up ? run_of(keeper) : std::nullopt;
}

Marks decode_marks(const rlimit& limit, int resource) {
  Marks marks;
  marks.outer = decode(limit.rlim_max, kHardTag, resource);
  marks.inner = decode(limit.rlim_cur, kSoftTag, resource);
  // A keeper marks itself in the soft limit only, so that it can give its children hard ones.
  if (!marks.inner && !marks.outer) marks.inner = decode(limit.rlim_cur, kHardTag, resource);
  return marks;
}

std::optional<Marks> read_marks(pid_t pid) {
  Merged marks;
  for (const int resource : kMarkResources) {
    rlimit limit{};
    if (::prlimit(pid, static_cast<__rlimit_resource>(resource), nullptr, &limit) != 0) {
      return errno == EPERM ? read_marks_file(pid) : std::nullopt;
    }
    marks.add(decode_marks(limit, resource), resource);
  }
  return marks.take();
}

}  // namespace gibbous
