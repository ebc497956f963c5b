// The command line as plain values. main() calls parse_options once; the only files behind it that
// include CLI11, which is slow to compile, are options*.cc.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings/cli/exit_code.h"
#include "gibbous/runtime.h"

namespace gibbous::cli {

enum class Command {
  kMcp,
  kCall,
  kSession,
  kTools,
  kCheck,
  kPolicy,
  kApprovals,
  kDoctor,
  kPs,
  kLogs,
  kEvents,
  kReport,
  kKill,
  kTop,
  kUp,
  kVersion
};
enum class PolicyTask { kCheck, kExplain, kTest, kDiff };

struct Options {
  Command command = Command::kVersion;
  RuntimeOptions runtime;  // from the options that every front end has
  bool json = false;       // for machines: JSON instead of text

  std::string tool;              // call
  std::string arguments = "{}";  // call: a JSON object, or "-" for standard input
  std::string session;           // call

  std::optional<ToolFormat> format;  // tools
  std::string directory = ".";       // check, policy test

  PolicyTask policy_task = PolicyTask::kCheck;
  std::vector<std::string> words;  // policy check and explain: the command; diff: two directories
  std::string cwd;                 // policy check and explain
  bool from_stdin = false;         // policy check
  bool untested = false;           // policy check and explain: examples and cases may fail
  double threshold = 0;            // policy test: per cent of the rules
  std::string log_file;            // policy diff

  bool revoke_approvals = false;  // approvals
  bool all_approvals = false;
  std::vector<std::string> approval_ids;

  // What reads the journal. `session` is theirs, too.
  std::string run_id;                 // logs, kill
  std::string signal;                 // kill
  bool all_runs = false;              // ps: those that ended, too
  bool follow = false;                // logs
  std::string since = "0";            // logs: from the first item on
  std::optional<std::uint64_t> tail;  // logs: lines
  bool only_stdout = false;           // logs
  bool only_stderr = false;
  std::string output_file;  // report

  std::string services_file;  // up

  bool repair = false;  // doctor: mend the journal

  bool asks = false;  // session: the client answers questions
};

// Without options the process is to exit with exit_code: help was printed, or the mistake was told.
struct ParsedOptions {
  std::optional<Options> options;
  ExitCode exit_code = ExitCode::kDone;
};

ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace gibbous::cli
