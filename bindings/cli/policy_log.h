// `gibbous policy log`, and the log that `gibbous policy diff` judges again. Main thread.
#pragma once

#include <string>

#include "bindings/cli/exit_code.h"
#include "bindings/cli/options.h"
#include "gibbous/status.h"

namespace gibbous::cli {

ExitCode print_policy_log(const Options& options);

// All decisions of the journal, or of options.log_file when there is one, as lines of JSON.
Result<std::string> read_policy_log(const Options& options);

}  // namespace gibbous::cli
