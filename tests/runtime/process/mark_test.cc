// Marks: they survive encoding and decoding, outer and inner ones differ, and a child inherits
// them.
#include "runtime/process/mark.h"

#include <sys/wait.h>
#include <unistd.h>

#include <csignal>

#include "tests/support/catch.h"
#include "tests/support/patient_fork.h"

namespace gibbous::testing {
namespace {

constexpr std::uint32_t kKeeper = 0xdeadbeef;
constexpr std::uint32_t kOther = 0x01234567;

TEST_CASE("a hard mark is read back, even with the largest numbers") {
  for (const Mark mark : {Mark{kKeeper, 1}, Mark{0xffffffff, kMaxMarkRun}, Mark{0, 0}}) {
    const rlimit limit = mark_limit(mark, MarkMode::kHard);
    CHECK(limit.rlim_cur == limit.rlim_max);
    CHECK(limit.rlim_cur != RLIM_INFINITY);
    CHECK(decode_marks(limit).run_of(mark.keeper) == mark.run);
    CHECK_FALSE(decode_marks(limit).run_of(mark.keeper + 1).has_value());
  }
}

TEST_CASE("limits that are not marks are not mistaken for marks") {
  for (const rlimit limit : {rlimit{RLIM_INFINITY, RLIM_INFINITY}, rlimit{0, 0},
                             rlimit{1'000'000, 1'000'000}, rlimit{200'000, RLIM_INFINITY}}) {
    const Marks marks = decode_marks(limit);
    CHECK_FALSE(marks.outer.has_value());
    CHECK_FALSE(marks.inner.has_value());
  }
}

TEST_CASE("a keeper's own mark is in the soft limit alone") {
  rlimit limit = mark_limit({kKeeper, 0}, MarkMode::kHard);
  limit.rlim_max = RLIM_INFINITY;
  CHECK(decode_marks(limit).run_of(kKeeper) == 0U);
}

// In a child, because a hard limit cannot be raised again.
template <typename Body>
bool in_child(Body body) {
  const pid_t pid = gibbous::testing::patient_fork();
  if (pid == 0) ::_exit(body() ? 0 : 1);
  int status = 0;
  ::waitpid(pid, &status, 0);
  return WIFEXITED(status) && WEXITSTATUS(status) == 0;
}

bool set(const rlimit& limit, int resource = RLIMIT_RTTIME) {
  return ::setrlimit(static_cast<__rlimit_resource>(resource), &limit) == 0;
}

// In each limit that carries marks.
bool set_all(Mark mark, MarkMode mode) {
  for (const int resource : kMarkResources) {
    if (!set(mark_limit(mark, mode, resource), resource)) return false;
  }
  return true;
}

TEST_CASE("an inner keeper marks below an outer mark, and both can be read") {
  if (mark_mode() != MarkMode::kHard) return;  // this test itself runs below a keeper
  CHECK(in_child([] {
    if (!set_all({kOther, 9}, MarkMode::kHard)) return false;
    if (mark_mode() != MarkMode::kSoft) return false;
    if (!set_all({kKeeper, 5}, MarkMode::kSoft)) return false;
    const auto marks = read_marks(::getpid());
    return marks && marks->run_of(kOther) == 9U && marks->run_of(kKeeper) == 5U;
  }));
}

TEST_CASE("a program that lowers one of the limits keeps the mark in the other") {
  if (mark_mode() != MarkMode::kHard) return;
  for (const int lowered : kMarkResources) {
    CHECK(in_child([lowered] {
      if (!set_all({kKeeper, 7}, MarkMode::kHard) || !set({1000, 1000}, lowered)) return false;
      const auto marks = read_marks(::getpid());
      return marks && marks->run_of(kKeeper) == 7U;
    }));
  }
}

TEST_CASE("there are no marks if other programs have set both limits") {
  if (mark_mode() != MarkMode::kHard) return;
  CHECK(in_child([] {
    return set({100'000, 200'000}) && mark_mode() == MarkMode::kHard &&
           set({10, 20}, RLIMIT_LOCKS) && mark_mode() == MarkMode::kNone;
  }));
}

TEST_CASE("a mark is inherited, can be read from a zombie, and is absent without a process") {
  if (mark_mode() != MarkMode::kHard) return;
  CHECK(in_child([] {
    if (!set(mark_limit({kKeeper, 3}, MarkMode::kHard))) return false;
    const pid_t pid = gibbous::testing::patient_fork();
    if (pid == 0) ::_exit(0);
    siginfo_t info{};
    ::waitid(P_PID, static_cast<id_t>(pid), &info, WEXITED | WNOWAIT);
    const auto zombie = read_marks(pid);
    ::waitpid(pid, nullptr, 0);
    return zombie && zombie->run_of(kKeeper) == 3U && !read_marks(pid);
  }));
}

}  // namespace
}  // namespace gibbous::testing
