#include "bindings/lua/load/config_layers.h"

#include <algorithm>
#include <map>
#include <optional>
#include <utility>

#include "bindings/lua/load/config_fields.h"
#include "bindings/lua/source/source_index.h"
#include "runtime/audit/redact.h"
#include "runtime/base/nearest.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxValueBytes = 200;
constexpr std::size_t kMaxListBytes = 2000;
constexpr const char* kDefaultMode = "default";

using FieldName = std::vector<std::string>;

constexpr const char* kProjectFields = "limits, sandbox, modes, unset_env and kill_on_session_end";

std::string joined(const FieldName& field) {
  std::string name;
  for (const std::string& part : field) name += (name.empty() ? "" : ".") + part;
  return name;
}

std::size_t place_in(const std::vector<std::string>& list, const Json& value) {
  const auto found =
      std::find(list.begin(), list.end(), value.is_string() ? value.get<std::string>() : "");
  return static_cast<std::size_t>(found - list.begin());
}

bool is_part(const Json& part, const Json& of) {
  return std::all_of(part.begin(), part.end(), [&of](const Json& each) {
    return std::find(of.begin(), of.end(), each) != of.end();
  });
}

// Whether `value` is at least as tight as `bound`.
bool is_within(const ConfigField& order, const Json& value, const Json& bound, bool lists_modes) {
  if (value == bound) return true;
  switch (order.order) {
    case Order::kLocked:
      return false;
    case Order::kSmaller:
      return value <= bound;
    case Order::kSmallerNot0:
      return bound == 0 || (value != 0 && value <= bound);
    case Order::kLarger:
      return value >= bound;
    case Order::kTrue:
      return value == true;
    case Order::kLaterOf: {
      const std::size_t at = place_in(order.from_loosest, value);
      return at < order.from_loosest.size() && at >= place_in(order.from_loosest, bound);
    }
    case Order::kFewer:
      return is_part(value, bound);
    case Order::kUnion:
      return true;
    case Order::kMode:
      return lists_modes;
  }
  return false;
}

Json united(const Json& one, const Json& other) {
  Json all = one;
  for (const Json& each : other) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  return all;
}

std::string fix_of(const ConfigField& order, const std::string& bound) {
  switch (order.order) {
    case Order::kSmaller:
    case Order::kSmallerNot0:
      return "Remove it, or write at most " + bound + ".";
    case Order::kLarger:
      return "Remove it, or write at least " + bound + ".";
    case Order::kFewer:
      return "Remove it, or name some of " + bound + ".";
    case Order::kLaterOf:
      return "Remove it, or write what is at least as strict as " + bound + ".";
    case Order::kLocked:
    case Order::kTrue:
    case Order::kUnion:
    case Order::kMode:
      return "Remove it.";
  }
  return "";
}

std::string cut(std::string text, std::size_t most = kMaxValueBytes) {
  if (text.size() > most) text = text.substr(0, most) + "...";
  return text;
}

std::string shown(const FieldName& field, const Json& given) {
  constexpr auto kReplace = Json::error_handler_t::replace;
  Json value = given;
  // With the hash of a token, words can be tried out.
  if (field.front() == "mcp" && value.is_object() && value.contains("sha256")) {
    value["sha256"] = "***";
  }
  const std::string text = value.dump(-1, ' ', false, kReplace);
  if (field.front() == "secrets") return "\"***\"";
  if (field.front() != "env" || !value.is_string() || field.size() < 2) {
    return cut(redact_secrets(text), value.is_array() ? kMaxListBytes : kMaxValueBytes);
  }
  // The name says what is secret.
  const std::string line = field[1] + "=" + value.get<std::string>();
  const std::string safe = redact_secrets(line);
  return safe == line ? cut(text) : "\"***\"";
}

// Calls `each` with every field of a table; those of tables with names of one's own are fields,
// too.
template <typename Each>
void for_each_field(const Json& table, const Json& schema, const FieldName& prefix,
                    const Each& each) {
  for (const auto& [name, value] : table.items()) {
    FieldName field = prefix;
    field.push_back(name);
    const Json properties = schema.value("properties", Json::object());
    const Json below = properties.value(name, Json::object());
    const bool is_section = value.is_object() && (below.contains("properties") ||
                                                  below.contains("additionalProperties"));
    if (is_section) {
      for_each_field(value, below, field, each);
    } else {
      each(field, value);
    }
  }
}

