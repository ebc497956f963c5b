// See log_text.h.
#include "bindings/mcp/log_text.h"

#include "bindings/json/member.h"
#include "bindings/mcp/json.h"

namespace gibbous::mcp {

std::string log_text(const Event& event) {
  const bool is_log = event.name == "log";
  if (!is_log && event.name != "reload_failed" && event.name != "keeper_lost") return {};
  const Parsed parsed = parse_json(event.json);
  if (!parsed.value.is_object()) return {};
  const auto text = [&parsed](const char* name) { return text_member(parsed.value, name); };
  if (is_log) return text("level") + ": " + text("message");
  if (event.name == "keeper_lost") return "the keeper has died: " + text("message");
  const auto line = parsed.value.find("line");
  const std::string place = text("file").empty() || line == parsed.value.end()
                                ? ""
                                : text("file") + ":" + to_text(*line) + ": ";
  return "reload failed, the old scripts stay: " + place + text("message");
}

}  // namespace gibbous::mcp
