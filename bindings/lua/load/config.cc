#include "bindings/lua/load/config.h"

#include <algorithm>
#include <filesystem>
#include <lua.hpp>

#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/schema_check.h"
#include "bindings/lua/load/config_fields.h"
#include "bindings/lua/source/snapshot.h"
#include "bindings/lua/vm/state.h"
#include "runtime/wait/http_url.h"

namespace gibbous::lua {
namespace {

constexpr Nanos kConfigBudget{250'000'000};
constexpr std::size_t kMaxTokenNameBytes = 64;
// Names of tokens are part of the names of sessions, and of lines of the log.
constexpr const char* kTokenName =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789_-";

Status config_invalid(const std::string& message) {
  return Status::error("config_invalid", message);
}

// The schema documents defaults; checking must not fill them in, or "not said" would be lost.
void drop_defaults(Json* schema) {
  if (!schema->is_object()) return;
  schema->erase("default");
  if (!schema->contains("properties")) return;
  for (auto& [name, property] : (*schema)["properties"].items()) drop_defaults(&property);
}

// Makes the paths of a checked table start at `directory`.
void place_paths(const Json& schema, const std::filesystem::path& directory, Json* value) {
  if (schema.is_object() && schema.contains("x-path")) {
    const bool is_command = value->is_array();
    Json& path = is_command ? value->front() : *value;
    const auto written = path.get<std::string>();
    if (is_command && written.find('/') == std::string::npos) return;
    path = (directory / written).lexically_normal().string();
  }
  if (!value->is_object() || !schema.is_object()) return;
  const Json properties = schema.value("properties", Json::object());
  const Json rest = schema.value("additionalProperties", Json());
  for (auto& [name, each] : value->items()) {
    place_paths(properties.value(name, rest), directory, &each);
  }
}

// Checks what no schema says.
Status check_relations(const Config& config) {
  if (const std::string url = config.text("asks.notify.webhook"); !url.empty()) {
    const auto parsed = HttpUrl::parse(url);
    if (!parsed) return config_invalid("asks.notify.webhook: " + parsed.status().message());
  }
  for (const auto& [name, secret] : config.get<Json::object_t>("secrets")) {
    if (secret.size() == 1) continue;
    return config_invalid("secrets." + name +
                          ": expected one of env (a variable), file (a path) and command (a list)");
  }
  for (const auto& [name, token] : config.get<Json::object_t>("mcp.tokens")) {
    const std::string place = "mcp.tokens." + name;
    if (name.empty() || name.size() > kMaxTokenNameBytes ||
        name.find_first_not_of(kTokenName) != std::string::npos) {
      return config_invalid(place + ": expected a name of 1 to 64 letters, digits, _ and -");
    }
    if (token.contains("file") == token.contains("sha256")) {
      return config_invalid(place +
                            ": expected one of file (a path) and sha256 (what 'sha256sum' says of "
                            "the token)");
    }
  }
  return {};
}

// Sets the numbers that a part of a runtime has.
template <auto kPart, typename Part>
void put_numbers(const Config& config, Part* part) {
  Tuning tuning;
  tuning.*kPart = *part;
  for (const ConfigField& field : config_fields()) {
    const Json* value = field.number ? config.find(field.name) : nullptr;
    if (value != nullptr) field.number->set(tuning, value->get<double>());
  }
  *part = tuning.*kPart;
}

std::string name_of_variable(const std::string& variable) {
  return variable.substr(0, variable.find('='));
}

}  // namespace

Result<std::string> read_config_text(const std::string& path) {
  std::string text;
  FileStamp stamp;
  if (Status status = read_source(path, &text, &stamp); !status) {
    return config_invalid(path + ": " + status.message());
  }
  if (!stamp.exists) return config_invalid(path + ": no such configuration file");
  return text;
}

// Runs the file in a state of its own and returns its table; null when it returns none.
static Result<Json> run_file(const std::string& path, const std::string& text, const Clock& clock) {
  auto state = State::create({MemoryLimits{}, &clock});
  if (!state) return state.status();
  Json value;
  ScriptError error;
  bool compiled = false;
  BudgetLimits limits;
  limits.total = kConfigBudget;
  limits.processor = true;
  const bool ran = (*state)->protect(
      limits,
      [&](lua_State* lua) {
        compiled = load_chunk(lua, text, path);
        if (!compiled) {
          const char* message = lua_tostring(lua, -1);
          (*state)->locate(message == nullptr ? "" : message, &error);
          return;
        }
        lua_call(lua, 0, 1);
        if (lua_istable(lua, -1)) value = to_json(lua, -1);
      },
      &error);
  if (!ran || !compiled) {
    if (error.file.empty()) error.file = path;
    return config_invalid(error.text());
  }
  return value;
}

Result<Json> load_table(const std::string& path, const std::string& text, const Clock& clock) {
  Result<Json> value = run_file(path, text, clock);
  if (value && value->is_null()) return config_invalid(path + ": must return a table");
  return value;
}

Result<Json> read_config_table(const std::string& path, const std::string& text,
                               const Clock& clock) {
  Result<Json> value = run_file(path, text, clock);
  if (!value) return value;
  if (!value->is_object()) {
    return config_invalid(path + ": must return a table of settings: return { mode = 'auto' }");
  }
  Json schema = config_schema();
  drop_defaults(&schema);
  const auto check = SchemaCheck::compile(schema, {"", 1});
  if (!check) return check.status();
  Status good = (*check)->apply(*value);
  if (good) good = check_relations({*value});
  if (!good) return config_invalid(path + ": " + good.message());
  place_paths(schema, std::filesystem::path(path).parent_path(), &*value);
  return value;
}

const Json* Config::find(std::string_view field) const {
  const Json* at = &table;
  while (!field.empty()) {
    const std::size_t end = std::min(field.find('.'), field.size());
    const auto found = at->find(std::string(field.substr(0, end)));
    if (found == at->end()) return nullptr;
    at = &*found;
    field.remove_prefix(std::min(end + 1, field.size()));
  }
  return at;
}

std::map<std::string, ClientToken> Config::client_tokens() const {
  std::map<std::string, ClientToken> tokens;
  for (const auto& [name, token] : get<Json::object_t>("mcp.tokens")) {
    tokens[name] = {token.value("file", ""),      token.value("sha256", ""),
                    token.value("mode", ""),      token.value("workspace", ""),
                    token.value("session", name), token.value("approver", "client")};
  }
  return tokens;
}

std::map<std::string, SecretSource> Config::take_secrets(const std::vector<std::string>& own,
                                                         std::vector<std::string>* env) const {
  std::map<std::string, SecretSource> all;
  std::vector<std::string> taken;
  for (const auto& [name, secret] : get<Json::object_t>("secrets")) {
    SecretSource& source = all[name];
    source.variable = secret.value("env", "");
    source.file = secret.value("file", "");
    source.command = secret.value("command", std::vector<std::string>{});
    if (source.variable.empty()) continue;
    taken.push_back(source.variable);
    // Gibbous's own comes last, and counts.
    for (const std::vector<std::string>* each :
         {static_cast<const std::vector<std::string>*>(env), &own}) {
      for (const std::string& variable : *each) {
        if (!variable.starts_with(source.variable + "=")) continue;
        source.value = variable.substr(source.variable.size() + 1);
      }
    }
  }
  std::erase_if(*env, [&taken](const std::string& variable) {
    return std::find(taken.begin(), taken.end(), name_of_variable(variable)) != taken.end();
  });
  return all;
}

void Config::apply_runs(RunsOptions& options) const {
  put_numbers<&Tuning::runs>(*this, &options.limits);
  if (const Json* limits = find("limits.run"); limits != nullptr) {
    options.limits.run = parse_limits("limits.run", *limits);
  }
  options.shell = text("shell", options.shell);
  const auto set = get<std::map<std::string, std::string>>("env");
  const auto unset = get<std::vector<std::string>>("unset_env");
  std::erase_if(options.env, [&](const std::string& variable) {
    const std::string name = name_of_variable(variable);
    return set.count(name) != 0 || std::find(unset.begin(), unset.end(), name) != unset.end();
  });
  for (const auto& [name, value] : set) options.env.push_back(name + "=" + value);
  const std::string directory = text("temp_directory");
  if (directory.empty()) return;
  std::erase_if(options.env, [](const std::string& each) { return each.starts_with("TMPDIR="); });
  options.env.push_back("TMPDIR=" + std::filesystem::absolute(directory).string());
}

std::vector<std::string> Config::caches_in(const std::string& home) const {
  auto all =
      get("caches.directories",
          config_field("caches.directories").shape["default"].get<std::vector<std::string>>());
  std::erase_if(all, [&home](std::string& each) {
    if (each.front() == '~' && !home.empty()) each = home + each.substr(1);
    return each.front() != '/';
  });
  return all;
}

void Config::apply_recording(RecordingOptions& options, WorkerOptions& worker) const {
  put_numbers<&Tuning::journal>(*this, &options.journal);
  put_numbers<&Tuning::recorder>(*this, &options.recorder);
  put_numbers<&Tuning::queue>(*this, &worker.limits);
  worker.requeue = text("journal.recovery") == "requeue";
  if (const Json* labels = find("limits.max_concurrent_of_label"); labels != nullptr) {
    labels->get_to(worker.limits.max_of_label);
  }
}

void Config::apply_asks(AskSettings& settings) const {
  put_numbers<&Tuning::asks>(*this, &settings);
  settings.command = get<std::vector<std::string>>("asks.notify.command");
  settings.webhook = text("asks.notify.webhook");
  if (settings.command.empty() || settings.command.front().find('/') == std::string::npos) return;
  settings.command.front() = std::filesystem::absolute(settings.command.front()).string();
}

void Config::apply_lua(EngineLimits& limits, MemoryLimits& memory) const {
  put_numbers<&Tuning::engine>(*this, &limits);
  put_numbers<&Tuning::memory>(*this, &memory);
}

}  // namespace gibbous::lua
