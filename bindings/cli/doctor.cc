// `gibbous doctor`: what this machine lets Gibbous do, and what is missing.
#include "gibbous/doctor.h"

#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <string>
#include <vector>

#include "bindings/cli/commands.h"
#include "bindings/cli/terminal.h"

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

}  // namespace

ExitCode run_doctor(const Options& options) {
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
