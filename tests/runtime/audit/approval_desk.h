// Desk: a state directory, a clock, and stores on it, as in several processes.
#pragma once

#include <sys/stat.h>

#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <string>
#include <vector>

#include "runtime/audit/approval_store.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"

namespace gibbous::testing {

namespace fs = std::filesystem;

inline constexpr int kPlan = 0;
inline constexpr int kDefault = 1;
inline constexpr int kAuto = 2;
inline constexpr int kDangerous = 3;
inline constexpr std::int64_t kHour = 3600;

struct Desk {
  TempDir dir;
  ManualClock clock;
  std::vector<Status> problems;

  std::string directory() const { return dir.path() + "/state"; }
  std::string file() const { return directory() + "/approvals"; }
  std::int64_t now() const {
    return std::chrono::duration_cast<std::chrono::seconds>(clock.wall()).count();
  }

  // Each has its own file, lock and memory, so two are as good as two processes.
  ApprovalStore store() {
    return {directory(), clock, [this](const Status& each) { problems.push_back(each); }};
  }
  std::string text() const {
    std::ifstream in(file(), std::ios::binary);
    return {std::istreambuf_iterator<char>(in), {}};
  }
  void overwrite(const std::string& content) const {
    std::ofstream(file(), std::ios::binary | std::ios::trunc) << content;
  }
};

inline Approval push_approval() {
  Approval approval;
  approval.subject = "git push origin main";
  approval.mode = "default";
  approval.mode_rank = kDefault;
  approval.workspace = "/home/user/project";
  approval.policy_hash = "9f86d081";
  approval.who = "terminal";
  return approval;
}

inline Approval push_approval_of(const std::string& session) {
  Approval approval = push_approval();
  approval.scope = ApprovalScope::kSession;
  approval.session = session;
  return approval;
}

inline ApprovalQuery push_query() {
  return {.candidates = {{ApprovalKind::kArgv, "git push origin main"}},
          .mode = "default",
          .mode_rank = kDefault,
          .workspace = "/home/user/project",
          .session = "a"};
}

}  // namespace gibbous::testing
