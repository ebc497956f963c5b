// The TOML part of settings_edit.h: replaces or adds lines of one table and leaves every other
// line.
#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "bindings/cli/settings_edit.h"
#include "bindings/cli/toml_statements.h"

namespace gibbous::cli {
namespace {

using Path = std::vector<std::string>;
using Kind = TomlStatement::Kind;

constexpr std::string_view kBehindValue = " \t\r\n#";

bool begins_with(const Path& path, const Path& start) {
  return path.size() >= start.size() && std::equal(start.begin(), start.end(), path.begin());
}

std::string toml_quote(const std::string& text) {
  return Json(text).dump(-1, ' ', false, Json::error_handler_t::replace);  // a basic string of TOML
}

std::string command_line_of(const ServerEntry& entry) {
  return "command = " + toml_quote(entry.command);
}

std::string arguments_line_of(const ServerEntry& entry) {
  std::string line = "args = [";
  for (const std::string& argument : entry.arguments) {
    line += (line.back() == '[' ? "" : ", ") + toml_quote(argument);
  }
  return line + "]";
}

Result<std::vector<TomlStatement>> clear_statements(const std::string& text, const Path& ours) {
  std::optional<std::vector<TomlStatement>> all = toml_statements(text);
  if (!all) return settings_unclear("its TOML is not understood");
  Path table;
  std::size_t headers = 0;
  for (const TomlStatement& each : *all) {
    if (each.kind != Kind::kKey) {
      table = each.path;
      headers += table == ours ? 1 : 0;
      const bool meets = begins_with(table, ours) || begins_with(ours, table);
      if (each.kind == Kind::kTable || !meets) continue;
      return settings_unclear("it has an array of tables in the server's place");
    }
    if (begins_with(table, ours)) continue;
    Path whole = table;
    whole.insert(whole.end(), each.path.begin(), each.path.end());
    if (begins_with(whole, ours) || begins_with(ours, whole)) {
      return settings_unclear("it sets the server without a table of its own");
    }
  }
  if (headers > 1) return settings_unclear("it has the server's table twice");
  return std::move(*all);
}

struct ServerTable {
  std::optional<TomlStatement> header;
  std::vector<TomlStatement> keys;  // of one part
};

Result<ServerTable> server_table(const std::string& text, const Path& ours) {
  Result<std::vector<TomlStatement>> all = clear_statements(text, ours);
  if (!all) return all.status();
  ServerTable found;
  Path table;
  for (const TomlStatement& each : *all) {
    if (each.kind != Kind::kKey) {
      table = each.path;
      if (table == ours) found.header = each;
    } else if (table == ours && each.path.size() == 1) {
      found.keys.push_back(each);
    }
  }
  return found;
}

const TomlStatement* key_of(const ServerTable& server, const std::string& name) {
  const auto found =
      std::find_if(server.keys.begin(), server.keys.end(),
                   [&name](const TomlStatement& each) { return each.path.front() == name; });
  return found == server.keys.end() ? nullptr : &*found;
}

std::string newline_of(const std::string& text) {
  return text.find("\r\n") == std::string::npos ? "\n" : "\r\n";
}

std::string added_at_end(const std::string& text, const Path& ours, const ServerEntry& entry) {
  const std::string line = newline_of(text);
  std::string whole = text;
  if (!whole.empty() && whole.back() != '\n') whole += line;
  if (!whole.empty()) whole += line;
  return whole + "[" + ours.front() + "." + ours.back() + "]" + line + command_line_of(entry) +
         line + arguments_line_of(entry) + line;
}

// Sets one key of a table that is there.
Result<std::string> with_line(std::string text, const Path& ours, const std::string& name,
                              const std::string& wanted) {
  const Result<ServerTable> server = server_table(text, ours);
  if (!server) return server.status();
  const std::string line = newline_of(text);
  const TomlStatement* key = key_of(*server, name);
  if (key == nullptr) {
    const bool ends_line = text[server->header->end - 1] == '\n';
    text.insert(server->header->end, (ends_line ? "" : line) + wanted + line);
    return text;
  }
  const std::size_t behind = key->begin + wanted.size();
  const bool is_so = text.compare(key->begin, wanted.size(), wanted) == 0 &&
                     (behind >= key->end || kBehindValue.find(text[behind]) != kBehindValue.npos);
  if (!is_so) text.replace(key->begin, key->end - key->begin, wanted + line);
  return text;
}

}  // namespace

std::string toml_to_add(const std::string& table, const ServerEntry& entry) {
  return added_at_end("", {table, entry.name}, entry);
}

Result<std::string> set_in_toml(const std::string& text, const std::string& table,
                                const ServerEntry& entry) {
  const Path ours = {table, entry.name};
  const Result<ServerTable> server = server_table(text, ours);
  if (!server) return server.status();
  if (!server->header) return added_at_end(text, ours, entry);
  if (key_of(*server, "url") != nullptr) {
    return settings_unclear("\"" + entry.name +
                            "\" is there already and is no local server; choose another --name");
  }
  Result<std::string> changed = with_line(text, ours, "args", arguments_line_of(entry));
  if (!changed) return changed;
  return with_line(std::move(*changed), ours, "command", command_line_of(entry));
}

Result<std::string> remove_from_toml(const std::string& text, const std::string& table,
                                     const std::string& name) {
  const Path ours = {table, name};
  Result<std::vector<TomlStatement>> all = clear_statements(text, ours);
  if (!all) return all.status();
  std::string kept;
  std::size_t from = 0;
  Path current;
  for (const TomlStatement& each : *all) {
    if (each.kind != Kind::kKey) current = each.path;
    if (!begins_with(current, ours)) continue;
    kept += text.substr(from, each.begin - from);
    from = each.end;
  }
  if (from > 0 && kept.ends_with("\n\n")) kept.pop_back();  // the line that parted it
  kept += text.substr(from);
  return kept;
}

}  // namespace gibbous::cli
