#include "bindings/lua/check/sandbox_value.h"

#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <sstream>
#include <string>

#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/schema_check.h"
#include "runtime/output/text.h"
#include "runtime/sandbox/advice.h"
#include "runtime/sandbox/devices.h"
#include "runtime/sandbox/paths.h"
#include "runtime/sandbox/refusal.h"
#include "runtime/sandbox/temporary.h"

namespace gibbous::lua {
namespace {

const std::vector<std::string> kNetworks = {"on", "checked", "loopback", "off"};
const std::vector<std::string> kTemporary = {"machine", "session"};
constexpr std::int64_t kMaxAbi = 1000;
constexpr int kMaxPort = 65535;
constexpr std::size_t kMostPlaces = 1000;  // looked at in a line
constexpr std::size_t kMostFiles = 4;
constexpr std::array kKernelTrees = {"/dev", "/proc", "/sys"};
constexpr int kMaxHostPorts = 64;
constexpr std::size_t kRefusalTailBytes = std::size_t{64} << 10;
constexpr std::uint64_t kAllLines = std::uint64_t{1} << 32;

std::vector<std::string> paths_of(Fields& fields, const char* name,
                                  const PathVariables& variables) {
  std::vector<std::string> paths;
  const auto given = fields.texts(name);
  for (const std::string& path : given.value_or(std::vector<std::string>{})) {
    for (std::string& expanded : expand_path(fields.below(name), path, variables)) {
      if (std::find(paths.begin(), paths.end(), expanded) == paths.end()) {
        paths.push_back(std::move(expanded));
      }
    }
  }
  return paths;
}

// Adds what an entry of a profile means: a shape where it has a '*', else paths.
void add_meant(const FieldPath& place, const std::string& entry, const PathVariables& variables,
               std::vector<std::string>& paths, std::vector<std::string>& shapes) {
  const std::size_t star = entry.find('*');
  const std::size_t slash = entry.rfind('/', star);
  if (star == std::string::npos || slash == std::string::npos) {
    for (std::string& path : expand_path(place, entry, variables)) paths.push_back(std::move(path));
    return;
  }
  for (const std::string& path : expand_path(place, entry.substr(0, slash), variables)) {
    shapes.push_back(path + "/" + entry.substr(slash));
  }
}

// What is granted is granted in the home that runs have; what is protected, in every home of the
// user.
PathVariables granted_places(PathVariables variables) {
  for (const char* name : {"HOME", "RUNTIME", "SSH_AUTH_SOCK"}) {
    const auto found = variables.find(name);
    if (found != variables.end() && found->second.size() > 1) found->second.resize(1);
  }
  variables.try_emplace(kCaches);
  return variables;
}

SandboxNetwork network_of(Fields& fields) {
  const auto name = fields.choice("network", kNetworks);
  if (name == "off") return SandboxNetwork::kOff;
  if (name == "checked") return SandboxNetwork::kChecked;
  return name == "loopback" ? SandboxNetwork::kLoopback : SandboxNetwork::kOn;
}

std::string line_of(const RunSpec& spec) {
  std::string line = spec.command;
  for (const std::string& word : spec.argv) line += word + ' ';
  return line;
}

// What the line names in the temporary directories of the session, and the run has written there.
Json written_files(const Run& run, const std::string& group) {
  Json files = Json::array();
  std::size_t budget = kMostPlaces;
  const std::vector<std::string> around(kTemporaryDirectories.begin(), kTemporaryDirectories.end());
  for (const std::string& path : named_below(line_of(run.spec()), around, budget)) {
    struct stat info {};
    const UniqueFd file = open_temporary(group, path);
    if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) continue;
    const auto changed =
        std::chrono::seconds(info.st_mtim.tv_sec) + std::chrono::nanoseconds(info.st_mtim.tv_nsec);
    const auto at = temporary_path(group, path);
    if (info.st_size == 0 || changed < run.created_at() || !at) continue;
    files.push_back({{"path", to_utf8(path)}, {"at", to_utf8(*at)}});
    if (files.size() == kMostFiles) break;
  }
  return files;
}

// What the line names in the layers of the session, and the run has changed there.
Json changed_settings(const Run& run, const SandboxSpec& spec) {
  constexpr std::string_view kSettings = "/.config";
  Json paths = Json::array();
  std::string line = line_of(run.spec());
  for (const std::string& directory : spec.layered) {
    if (!directory.ends_with(kSettings)) continue;
    const std::string home = directory.substr(0, directory.size() - kSettings.size()) + "/";
    for (const std::string_view name : {"~/", "$HOME/", "${HOME}/"}) {
      for (auto at = line.find(name); at != std::string::npos; at = line.find(name, at)) {
        line.replace(at, name.size(), home);
        at += home.size();
      }
    }
  }
  std::size_t budget = kMostPlaces;
  for (const std::string& path : named_below(line, spec.layered, budget)) {
    for (const std::string& directory : spec.layered) {
      if (path == directory || !is_within(path, directory)) continue;
      if (!has_changed_layer(spec.temporary_group, directory, path, run.created_at())) continue;
      paths.push_back(to_utf8(path));
      break;
    }
    if (paths.size() == kMostFiles) break;
  }
  return paths;
}

}  // namespace

