// `gibbous restart`, `stop` and `start`: ask the running `gibbous up` of this workspace about one
// of its services.
#include <cstdio>
#include <filesystem>
#include <string>

#include "bindings/cli/commands.h"
#include "bindings/cli/report.h"
#include "bindings/cli/up_control.h"
#include "bindings/inspect/journal_query.h"
#include "bindings/json/text.h"

namespace gibbous::cli {

ExitCode run_control(const Options& options) {
  const std::string state = inspect::journal_directory(options.runtime.state_dir);
  std::error_code error;
  const std::string directory = options.runtime.workspace.empty()
                                    ? std::filesystem::current_path(error).string()
                                    : options.runtime.workspace;
  const Result<Json> answer = ask_up(state, directory, options.action, options.name);
  if (!answer) return fail(answer.status(), options);
  if (answer->contains("code")) {
    return fail(Status::error(answer->value("code", ""), answer->value("message", "")), options);
  }
  if (options.json) {
    std::printf("%s\n", to_text(*answer).c_str());
  } else {
    std::printf("%s\n", answer->value("text", "").c_str());
  }
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
