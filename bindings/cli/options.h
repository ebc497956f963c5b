// The command line as plain values. main() calls parse_options once. Only options*.cc include
// CLI11, which is slow to compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "bindings/cli/exit_code.h"
#include "bindings/cli/mcp_inspect.h"
#include "bindings/cli/mcp_install.h"
#include "bindings/cli/new_templates.h"
#include "gibbous/runtime.h"

namespace gibbous::cli {

enum class Command {
  kMcp,
  kCall,
  kSession,
  kTools,
  kCheck,
  kNew,
  kTest,
  kPolicy,
  kApprovals,
  kAsks,
  kDoctor,
  kPs,
  kLogs,
  kAttach,
  kEvents,
  kSessions,
  kReport,
  kKill,
  kTop,
  kUp,
  kControl,
  kConfig,
  kTrust,
  kVersion
};
enum class AskTask { kList, kShow, kAnswer };
enum class PolicyTask { kCheck, kExplain, kTest, kLog, kDiff };

// The word for the policy that ships, where a directory may stand.
inline constexpr const char* kShippedPolicy = "shipped";

struct Options {
  Command command = Command::kVersion;
  RuntimeOptions runtime;  // from the common options
  bool json = false;       // JSON instead of text

  std::string tool;              // call
  std::string arguments = "{}";  // call: a JSON object, or "-" for standard input
  std::string session;           // call
  bool keep = false;             // call: its runs outlive the command

  std::optional<ToolFormat> format;  // tools
  std::string directory = ".";       // check, new, policy test

  NewKind new_kind = NewKind::kTool;  // new
  std::string name;

  PolicyTask policy_task = PolicyTask::kCheck;
  // policy check and explain: the command; diff: two directories; test: files and directories
  std::vector<std::string> words;
  std::string cwd;          // policy check and explain
  bool from_stdin = false;  // policy check
  bool untested = false;    // policy check and explain: its own tests may fail
  double threshold = 0;     // policy test: per cent of one's own rules
  bool strict = false;      // tools
  std::string rule;         // policy log: a glob
  std::string decision;     // policy log
  std::string log_file;     // policy diff; "": the journal

  bool revoke_approvals = false;  // approvals
  bool all_approvals = false;
  std::vector<std::string> approval_ids;

  AskTask ask_task = AskTask::kList;  // asks; it uses `follow`, too
  std::string ask_id;
  AskAnswer ask_answer;
  std::string ask_prefix;  // "": none was given

  // For the sub-commands that read the journal; they use `session`, too.
  std::string run_id;                 // attach, events, kill, policy log
  std::vector<std::string> run_ids;   // logs
  std::string signal;                 // kill
  bool all_runs = false;              // ps: ended runs, too
  bool follow = false;                // logs, events, policy log
  std::string since = "0";            // logs, events, policy log: from the beginning
  std::optional<std::uint64_t> tail;  // logs: lines; policy log: decisions
  bool only_stdout = false;           // logs
  bool only_stderr = false;
  bool raw = false;         // logs: with the secrets
  std::string output_file;  // report

  std::string services_file;  // up
  std::string action;         // restart, stop or start; they use `name`, too

  std::string filter;          // test: a part of the names
  unsigned time_limit_s = 30;  // test: of a spec

  bool list_trusted = false;  // trust
  bool revoke_trust = false;
  bool yes = false;

  bool set_aside = false;  // doctor: check the journal, and move a damaged one aside

  bool structured = false;     // mcp: for programs, with the data of results
  unsigned task_after_s = 10;  // mcp: when calls become tasks
  std::string http;            // mcp: where to listen, ADDRESS:PORT
  std::string unix_socket;     // mcp: or there
  std::string token_file;      // "": a token is made
  bool no_token = false;
  std::vector<std::string> hosts;  // further names that clients use
  InstallOptions install;          // mcp install
  InspectOptions inspect;          // mcp inspect
  bool asks = false;               // session: the client answers questions
  bool inputs = false;             // session: and what scripts ask
};

// Without options the process exits with exit_code: it has printed the help or an error.
struct ParsedOptions {
  std::optional<Options> options;
  ExitCode exit_code = ExitCode::kDone;
};

ParsedOptions parse_options(int argc, const char* const* argv);

}  // namespace gibbous::cli
