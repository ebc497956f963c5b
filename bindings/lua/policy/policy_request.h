// PolicyRequest: what the policy is asked about, which is a call of a tool or an effect of a
// running call. The API and the engine fill it in; rules, `decide`, the question for a person and
// the decision log read it. scripts/meta/policy.lua declares it as `Effect`. Plain data; any
// thread.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "bindings/lua/vm/value.h"

namespace gibbous::lua {

enum class RequestKind : std::uint8_t {
  kCall,   // a tool is called
  kStart,  // a run is started or queued
  kStdin,  // something is written to a run, or typed into it
  kKill,   // a run is ended or gets a signal
};
// "call", "start", "stdin" or "kill".
const char* name_of(RequestKind kind);
std::optional<RequestKind> request_kind(std::string_view name);

// Who sees what is typed: it decides what may be recorded.
enum class TypedEcho : std::uint8_t {
  kShown,    // the terminal or the program shows it
  kUnknown,  // the program reads keys one by one and may hide them
  kHidden,   // the terminal does not show it, as for a password
};

struct PolicyRequest {
  RequestKind kind = RequestKind::kCall;
  // The engine fills these in from the call.
  std::string tool;
  std::string permission;  // read, write or execute
  std::string mode;
  std::string session;
  std::string workspace;  // absolute

  Json arguments;                      // kCall: an object
  std::optional<std::string> command;  // a line for the shell; kStdin and kKill: that of the run
  std::vector<std::string> argv;       // instead of `command`: a program and its words
  std::optional<std::string> cwd;      // "": the workspace

  // kStart
  std::map<std::string, std::string> env;  // set on top
  Json limits = Json::object();            // what is asked for
  std::vector<std::string> logs;           // files that output is copied into
  bool keep = false;                       // outlives Gibbous
  bool pty = false;
  Json sandbox;             // what is asked for; null: nothing
  Json configured_sandbox;  // the least that the configuration demands; null: nothing
  std::string executor;     // "": the host
  Json executor_settings;   // asked for beyond the configuration; null: nothing

  // kStdin and kKill
  std::string run;
  std::optional<std::string> text;          // what is written; of keys the characters and lines
  std::optional<std::string> typed_before;  // what was written to the same run
  bool edited = false;                      // keys recall, complete or change a line
  TypedEcho echo = TypedEcho::kShown;
  std::string signal;

  // What was settled with the call that this is an effect of. Neither recorded nor shown to rules.
  bool cleared = false;  // the call was allowed or approved; its tool is not asked about again
  std::string approved_command;  // the approval_key() that a person has seen; "": none
};

// For a person, the log and `decide`: the fields that are set, under their names in Lua.
Json to_json(const PolicyRequest& request);
// The inverse, of a request that was recorded or made by hand. Fields of a wrong type are left out.
PolicyRequest read_policy_request(const Json& json);

// What a start must have in common with the call that a person approved: its command line or its
// words, and what it asks of its executor.
std::string approval_key(const PolicyRequest& request);

}  // namespace gibbous::lua
