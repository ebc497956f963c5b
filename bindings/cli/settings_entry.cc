#include "bindings/cli/settings_entry.h"

#include <set>
#include <utility>

namespace gibbous::cli {
namespace {

constexpr int kMaxSettingsLevels = 200;
constexpr int kUsualIndent = 2;
constexpr std::string_view kByteOrderMark = "\xEF\xBB\xBF";

Status settings_unclear(const std::string& why) {
  return Status::error("settings_unclear", why);
}

// Fails where writing the value again would lose something: comments, or one of two members with a
// name.
Result<OrderedJson> parse_settings(const std::string& text) {
  if (text.starts_with(kByteOrderMark)) return settings_unclear("it has a byte order mark");
  if (text.find_first_not_of(" \t\r\n") == std::string::npos) return OrderedJson::object();
  std::vector<std::set<std::string>> open;  // the names in each object that is open
  std::string twice;
  bool too_deep = false;
  const auto look = [&](int depth, OrderedJson::parse_event_t event, OrderedJson& value) {
    if (event == OrderedJson::parse_event_t::object_start) open.emplace_back();
    if (event == OrderedJson::parse_event_t::object_end) open.pop_back();
    too_deep = too_deep || depth > kMaxSettingsLevels;
    if (event == OrderedJson::parse_event_t::key && !open.back().insert(value).second) {
      twice = value;
    }
    return !too_deep;
  };
  OrderedJson settings = OrderedJson::parse(text, look, false);
  if (too_deep) return settings_unclear("it nests deeper than settings do");
  if (settings.is_discarded()) return settings_unclear("it is not plain JSON");
  if (!twice.empty()) return settings_unclear("it has two members \"" + twice + '"');
  if (!settings.is_object()) return settings_unclear("it is not a JSON object");
  return settings;
}

// Indented as the text was.
std::string settings_text(const OrderedJson& settings, const std::string& before) {
  int indent = kUsualIndent;
  char with = ' ';
  if (const std::size_t line = before.find('\n'); line != std::string::npos) {
    const std::size_t word = before.find_first_not_of(" \t", line + 1);
    if (word != std::string::npos && word > line + 1 && before[word] == '"') {
      indent = static_cast<int>(word - line - 1);
      with = before[line + 1];
    }
  }
  return settings.dump(indent, with) + "\n";
}

}  // namespace

OrderedJson entry_value(const ServerEntry& entry) {
  OrderedJson value = OrderedJson::object();
  if (entry.typed) value["type"] = "stdio";
  value["command"] = entry.command;
  value["args"] = entry.arguments;
  return value;
}

std::string entry_to_add(const std::string& member, const ServerEntry& entry) {
  return OrderedJson{{member, {{entry.name, entry_value(entry)}}}}.dump(kUsualIndent);
}

Result<std::string> set_entry(const std::string& text, const std::string& member,
                              const ServerEntry& entry) {
  Result<OrderedJson> settings = parse_settings(text);
  if (!settings) return settings.status();
  const OrderedJson before = *settings;
  OrderedJson& servers = (*settings)[member];
  if (servers.is_null()) servers = OrderedJson::object();
  if (!servers.is_object()) return settings_unclear('"' + member + "\" in it is not an object");
  OrderedJson& server = servers[entry.name];
  if (server.is_null()) server = OrderedJson::object();
  if (!server.is_object() || (!server.empty() && !server.contains("command"))) {
    return settings_unclear('"' + entry.name + "\" in it is no local server");
  }
  server.update(entry_value(entry));
  return *settings == before ? text : settings_text(*settings, text);
}

Result<std::string> remove_entry(const std::string& text, const std::string& member,
                                 const std::string& name) {
  Result<OrderedJson> settings = parse_settings(text);
  if (!settings) return settings.status();
  const auto servers = settings->find(member);
  if (servers == settings->end() || !servers->is_object() || servers->erase(name) == 0) return text;
  return settings_text(*settings, text);
}

}  // namespace gibbous::cli
