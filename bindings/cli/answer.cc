// See answer.h.
#include "bindings/cli/answer.h"

#include <algorithm>
#include <cmath>
#include <cstdint>
#include <utility>

#include "bindings/cli/json_members.h"
#include "bindings/json/json.h"

namespace gibbous::cli {
namespace {

std::string with(std::string_view key, std::string value) {
  return value.empty() ? "" : ",\"" + std::string(key) + "\":" + std::move(value);
}

// JSON has no infinity, so that becomes null. Whole numbers are written without a fraction.
std::string number(double value) {
  constexpr double kExactBelow = 9007199254740992.0;  // 2^53
  if (!std::isfinite(value)) return "null";
  if (std::trunc(value) == value && std::abs(value) < kExactBelow) {
    return std::to_string(static_cast<std::int64_t>(value));
  }
  return Json(value).dump();
}

}  // namespace

std::string on_one_line(std::string json) {
  std::replace_if(
      json.begin(), json.end(), [](char c) { return c == '\n' || c == '\r'; }, ' ');
  return json;
}

std::string error_member(std::string_view code, std::string_view message) {
  return "\"error\":{\"code\":" + json_quote(code) + ",\"message\":" + json_quote(message) + "}";
}

std::string backlog_member(const CallResult& result) {
  if (result.backlog.empty()) return "";
  std::string events;
  for (const std::string& event : result.backlog) {
    events += (events.empty() ? "[" : ",") + on_one_line(event);
  }
  return with("backlog", events + "]");
}

std::string result_member(const CallResult& result) {
  if (result.ok) {
    return "\"result\":{\"text\":" + json_quote(result.text) +
           with("data", on_one_line(result.data)) + with("content", result.content) + "}" +
           backlog_member(result);
  }
  std::string member = error_member(result.code, result.message);
  member.pop_back();
  member += with("data", on_one_line(result.data)) + with("content", result.content);
  if (!result.traceback.empty()) member += with("traceback", json_quote(result.traceback));
  return member + "}" + backlog_member(result);
}

std::string progress_member(const Progress& progress) {
  std::string member = "\"progress\":{\"progress\":" + number(progress.progress);
  if (progress.total) member += with("total", number(*progress.total));
  if (!progress.message.empty()) member += with("message", json_quote(progress.message));
  if (progress.waiting) member += with("waiting", "true");
  return member + "}";
}

std::string reload_member(const ReloadResult& result) {
  std::string member = std::string("\"reload\":{\"ok\":") + (result.ok ? "true" : "false") +
                       ",\"generation\":" + std::to_string(result.generation);
  if (!result.ok) {
    member += with("file", json_quote(result.file)) + with("line", std::to_string(result.line)) +
              with("message", json_quote(result.message));
  }
  return member + "}";
}

std::string ask_member(const AskRequest& request, std::string_view call) {
  std::string member = "\"ask\":{\"id\":" + json_quote(request.id);
  member += with("call", std::string(call));
  const auto add = [&member](std::string_view key, const std::string& text) {
    member += with(key, json_quote(text));
  };
  add("session", request.session);
  add("tool", request.tool);
  add("effect", request.effect);
  add("reason", request.reason);
  add("rule", request.rule);
  const auto add_list = [&member](std::string_view key, const std::vector<std::string>& list) {
    std::string texts;
    for (const std::string& each : list) texts += (texts.empty() ? "[" : ",") + json_quote(each);
    if (!list.empty()) member += with(key, texts + "]");
  };
  add_list("rules", request.rules);
  if (request.may_approve_rules) member += with("may_approve_rules", "true");
  if (!request.prefix.empty()) add("prefix", request.prefix);
  if (!request.file.empty()) {
    add("file", request.file);
    member += with("line", std::to_string(request.line));
  }
  if (!request.command.empty()) add("command", request.command);
  add_list("commands", request.commands);
  add("subject", request.subject);
  return member + with("arguments", on_one_line(request.arguments)) + "}";
}

std::string input_member(const InputRequest& request, std::string_view call) {
  return "\"input\":{\"id\":" + json_quote(request.id) + with("call", std::string(call)) +
         with("session", json_quote(request.session)) + with("kind", json_quote(request.kind)) +
         with("params", on_one_line(request.params)) + "}";
}

std::string answer_line(std::string_view id, std::string_view member) {
  std::string line = "{";
  if (!id.empty()) line.append("\"id\":").append(id).append(",");
  return line.append(member).append("}");
}

}  // namespace gibbous::cli
