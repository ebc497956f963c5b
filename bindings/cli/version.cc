// `gibbous version`.
#include <cstdio>

#include "bindings/cli/commands.h"

namespace gibbous::cli {

ExitCode run_version(const Options& options) {
  std::printf(options.json ? "{\"version\":\"%s\"}\n" : "gibbous %s\n", version());
  return ExitCode::kDone;
}

}  // namespace gibbous::cli
