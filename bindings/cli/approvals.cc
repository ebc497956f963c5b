// `gibbous approvals`: lists the remembered approvals, and revokes them.
#include "gibbous/approvals.h"

#include <unistd.h>

#include <array>
#include <cstdint>
#include <cstdio>
#include <ctime>
#include <string>
#include <utility>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"

namespace gibbous::cli {
namespace {

constexpr std::int64_t kMinute = 60;
constexpr std::int64_t kHour = 60 * kMinute;
constexpr std::int64_t kDay = 24 * kHour;

std::string local_time(std::int64_t seconds) {
  const std::time_t time = seconds;
  std::tm parts{};
  std::array<char, 32> text{};
  if (::localtime_r(&time, &parts) == nullptr) return std::to_string(seconds);
  return {text.data(), std::strftime(text.data(), text.size(), "%Y-%m-%d %H:%M", &parts)};
}

// "in 2 h": the largest unit, rounded down.
std::string from_now(std::int64_t seconds) {
  if (seconds < kMinute) return "in less than a minute";
  if (seconds < kHour) return "in " + std::to_string(seconds / kMinute) + " min";
  if (seconds < kDay) return "in " + std::to_string(seconds / kHour) + " h";
  const std::int64_t days = seconds / kDay;
  return "in " + std::to_string(days) + (days == 1 ? " day" : " days");
}

std::string what(const ApprovalInfo& approval) {
  return approval.kind == "rule" ? "rule " + shown_text(approval.subject)
                                 : shown_text(approval.subject);
}

ExitCode list(const Options& options) {
  const auto approvals = list_approvals(options.runtime.state_dir);
  if (!approvals) return fail(approvals.status(), options);
  if (options.json) {
    std::printf("{\"approvals\":%s}\n", approvals_json(*approvals).c_str());
    return ExitCode::kDone;
  }
  if (approvals->empty()) {
    std::puts("no approvals are remembered");
    return ExitCode::kDone;
  }
  const std::int64_t now = std::time(nullptr);
  // The command is the last column, which alone is cut at the terminal's width.
  std::vector<std::vector<std::string>> rows = {{"ID", "MODE", "EXPIRES", "WORKSPACE", "WHAT"}};
  for (const ApprovalInfo& approval : *approvals) {
    const std::string expires = approval.expires == 0 ? "never"
                                                      : local_time(approval.expires) + " (" +
                                                            from_now(approval.expires - now) + ")";
    rows.push_back({approval.id, shown_text(approval.mode), expires, shown_text(approval.workspace),
                    what(approval)});
  }
  std::fputs(format_table(rows, Terminal(STDOUT_FILENO)).c_str(), stdout);
  return ExitCode::kDone;
}

ExitCode revoke_all(const Options& options) {
  const auto count = revoke_all_approvals(options.runtime.state_dir);
  if (!count) return fail(count.status(), options);
  if (options.json) {
    std::printf("{\"revoked\":%zu}\n", *count);
  } else {
    std::printf("revoked %zu approval%s\n", *count, *count == 1 ? "" : "s");
  }
  return ExitCode::kDone;
}

// A wrong id does not keep the others from being revoked.
ExitCode revoke(const Options& options) {
  ExitCode code = ExitCode::kDone;
  std::vector<ApprovalInfo> revoked;
  for (const std::string& id : options.approval_ids) {
    auto each = revoke_approval(options.runtime.state_dir, id);
    if (!each) {
      code = ExitCode::kFailed;
      print_error(each.status().message());
      continue;
    }
    if (!options.json) std::printf("revoked %s  %s\n", each->id.c_str(), what(*each).c_str());
    revoked.push_back(std::move(*each));
  }
  if (options.json) std::printf("{\"revoked\":%s}\n", approvals_json(revoked).c_str());
  return code;
}

}  // namespace

ExitCode run_approvals(const Options& options) {
  if (!options.revoke_approvals) return list(options);
  if (options.all_approvals) return revoke_all(options);
  return revoke(options);
}

}  // namespace gibbous::cli