Json* place_of(Json* table, const FieldName& field) {
  Json* at = table;
  for (const std::string& part : field) at = &(*at)[part];
  return at;
}

// The default of a field in the schema, or null.
Json default_of(const Json& schema, const FieldName& field) {
  const Json* at = &schema;
  for (const std::string& part : field) {
    const auto properties = at->find("properties");
    if (properties == at->end() || !properties->contains(part)) return nullptr;
    at = &properties->at(part);
  }
  return at->value("default", Json());
}

class Merger {
 public:
  explicit Merger(const Clock& clock) : clock_(clock), schema_(config_schema()) {}

  Status add(const LayerText& layer) {
    Json table = layer.table;
    if (table.is_null()) {
      auto read = read_config_table(layer.path, layer.text, clock_);
      if (!read) return read.status();
      table = std::move(*read);
    }
    const SourceIndex sources({{layer.path, layer.text, ""}});
    const bool lists_modes = table.contains("modes");
    Status problem;
    for_each_field(table, schema_, {}, [&](const FieldName& field, const Json& value) {
      if (problem) problem = take(layer, sources, field, value, lists_modes);
    });
    if (layer.layer == ConfigLayer::kManaged) {
      made_.managed_judges = lists_modes || table.contains("mode") || table.contains("sandbox") ||
                             table.contains("policies");
    }
    return problem;
  }

  Result<LayeredConfig> finish() {
    for (auto& [name, held] : held_) {
      made_.values.push_back({name, shown(held.field, held.value), held.place});
      *place_of(&made_.config.table, held.field) = held.value;
    }
    if (Status status = check_mode(); !status) return status;
    if (Status status = check_tokens(); !status) return status;
    return std::move(made_);
  }

 private:
  struct Held {
    FieldName field;
    Json value;
    ConfigPlace place;
  };
  struct Bound {
    Json value;
    ConfigPlace place;
    bool lists_modes = false;
  };

  Status take(const LayerText& layer, const SourceIndex& sources, const FieldName& field,
              const Json& value, bool lists_modes) {
    const std::string name = joined(field);
    const ConfigField& order = config_field(name);
    const ConfigPlace place = place_of_field(layer, sources, field);
    const bool of_project = layer.layer == ConfigLayer::kProject;
    if (of_project && !order.of_projects) {
      made_.refused.push_back({name,
                               shown(field, value),
                               place,
                               {},
                               name + " in " + place.text() +
                                   " is not used: a project may set only " + kProjectFields +
                                   ". Put it into your own configuration if you want it."});
      return {};
    }
    const std::optional<Bound> bound = bound_of(field, name, order, of_project);
    if (bound && !is_within(order, value, bound->value, bound->lists_modes)) {
      return refuse(layer, field, value, place, *bound, order);
    }
    Held& held = held_[name];
    const bool unites = order.order == Order::kUnion && held.value.is_array();
    held = {field, unites ? united(held.value, value) : value, place};
    if (layer.layer == ConfigLayer::kManaged) {
      bounds_[name] = {value, place, lists_modes};
      made_.managed_fields.push_back(name);
    }
    return {};
  }

  // What a value must be within: the managed one and, for a project, whatever is in force.
  std::optional<Bound> bound_of(const FieldName& field, const std::string& name,
                                const ConfigField& order, bool of_project) const {
    if (of_project) {
      const auto held = held_.find(name);
      if (held != held_.end()) return Bound{held->second.value, held->second.place};
      const Json usual = default_of(schema_, field);
      if (!usual.is_null() && order.order != Order::kFewer) return Bound{usual, {}};
      return std::nullopt;
    }
    const auto managed = bounds_.find(name);
    return managed == bounds_.end() ? std::nullopt : std::optional(managed->second);
  }

