// What a host offers to scripts and to the clients of a runtime: tools and functions that it
// carries out itself (RuntimeOptions::tools and functions, Runtime::add_tool and add_function).
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <optional>
#include <string>

#include "gibbous/input.h"

namespace gibbous {

struct Progress {
  double progress = 0;  // increases with every report of a call
  std::optional<double> total;
  std::string message;
  // Reported by the runtime because the call waits, at most once a second and at least every five.
  // The message is the last line that the run it waits for has printed: one line of at most 200
  // bytes (and three dots), without secrets; or what the tool said last. Without a tool that
  // reports, `progress` is the time since the call began, in seconds.
  bool waiting = false;
};

// What a tool of the host answers.
struct ToolAnswer {
  bool ok = true;       // otherwise `code` and `message` say why not
  std::string text;     // for the model
  std::string data;     // structured result: a JSON object, "" for none
  std::string code;     // small letters, digits and _: "buffer_not_found"; "" is host_error
  std::string message;  // for the model: what happened, and what to do about it
};

// A call of a tool of the host. Call `reply` once, now or later, on the runtime's thread; dropping
// it without a call ends the call with no_answer. Elsewhere, neither does anything.
struct ToolCall {
  std::uint64_t id = 0;  // above 0; no other call of a host tool of this runtime has it
  CallId call = 0;       // the host's call that led to it; 0: a hook's or another tool's
  std::string tool;
  std::string arguments;  // a JSON object that fits the schema, with its defaults
  std::string session;    // of the caller
  // Returns false when it comes too late: the call has been answered, or has ended.
  std::function<bool(const ToolAnswer&)> reply;
  // Tells a caller that wants it, until the reply.
  std::function<void(const Progress&)> progress;
};

// A tool that the host carries out. It is one among those of the scripts: listed and called the
// same way, judged by the same policy, and there after a reload. Its toolset is `host`.
struct HostTool {
  std::string name;  // 1 to 64 letters, digits, _ and -; no other tool's
  std::string title;
  std::string description;    // what the model reads
  std::string permission;     // read, write or execute
  std::string input_schema;   // a JSON Schema of type object; "": it takes no arguments
  std::string output_schema;  // of `data`; "": it promises none
  bool structured = false;    // its data is for models, too (CallResult::structured)
  // Ends a call that is not answered, with the code `timeout`; 0: never.
  std::chrono::milliseconds timeout{60'000};
  // Both come on the runtime's thread, from inside poll() or the borrowed loop.
  std::function<void(ToolCall)> handler;
  // A call that `handler` was given ended without its reply: it was cancelled or took too long. It
  // comes with ToolCall::id.
  std::function<void(std::uint64_t id)> on_cancel = nullptr;
};

// A function that the host offers to scripts: host.NAME(args), which waits for the answer and
// returns its value, or nil, err. It is judged, bounded and cancelled as a call of a tool named
// `host.NAME` would be, but no client sees it or may call it.
struct HostFunction {
  std::string name;  // up to 50 letters, digits and _, no digit first
  std::string description;
  std::string permission;                     // read, write or execute
  std::string input_schema;                   // as HostTool's
  std::string output_schema;                  // of the value; "": anything
  std::chrono::milliseconds timeout{60'000};  // as HostTool's
  // As HostTool's. The value is ToolAnswer::data, which may be any JSON, or else `text`.
  std::function<void(ToolCall)> handler;
  std::function<void(std::uint64_t id)> on_cancel = nullptr;
  // In place of `handler`: answers at once and has no effect. Only these may be called by policies,
  // too, where nothing judges them; then this comes from inside a policy, or from a test of one
  // while it loads (in create(), too), and must not take long.
  std::function<ToolAnswer(const std::string& arguments)> pure = nullptr;
};

}  // namespace gibbous
