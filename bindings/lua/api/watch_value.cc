#include "bindings/lua/api/watch_value.h"

#include <utility>
#include <vector>

#include "bindings/lua/check/fields.h"

namespace gibbous::lua {
namespace {

WatchScope scope_of(Fields& fields, bool terminal) {
  const auto scope = fields.choice("scope", {"both", "stdout", "stderr", "screen"});
  if (scope == "screen") {
    if (!terminal) fields.fail("scope: 'screen' needs a run with a terminal: start it with pty");
    return WatchScope::kScreen;
  }
  if (scope == "stdout") return WatchScope::kStdout;
  return scope == "stderr" ? WatchScope::kStderr : WatchScope::kBoth;
}

WatchSpec watcher_of(const FieldPath& place, const Json& value, bool terminal) {
  Fields fields(place, value);
  WatchSpec spec;
  spec.regex = fields.text("regex").value_or("");
  if (spec.regex.empty()) fields.fail("regex", "a regular expression (RE2)", fields.value("regex"));
  spec.event = fields.text("event").value_or("");
  if (spec.event.empty()) fields.fail("event", "a name", fields.value("event"));
  spec.once = fields.flag("once").value_or(false);
  spec.scope = scope_of(fields, terminal);
  const auto lines = [&fields](const char* name) {
    return static_cast<unsigned>(fields.integer(name, 0, kMaxContextLines).value_or(0));
  };
  spec.context_before = lines("context_before");
  spec.context_after = lines("context_after");
  fields.done();
  return spec;
}

// The core counts watchers from 0 and names a field: "watch[0].regex: ...".
[[noreturn]] void fail_as_script(const FieldPath& place, const std::string& message,
                                 std::size_t count) {
  for (std::size_t i = 0; i < count; ++i) {
    for (const char* field : {"regex", "event"}) {
      const std::string prefix = watch_field(i, field);
      if (message.rfind(prefix, 0) != 0) continue;
      throw WrongUse(place.item(i).below(field), message.substr(prefix.size()));
    }
  }
  throw WrongUse(place, message);
}

}  // namespace

std::shared_ptr<const WatchPatterns> parse_watch(const FieldPath& place, const Json& list,
                                                 bool terminal) {
  if (list.is_null() || list.empty()) return nullptr;
  if (!list.is_array()) throw WrongUse(place, "a list of { regex, event }", list);
  if (list.size() > kMaxWatchers) {
    throw WrongUse(place, "at most " + std::to_string(kMaxWatchers) + " watchers", list.size());
  }
  std::vector<WatchSpec> specs;
  for (std::size_t i = 0; i < list.size(); ++i) {
    specs.push_back(watcher_of(place.item(i), list[i], terminal));
  }
  const std::size_t count = specs.size();
  auto patterns = WatchPatterns::compile(std::move(specs));
  if (!patterns) fail_as_script(place, patterns.status().message(), count);
  return std::move(*patterns);
}

}  // namespace gibbous::lua
