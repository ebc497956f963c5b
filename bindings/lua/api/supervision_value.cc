#include "bindings/lua/api/supervision_value.h"

#include "bindings/json/text.h"
#include "bindings/lua/api/run_value.h"
#include "bindings/lua/api/wait_value.h"
#include "bindings/lua/check/fields.h"

namespace gibbous::lua {
namespace {

std::optional<RestartPolicy> restart_of(Fields& fields) {
  const Json& value = fields.value("restart");
  if (value.is_null()) return std::nullopt;
  if (value.is_boolean()) return value.get<bool>() ? std::optional(RestartPolicy{}) : std::nullopt;
  if (!value.is_object() && !(value.is_array() && value.empty())) {
    fields.fail("restart", "true, or a table with on_failure, max and backoff_ms", value);
  }
  Fields each(fields.below("restart"), value);
  RestartPolicy policy;
  policy.on_failure = each.flag("on_failure").value_or(true);
  if (const auto max = each.integer("max", 1, kMostRestarts)) {
    policy.max = static_cast<std::uint32_t>(*max);
  }
  if (const auto backoff = each.integer("backoff_ms", 0, kLongestBackoff.count())) {
    policy.backoff = Millis{*backoff};
  }
  each.done();
  return policy;
}

std::optional<WaitSpec> ready_of(Fields& fields) {
  const Json& value = fields.value("ready");
  if (value.is_null()) return std::nullopt;
  WaitSpec spec = parse_wait(value, kThisRun, fields.below("ready"));
  check_conditions(spec, fields.below("ready"));
  return spec;
}

// Reads ids, labels or handles.
std::vector<std::string> after_of(Fields& fields) {
  const Json& value = fields.value("after");
  std::vector<std::string> after;
  if (value.is_null()) return after;
  const auto wrong = [&fields](const Json& got) {
    fields.fail("after", "a list of runs, by their ids, handles or labels", got);
  };
  if (!value.is_array()) wrong(value);
  if (value.size() > kMostBefore) fields.fail("after", "at most 32 of them", value.size());
  for (const Json& each : value) {
    const Json& id = each.is_object() && each.contains("id") ? each["id"] : each;
    if (!id.is_string()) wrong(each);
    after.push_back(id.get<std::string>());
  }
  return after;
}

}  // namespace

SupervisionRequest parse_supervision(Fields& fields, bool takes_after) {
  SupervisionRequest request;
  request.restart = restart_of(fields);
  request.ready = ready_of(fields);
  if (takes_after) request.after = after_of(fields);
  return request;
}

std::string write_deferred_start(const CallSpec& start) {
  const Json value = {{"tool", start.tool},         {"session", start.session},
                      {"client", start.client},     {"start", start.values},
                      {"approved", start.approved}, {"approved_command", start.approved_command}};
  return to_text(value);
}

CallSpec read_deferred_start(const std::string& text) {
  const Json value = Json::parse(text);
  CallSpec start;
  start.tool = value["tool"];
  start.session = value["session"];
  start.client = value["client"];
  start.values = value["start"];
  start.approved = value["approved"];
  start.approved_command = value["approved_command"];
  return start;
}

}  // namespace gibbous::lua
