// Whatever the system refuses while a runtime is created, create() fails with a reason or gives a
// runtime that can be closed, and a borrowed loop is empty afterwards.
#include <seccomp.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>
#include <uv.h>

#include <cerrno>
#include <cstdio>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "tests/support/catch.h"
#include "tests/support/host.h"
#include "tests/support/loop.h"
#include "tests/support/patient_fork.h"

namespace gibbous {
namespace {

using testing::auto_mode;

enum Outcome { kFailed = 0, kMade = 1, kNoReason = 2, kLeft = 3, kNoFault = 4, kThrew = 5 };

// Creates a runtime in this process, after `spoil`, and lets go of it again.
int create_spoiled(const RuntimeOptions& given, const std::function<bool()>& spoil) {
  uv_loop_t loop;
  if (uv_loop_init(&loop) != 0) return kNoFault;
  RuntimeOptions options = given;
  options.loop = &loop;
  if (!spoil()) return kNoFault;
  bool made = false;
  {
    const auto runtime = Runtime::create(std::move(options));
    made = runtime.ok();
    if (!made && runtime.status().message().empty()) return kNoReason;
  }
  uv_run(&loop, UV_RUN_DEFAULT);
  if (uv_loop_close(&loop) != 0) return kLeft;
  return made ? kMade : kFailed;
}

// The same in a child, because such faults cannot be taken back.
int outcome_of(const RuntimeOptions& options, const std::function<bool()>& spoil) {
  std::fflush(nullptr);
  const pid_t child = testing::patient_fork();
  if (child == 0) {
    try {
      ::_exit(create_spoiled(options, spoil));
    } catch (const std::exception& error) {
      std::fprintf(stderr, "create threw: %s\n", error.what());
      ::_exit(kThrew);
    }
  }
  REQUIRE(child > 0);
  int status = 0;
  REQUIRE(::waitpid(child, &status, 0) == child);
  INFO("wait status " << status);
  REQUIRE(WIFEXITED(status));
  return WEXITSTATUS(status);
}

RuntimeOptions watching(const testing::TempDir& dir) {
  RuntimeOptions options = auto_mode();
  options.watch_files = true;
  options.state_dir = dir.path() + "/state";
  options.workspace = dir.path();
  return options;
}

// Makes each of these system calls of this process fail from now on.
bool refuse(const std::vector<int>& calls, int error) {
  scmp_filter_ctx filter = seccomp_init(SCMP_ACT_ALLOW);
  for (const int call : calls) {
    if (seccomp_rule_add(filter, SCMP_ACT_ERRNO(static_cast<unsigned>(error)), call, 0) != 0) {
      return false;
    }
  }
  const bool loaded = seccomp_load(filter) == 0;
  seccomp_release(filter);
  return loaded;
}

TEST_CASE("a system call that fails during create leaves nothing in a borrowed loop") {
  const testing::TempDir dir;
  const RuntimeOptions options = watching(dir);
  struct Fault {
    const char* name;
    std::vector<int> calls;
    int error;
    bool may_work;  // what needs it can be done without
  };
  const std::vector<Fault> faults = {
      {"openat", {SCMP_SYS(openat)}, EACCES, false},
      {"eventfd2", {SCMP_SYS(eventfd2)}, ENOMEM, true},
      {"epoll_create1", {SCMP_SYS(epoll_create1)}, ENOMEM, true},
      {"inotify_init1", {SCMP_SYS(inotify_init1)}, ENFILE, true},
      {"inotify_add_watch", {SCMP_SYS(inotify_add_watch)}, ENOSPC, true},
      {"timerfd_create", {SCMP_SYS(timerfd_create)}, ENFILE, true},
      {"pipe2", {SCMP_SYS(pipe2)}, ENFILE, true},
      {"socketpair", {SCMP_SYS(socketpair)}, ENFILE, true},
      {"mkdir", {SCMP_SYS(mkdir), SCMP_SYS(mkdirat)}, EROFS, true},
      {"getdents64", {SCMP_SYS(getdents64)}, EACCES, true},
      {"readlink", {SCMP_SYS(readlink), SCMP_SYS(readlinkat)}, EACCES, true},
      {"fcntl", {SCMP_SYS(fcntl)}, ENFILE, true},
      {"stat", {SCMP_SYS(newfstatat), SCMP_SYS(stat), SCMP_SYS(statx)}, EACCES, false},
      {"access", {SCMP_SYS(access), SCMP_SYS(faccessat), SCMP_SYS(faccessat2)}, EACCES, true},
      {"prlimit", {SCMP_SYS(prlimit64), SCMP_SYS(getrlimit)}, EPERM, true},
      {"getcwd", {SCMP_SYS(getcwd)}, ENOENT, true},
  };
  for (const Fault& fault : faults) {
    DYNAMIC_SECTION(fault.name) {
      const int outcome = outcome_of(options, [&] { return refuse(fault.calls, fault.error); });
      INFO("outcome " << outcome);
      CHECK((outcome == kFailed || (fault.may_work && outcome == kMade)));
    }
  }
}

TEST_CASE("a thread that cannot be started during create leaves nothing in a borrowed loop") {
  if (::getuid() != 0) return;  // only another user's limit can be reached
  constexpr uid_t kNobody = 65'534;
  testing::TempDir dir;
  RuntimeOptions options = watching(dir);
  options.state_dir = "";
  options.workspace = "/";
  for (const rlim_t threads : {1UL, 2UL, 3UL}) {
    INFO(threads);
    const int outcome = outcome_of(options, [&] {
      const rlimit few{threads, threads};
      return ::setrlimit(RLIMIT_NPROC, &few) == 0 && ::setgid(kNobody) == 0 &&
             ::setuid(kNobody) == 0;
    });
    CHECK((outcome == kFailed || outcome == kMade));
  }
}

}  // namespace
}  // namespace gibbous