std::vector<std::string> expand_path(const FieldPath& place, const std::string& path,
                                     const PathVariables& variables) {
  if (path.empty() || (path.front() != '/' && path.front() != '$' && path.front() != '~')) {
    throw WrongUse(place, "a path that begins with '/', '~/' or a variable", path);
  }
  if (path.front() == '/') return {path};
  const std::size_t slash = std::min(path.find('/'), path.size());
  const std::string name = path.front() == '~' ? "HOME" : path.substr(1, slash - 1);
  const auto variable = variables.find(name);
  if ((path.front() == '~' && slash != 1) || variable == variables.end()) {
    std::string known;
    for (const auto& [each, places] : variables) known += (known.empty() ? "$" : ", $") + each;
    throw WrongUse(place, "there is no variable in '" + path + "'; known are " + known);
  }
  std::vector<std::string> paths;
  for (const std::string& each : variable->second) paths.push_back(each + path.substr(slash));
  return paths;
}

Json sandbox_request(const FieldPath& place, const Json& value) {
  static const auto check = *SchemaCheck::compile(sandbox_schema(""));
  if (value.is_null()) return nullptr;
  if (value.is_string()) return checked_fields(place, *check, {{"profile", value}});
  if (!value.is_object()) throw WrongUse(place, "the name of a profile or a table", value);
  return checked_fields(place, *check, value);
}

bool restricts(const Json& request) {
  if (!request.is_object()) return false;
  return request.value("profile", "none") != "none" || request.value("network", "on") != "on" ||
         request.value("min_landlock_abi", 0) != 0;
}

Json sandbox_schema(const std::string& description) {
  return {{"type", "object"},
          {"properties",
           {{"profile",
             {{"type", "string"},
              {"minLength", 1},
              {"default", "none"},
              {"description", "none, workspace, readonly, or one of your policies' own"}}},
            {"network",
             {{"type", "string"},
              {"enum", kNetworks},
              {"default", "on"},
              {"description",
               "on, checked (without others' services on this machine's loopback), "
               "loopback (one of the session's own), off"}}},
            {"host_ports",
             {{"type", "array"},
              {"items", {{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxPort}}},
              {"maxItems", kMaxHostPorts},
              {"description", "ports of this machine's loopback that can be reached"}}},
            {"min_landlock_abi",
             {{"type", "integer"},
              {"minimum", 0},
              {"maximum", kMaxAbi},
              {"default", 0},
              {"description", "no run starts where the kernel has less"}}}}},
          {"additionalProperties", false},
          {"description", description}};
}

SandboxSpec parse_sandbox(const FieldPath& place, const Json& value,
                          const PathVariables& variables) {
  if (!value.is_object()) {
    throw WrongUse(place, "a table", value);
  }
  Fields fields(place, value);
  SandboxSpec spec;
  spec.profile = fields.text("profile").value_or("");
  if (spec.profile.empty()) fields.fail("profile", "a name", fields.value("profile"));
  spec.network = network_of(fields);
  const PathVariables granted = granted_places(variables);
  spec.read = paths_of(fields, "read", granted);
  spec.write = paths_of(fields, "write", granted);
  const auto meant = [&](const char* name, auto& paths, auto& shapes) {
    const auto given = fields.texts(name);
    for (const std::string& entry : given.value_or(std::vector<std::string>{})) {
      add_meant(fields.below(name), entry, variables, paths, shapes);
    }
  };
  meant("unreadable", spec.unreadable, spec.shapes);
  meant("visible", spec.visible, spec.visible);
  spec.views = paths_of(fields, "views", variables);
  for (std::string& path : spec.unreadable) {
    if (path.size() < 2 || path.back() != '/') continue;
    path.pop_back();
    spec.claimed.push_back(path);
  }
  spec.unwritable = paths_of(fields, "unwritable", variables);
  spec.pinned = paths_of(fields, "pinned", variables);
  spec.occupied = paths_of(fields, "occupied", variables);
  const std::vector<std::string> opened = paths_of(fields, "opened", variables);
  const auto holds_one = [&opened](std::string_view path) {
    if (path.ends_with('/')) path.remove_suffix(1);
    return std::any_of(opened.begin(), opened.end(),
                       [path](const std::string& each) { return is_within(each, path); });
  };
  std::erase_if(spec.unwritable, [&opened](const std::string& path) {
    return std::find(opened.begin(), opened.end(), path) != opened.end();
  });
  std::erase_if(spec.occupied, holds_one);
  spec.layered = paths_of(fields, "layered", granted);
  spec.own_temporary = fields.choice("temporary", kTemporary) == "session";
  spec.copied = fields.flag("copied").value_or(false);
  spec.signs = fields.flag("signs").value_or(false);
  const Json& ports = fields.value("host_ports");
  for (const Json& port : ports.is_array() ? ports : Json::array()) {
    if (!port.is_number_integer() || port < 1 || port > kMaxPort) {
      fields.fail("host_ports", "a list of ports", port);
    }
    spec.host_ports.push_back(port.get<std::uint16_t>());
  }
  if (const auto abi = fields.integer("min_landlock_abi", 0, kMaxAbi)) {
    spec.min_landlock_abi = static_cast<std::uint32_t>(*abi);
  }
  fields.done();
  return spec;
}

