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
#include "runtime/journal/set_aside.h"

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

// The old file stays, whole, under another name.
ExitCode set_journal_aside(const Options& options) {
  const std::string directory = inspect::journal_directory(options.runtime.state_dir);
  Status damage;
  const Result<std::string> aside = set_damaged_aside(directory, &damage);
  if (!aside) return fail(aside.status(), options);
  if (aside->empty()) {
    std::printf("%s/sessions.db is intact\n", directory.c_str());
  } else {
    std::printf("%s\nit is now %s; recording begins in a new file\n", damage.message().c_str(),
                aside->c_str());
  }
  return ExitCode::kDone;
}

}  // namespace

ExitCode run_doctor(const Options& options) {
  if (options.set_aside) return set_journal_aside(options);
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
