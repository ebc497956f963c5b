// PolicyRequest: what the policy judges: a call of a tool, or an effect of a running call. The API
// and the engine fill it in; rules, `decide`, the question for a person and the decision log read
// it. scripts/meta/policy.lua declares it as `Effect`. Plain data; any thread.
#pragma once

#include <cstdint>
#include <map>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/lua/vm/value.h"
#include "runtime/paths/answers.h"

namespace gibbous::lua {

enum class RequestKind : std::uint8_t {
  kCall,   // a tool is called
  kStart,  // a run is started or queued
  kStdin,  // text is written to a run, or typed into it
  kKill,   // a run is ended or gets a signal
};
// "call", "start", "stdin" or "kill".
const char* name_of(RequestKind kind);
std::optional<RequestKind> request_kind(std::string_view name);

// Says what echoes typed text, which decides what may be recorded.
enum class TypedEcho : std::uint8_t {
  kShown,    // the terminal or the program shows it
  kUnknown,  // the program reads single keys and may hide them
  kHidden,   // the terminal does not show it, as for a password
};

struct PreparedJudgement;  // judgement.h

struct PolicyRequest {
  RequestKind kind = RequestKind::kCall;
  // The engine fills these in from the call.
  std::string tool;
  std::string permission;  // read, write or execute
  std::string action;      // the call's, of a tool that is judged by it; "": none
  std::string judged_as;   // the tool whose rows hold where a mode has none for `tool`; "": none
  std::string mode;
  std::string session;
  std::string workspace;  // absolute

  Json arguments;                      // kCall: an object
  std::optional<std::string> command;  // a line for the shell; kStdin and kKill: that of the run
  std::vector<std::string> argv;       // instead of `command`: a program and its words
  std::string shell;                   // that runs lines; "": not known, and not of this machine
  std::optional<std::string> cwd;      // "": the workspace

  // kStart
  std::map<std::string, std::string> env;      // added to the inherited ones
  std::map<std::string, std::string> secrets;  // names of secrets, by variable
  Json limits = Json::object();                // as requested
  std::vector<std::string> logs;               // files that output is copied into
  bool keep = false;                           // outlives Gibbous
  std::vector<std::string> allow;  // kStart and kCall: what it asks for beyond a confined run
  bool confinable = true;          // kStart and kCall: this machine has a sandbox that holds
  bool own_network = true;         // the same: and a confined run can have a network of its own
  bool own_signals = true;         // the same: and a confined run reaches only its session
  bool signs = false;              // the same: the user's git signs what is committed
  bool executor_confines = false;  // the executor encloses what it runs
  bool pty = false;                // kStdin: the run has one
  Json sandbox;                    // as requested; null: nothing
  Json configured_sandbox;         // the least in the configuration; null: nothing
  Json queued_sandbox;             // the same where the run was queued; null: nothing
  std::string executor;            // "": the host
  Json executor_settings;          // requested in addition to the configuration; null: nothing

  // kStdin and kKill
  std::string run;
  Json run_sandbox;                         // the profile and the network that it has; null: none
  std::optional<std::string> text;          // what is written; for keys, the characters and lines
  std::optional<std::string> typed_before;  // text written earlier to the same run
  bool edited = false;                      // keys recall, complete or change a line
  bool interrupted = false;                 // keys may throw a line away
  // The programs that own its terminal now, each with its words.
  std::vector<std::vector<std::string>> foreground;
  TypedEcho echo = TypedEcho::kShown;
  std::string signal;

  // Settled by the call to which this effect belongs. Neither recorded nor shown to rules.
  bool cleared = false;          // the call was allowed or approved; its tool is not judged again
  std::string approved_command;  // the approval_key() of what a person has seen; "": none
  std::shared_ptr<const PreparedJudgement> prepared;  // of its command (judge_beside); null: none
  std::shared_ptr<paths::Answers> paths;  // of its command; null: paths are resolved as they come

  bool operator==(const PolicyRequest&) const = default;
  // True: nothing is decided before the answers are there.
  bool lacks_paths() const { return paths != nullptr && paths->has_missing(); }
};

// For a person, the log and `decide`: the fields that are set, under their Lua names.
Json to_json(const PolicyRequest& request);
// Reads a request that was recorded or written by hand. Skips fields of a wrong type.
PolicyRequest read_policy_request(const Json& json);

// Returns what a start must share with the call that a person approved: its command line or its
// words, and what it requests of its executor.
std::string approval_key(const PolicyRequest& request);

}  // namespace gibbous::lua
