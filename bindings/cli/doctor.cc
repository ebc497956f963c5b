// `gibbous doctor`: shows what this machine lets Gibbous do, and what is missing.
#include "gibbous/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/report.h"
#include "bindings/cli/terminal.h"
#include "bindings/inspect/journal_query.h"
#include "runtime/journal/journal_repair.h"

namespace gibbous::cli {
namespace {

std::string mark_of(Finding::Grade grade, const Terminal& terminal) {
  switch (grade) {
    case Finding::Grade::kGood:
      return terminal.paint(Colour::kGreen, "ok  ");
    case Finding::Grade::kNote:
      return terminal.paint(Colour::kYellow, "note");
    case Finding::Grade::kProblem:
      return terminal.paint(Colour::kRed, "FAIL");
  }
  return "";
}

constexpr std::size_t kMaxNamedDamage = 100;

// The old file stays, whole, under another name.
ExitCode mend_journal(const Options& options) {
  const std::string directory = inspect::journal_directory(options.runtime.state_dir);
  const Status whole = check_journal(directory);
  if (whole) {
    std::printf("%s/sessions.db is intact\n", directory.c_str());
    return ExitCode::kDone;
  }
  if (whole.code() != "journal_corrupt" && whole.code() != "journal_cut")
    return fail(whole, options);
  const Result<RepairReport> report = repair_journal(directory);
  if (!report) return fail(report.status(), options);
  std::printf(
      "%s\n%llu runs and %llu other records were kept; %llu places could not be read\n"
      "the old file is %s\n",
      whole.message().c_str(), static_cast<unsigned long long>(report->runs),
      static_cast<unsigned long long>(report->others + report->segments),
      static_cast<unsigned long long>(report->holes), report->kept_as.c_str());
  for (std::size_t i = 0; i < std::min(report->damaged.size(), kMaxNamedDamage); ++i) {
    const DamagedItems& items = report->damaged[i];
    std::printf("lost: items %llu to %llu of run %s\n", static_cast<unsigned long long>(items.from),
                static_cast<unsigned long long>(items.to), items.run_id.c_str());
  }
  if (report->damaged.size() > kMaxNamedDamage) {
    std::printf("lost: items in %zu other places\n", report->damaged.size() - kMaxNamedDamage);
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode run_doctor(const Options& options) {
  if (options.repair) return mend_journal(options);
  const std::vector<Finding> findings = examine(options.runtime);
  bool good = true;
  std::size_t widest = 0;
  for (const Finding& finding : findings) {
    good = good && finding.grade != Finding::Grade::kProblem;
    widest = std::max(widest, finding.name.size());
  }
  if (options.json) {
    std::printf("%s\n", findings_json(findings).c_str());
    return good ? ExitCode::kDone : ExitCode::kFailed;
  }
  const Terminal terminal(STDOUT_FILENO);
  std::printf("gibbous %s\n", version());
  for (const Finding& finding : findings) {
    std::printf("%s  %-*s  %s\n", mark_of(finding.grade, terminal).c_str(),
                static_cast<int>(widest), finding.name.c_str(), finding.value.c_str());
    if (!finding.advice.empty()) {
      std::printf("      %s\n", terminal.paint(Colour::kDim, finding.advice).c_str());
    }
  }
  return good ? ExitCode::kDone : ExitCode::kFailed;
}

}  // namespace gibbous::cli