Json sandbox_value(const Run& run) {
  const auto& spec = run.spec().sandbox;
  if (!spec) return nullptr;
  Json value = {{"profile", spec->profile}, {"network", to_string(spec->network)}};
  if (!spec->host_ports.empty()) value["host_ports"] = spec->host_ports;
  if (!run.spec().withheld_env.empty()) value["withheld"] = run.spec().withheld_env;
  if (run.pid() == 0) return value;
  const SandboxReport& report = run.sandbox_report();
  value["landlock_abi"] = report.landlock_abi;
  value["mount_namespace"] = report.mount_namespace;
  value["network_namespace"] = report.network_namespace;
  value["seccomp"] = report.seccomp;
  value["unprotected"] = report.unprotected;
  if (!report.caches.empty()) value["caches"] = report.caches;
  if (spec->copied) value["copied"] = true;
  if (!report.copies.empty()) value["copies"] = report.copies;
  if (!report.thrown_away.empty()) value["thrown_away"] = to_utf8(report.thrown_away);
  if (!spec->left_out.empty()) value["left_out"] = spec->left_out;
  if (report.mount_namespace && !spec->temporary_group.empty()) {
    value["temporary"] =
        temporary_path(spec->temporary_group, kTemporaryDirectories[0]).value_or("");
    if (has_ended(run.state())) {
      value["files"] = written_files(run, spec->temporary_group);
      value["settings"] = changed_settings(run, *spec);
    }
  }
  return value;
}

Json refusals_value(const Run& run, const std::string& workspace) {
  Json list = Json::array();
  const auto& spec = run.spec().sandbox;
  if (!spec) return list;
  SandboxSpec profile = *spec;
  if (!run.sandbox_report().copies.empty()) profile.write.clear();
  const std::string& cwd = run.spec().cwd;
  const std::string directory =
      cwd.empty() ? workspace : (cwd.front() == '/' ? cwd : workspace + "/" + cwd);
  std::istringstream refused(run.sandbox_report().refused);
  for (std::string address; refused >> address;) {
    Json entry = {{"what", "port"},
                  {"path", address.substr(address.rfind(':') + 1)},
                  {"line", "connect " + address},
                  {"profile", spec->profile}};
    if (!address.starts_with("127.") && !address.starts_with("[::1]")) {
      entry["what"] = "other";
      entry["way_out"] = "link-local addresses and cloud metadata are not reached: " + address;
    }
    list.push_back(std::move(entry));
  }
  std::string output;
  for (const StreamId id : {StreamId::kStderr, StreamId::kStdout}) {
    const std::string text = clean(run.stream(id).tail(kAllLines, kRefusalTailBytes).bytes);
    output += text + '\n';
    for (const Refusal& refusal : find_refusals(profile, directory, text)) {
      if (refusal.may_be_own && run.state() == RunState::kCompleted) continue;
      Json entry = {
          {"what", to_string(refusal.kind)}, {"line", refusal.line}, {"profile", spec->profile}};
      if (!refusal.path.empty()) entry["path"] = to_utf8(refusal.path);
      // A person is never asked for these.
      const bool is_kernels = is_within_any(refusal.path, kKernelTrees);
      if (is_kernels && !may_be_granted(refusal.path)) entry["never"] = true;
      if (is_within_any(refusal.path, spec->layered)) entry["cache"] = true;
      list.push_back(std::move(entry));
    }
  }
  if (!has_ended(run.state())) return list;
  const std::string line = line_of(run.spec());
  const bool failed = run.state() == RunState::kFailed;
  const EndedProgram ended{line, output, failed, run.sandbox_report().mount_namespace};
  for (const Advice& advice : find_advice(*spec, ended)) {
    const auto is_said = [&advice](const Json& entry) { return entry["line"] == advice.line; };
    if (!advice.adds) list.erase(std::remove_if(list.begin(), list.end(), is_said), list.end());
    list.push_back({{"what", "other"},
                    {"line", advice.line},
                    {"profile", spec->profile},
                    {"way_out", advice.way_out}});
  }
  return list;
}

}  // namespace gibbous::lua
