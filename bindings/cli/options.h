// The command line as plain values. main() calls parse_options once; the only file behind it that
// includes CLI11, which is slow to compile, is options.cc.
#pragma once

#include <optional>
#include <string>

#include "bindings/cli/exit_code.h"
#include "gibbous/runtime.h"

namespace gibbous::cli {

enum class Command { kMcp, kCall, kSession, kTools, kCheck, kDoctor, kVersion };

struct Options {
  Command command = Command::kVersion;
  RuntimeOptions runtime;  // from the options that every front end has
  bool json = false;       // for machines: JSON instead of text

  std::string tool;              // call
  std::string arguments = "{}";  // call: a JSON object, or "-" for standard input
  std::string session;           // call

  std::optional<ToolFormat> format;  // tools
  std::string directory = ".";       // check
};

// Without options the process is to exit with exit_code: help was printed, or the mistake was told.
struct ParsedOptions {
  std::optional<Options> options;
  ExitCode exit_code = ExitCode::kDone;
};

ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace gibbous::cli