  Status refuse(const LayerText& layer, const FieldName& field, const Json& value,
                const ConfigPlace& place, const Bound& bound, const ConfigField& order) {
    const std::string name = joined(field);
    const bool is_default = bound.place.layer == ConfigLayer::kDefault;
    const bool locked = order.order == Order::kLocked || order.order == Order::kMode;
    const std::string limit = shown(field, bound.value);
    const std::string message =
        name + ": " + shown(field, value) + " (" + place.text() + ") " +
        (locked ? "is not used: " : "is looser than ") +
        (is_default ? "the default, " + limit
                    : (locked ? bound.place.text() + " sets " + limit
                              : limit + ", which " + bound.place.text() + " sets")) +
        (locked ? ", and nothing below changes it. " : ", which stays in force. ") +
        fix_of(order, limit);
    if (layer.layer == ConfigLayer::kOptions) return refused(message);
    made_.refused.push_back({name, shown(field, value), place, bound.place, message});
    return {};
  }

  static ConfigPlace place_of_field(const LayerText& layer, const SourceIndex& sources,
                                    const FieldName& field) {
    ConfigPlace place{layer.layer, layer.path, 0};
    for (const std::string& part : field) {
      const SourcePlace found = sources.find_key(part, layer.path, place.line);
      if (found.line != 0) place.line = found.line;
    }
    return place;
  }

  static bool lists(const std::vector<std::string>& modes, const std::string& mode) {
    return std::find(modes.begin(), modes.end(), mode) != modes.end();
  }

  // "is not among the modes that FILE:LINE allows: plan, ci. Use one of them"
  std::string not_among_modes(const std::vector<std::string>& modes) const {
    return " is not among the modes that " + held_.at("modes").place.text() +
           " allows: " + comma_list(modes) + ". Use one of them";
  }

  Status check_mode() {
    const auto modes = made_.config.get<std::vector<std::string>>("modes");
    if (modes.empty()) return {};
    const std::string mode = made_.config.text("mode");
    if (mode.empty()) {
      made_.config.table["mode"] = lists(modes, kDefaultMode) ? kDefaultMode : modes.front();
      return {};
    }
    if (lists(modes, mode)) return {};
    return refused("mode: '" + mode + "' (" + held_.at("mode").place.text() + ")" +
                   not_among_modes(modes) + ", as in --mode " + modes.front() + ".");
  }

  // Each token has a session of its own, and a mode that the server itself may have.
  Status check_tokens() {
    const auto bound = bounds_.find("mode");
    const bool locked = bound != bounds_.end() && !bound->second.lists_modes;
    const auto modes = made_.config.get<std::vector<std::string>>("modes");
    std::map<std::string, std::string> sessions;
    for (const auto& [name, token] : made_.config.client_tokens()) {
      const std::string field = "mcp.tokens." + name;
      const std::string place = " (" + held_.at(field).place.text() + ")";
      if (const auto [other, is_first] = sessions.emplace(token.session, field); !is_first) {
        return refused(field + ".session: '" + token.session + "'" + place + " is the session of " +
                       other->second + ", too. Name another one.");
      }
      if (token.mode.empty()) continue;
      const std::string said = field + ".mode: '" + token.mode + "'" + place;
      if (locked && bound->second.value != token.mode) {
        return refused(said + " is not used: " + bound->second.place.text() + " sets " +
                       bound->second.value.dump() + ", and nothing below changes it. Remove it.");
      }
      if (modes.empty() || lists(modes, token.mode)) continue;
      return refused(said + not_among_modes(modes) + ".");
    }
    return {};
  }

  static Status refused(const std::string& why) { return Status::error("config_refused", why); }

  const Clock& clock_;
  const Json schema_;
  std::map<std::string, Held> held_;     // in force, by name
  std::map<std::string, Bound> bounds_;  // of the managed layer
  LayeredConfig made_;
};

}  // namespace

const char* name_of(ConfigLayer layer) {
  switch (layer) {
    case ConfigLayer::kDefault:
      return "default";
    case ConfigLayer::kManaged:
      return "managed";
    case ConfigLayer::kUser:
      return "user";
    case ConfigLayer::kProject:
      return "project";
    case ConfigLayer::kOptions:
      return "command line";
  }
  return "";
}

std::string ConfigPlace::text() const {
  if (file.empty()) return layer == ConfigLayer::kOptions ? "the command line" : name_of(layer);
  return line == 0 ? file : file + ":" + std::to_string(line);
}

Result<LayeredConfig> merge_layers(const std::vector<LayerText>& layers, const Clock& clock) {
  Merger merger(clock);
  for (const LayerText& layer : layers) {
    if (Status status = merger.add(layer); !status) return status;
  }
  return merger.finish();
}

}  // namespace gibbous::lua
