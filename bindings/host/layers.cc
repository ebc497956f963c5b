#include "bindings/host/layers.h"

#include <sys/stat.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <utility>

#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "bindings/lua/policy/policy_program.h"
#include "bindings/lua/policy/policy_reader.h"
#include "bindings/lua/source/snapshot.h"
#include "runtime/base/sha256.h"
#include "runtime/paths/in_time.h"
#include "runtime/paths/mount_types.h"
#include "runtime/paths/patience.h"
#include "runtime/trust/root_owned.h"

namespace gibbous::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kConfigName = "config.lua";
constexpr const char* kManagedPlace = "<managed>/";
constexpr const char* kProjectPlace = "<project>/";
constexpr const char* kUnknownProfile = "unknown_profile";

struct OwnedFiles {
  std::map<std::string, std::string> texts;
  lua::MemoryFiles files;
};

void add_files(const trust::Tree& tree, const std::string& place, OwnedFiles* into) {
  for (const trust::TreeFile& file : tree.files) {
    const auto& [path, text] = *into->texts.insert_or_assign(place + file.name, file.bytes).first;
    into->files[path] = text;
  }
}

void watch(const trust::Tree& tree, std::vector<lua::MonitoredFile>* watched) {
  for (const trust::TreeFile& file : tree.files) {
    watched->push_back({tree.directory + "/" + file.name, sha256_hex(file.bytes)});
  }
}

// What would be a layer, were it there.
void watch_beginnings(const std::string& directory, std::vector<lua::MonitoredFile>* watched) {
  for (const char* name : {"config.lua", "policies/init.lua", "scripts/init.lua"}) {
    const std::string path = directory + "/" + name;
    const bool is_there = std::any_of(watched->begin(), watched->end(),
                                      [&path](const auto& each) { return each.path == path; });
    if (!is_there) watched->push_back({path, lua::hash_of_file(path)});
  }
}

lua::LayerParts parts_of(const trust::Tree& tree, const std::string& name,
                         const std::string& place) {
  lua::LayerParts parts;
  parts.name = name;
  if (tree.find("policies/init.lua") != nullptr) parts.policies_dir = place + "policies";
  if (tree.find("scripts/init.lua") != nullptr) parts.scripts_dir = place + "scripts";
  return parts;
}

std::string listed(const std::vector<std::string>& names) {
  constexpr std::size_t kMost = 5;
  std::string text;
  for (std::size_t at = 0; at < std::min(names.size(), kMost); ++at) {
    text += (at == 0 ? "" : ", ") + names[at];
  }
  if (names.size() > kMost) text += " and " + std::to_string(names.size() - kMost) + " more";
  return text;
}

TrustLook look(Result<trust::Tree> tree, std::string path, const std::string& state_dir) {
  TrustLook made;
  made.path = std::move(path);
  if (!tree) {
    if (tree.status().code() == "layer_missing") return made;
    made.state = ProjectState::kUnusable;
    made.problem = tree.status();
    return made;
  }
  made.tree = std::move(*tree);
  const auto all = trust::TrustStore(state_dir).list();
  if (!all) {
    made.state = ProjectState::kUnusable;
    made.problem = all.status();
    return made;
  }
  made.state = ProjectState::kUntrusted;
  for (const trust::Trusted& each : *all) {
    if (each.path != made.path) continue;
    made.state = each.hash == made.tree.hash ? ProjectState::kTrusted : ProjectState::kChanged;
    made.changes = trust::differences(each.files, trust::hashes_of(made.tree));
  }
  return made;
}

Status managed_unusable(const std::string& why) {
  return Status::error("managed_unusable",
                       "the managed configuration cannot be used, so nothing may start: " + why);
}

Json options_table(const RuntimeOptions& options) {
  Json table = Json::object();
  if (!options.mode.empty()) table["mode"] = options.mode;
  if (!options.toolsets.empty()) table["toolsets"] = options.toolsets;
  if (!options.sandbox.empty()) table["sandbox"] = {{"profile", options.sandbox}};
  if (!options.workspace.empty()) table["workspace"] = options.workspace;
  // Those that ship are what a front end needs, and no choice of a user.
  const auto share = find_share(options.share_dir);
  const bool ships = share && options.scripts_dir.starts_with(*share + "/");
  if (!options.scripts_dir.empty() && !ships) table["scripts"] = options.scripts_dir;
  if (!options.policies_dir.empty()) table["policies"] = options.policies_dir;
  return table;
}

// A variable must not name a keeper or scripts that the managed configuration does not bind.
Status check_variables() {
  for (const char* name : {"GIBBOUS_SHARE", "GIBBOUS_KEEPER"}) {
    const char* value = std::getenv(name);
    if (value == nullptr || *value == '\0') continue;
    std::error_code error;
    const std::string why = trust::objection_to_root_path(fs::absolute(value, error).string());
    if (why.empty()) continue;
    return managed_unusable(std::string(name) + " names what others than root can change: " + why +
                            ". Unset it");
  }
  return {};
}

}  // namespace

const char* name_of(ProjectState state) {
  switch (state) {
    case ProjectState::kNone:
      return "none";
    case ProjectState::kTrusted:
      return "trusted";
    case ProjectState::kUntrusted:
      return "not trusted";
    case ProjectState::kChanged:
      return "changed";
    case ProjectState::kUnusable:
      return "unusable";
  }
  return "";
}

std::string user_config_directory() {
  if (const char* config = std::getenv("XDG_CONFIG_HOME"); config != nullptr && *config == '/') {
    return std::string(config) + "/gibbous";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.config/gibbous" : "";
}

TrustLook look_at_project(const std::string& workspace, const std::string& state_dir) {
  const std::string path = workspace + kProjectDirectory;
  return look(trust::read_tree(path, trust::TreeOwner::kAnybody), path, state_dir);
}

TrustLook look_at_services(const std::string& file, const std::string& state_dir) {
  std::error_code error;
  const fs::path absolute = fs::absolute(file, error);
  // The file itself must be no link; the directories above it may be.
  const fs::path parent = fs::weakly_canonical(absolute.parent_path(), error);
  const std::string path = (parent / absolute.filename()).string();
  return look(trust::read_single(path), path, state_dir);
}

Result<std::shared_ptr<Layers>> Layers::read(const RuntimeOptions& options,
                                             const std::string& state_dir,
                                             const lua::MemoryFiles& memory, const Clock& clock) {
  auto layers = std::make_shared<Layers>();
  layers->state_dir_ = state_dir;
  layers->managed_dir_ = options.managed_dir.empty() ? GIBBOUS_MANAGED_DIR : options.managed_dir;
  for (const std::string& name : options.layers) {
    if (name == "managed") {
      layers->use_managed_ = true;
    } else if (name == "user") {
      layers->use_user_ = true;
    } else if (name == "project") {
      layers->use_project_ = true;
    } else {
      return Status::error("invalid_arguments",
                           "layers: expected managed, user or project, got '" + name + "'");
    }
  }
  if (layers->use_managed_) {
    if (Status status = layers->read_managed(); !status) return status;
  }
  if (Status status = layers->add_user(options, memory); !status) return status;
  const lua::LayerText given{lua::ConfigLayer::kOptions, "", "", options_table(options)};
  const auto merge = [&]() -> Status {
    std::vector<lua::LayerText> all = layers->texts_;
    all.push_back(given);
    auto merged = lua::merge_layers(all, clock);
    if (!merged) return merged.status();
    layers->merged_ = std::move(*merged);
    return {};
  };
  if (Status status = merge(); !status) return status;
  if (!layers->use_project_) return layers;
  const std::string named =
      options.workspace.empty() ? layers->merged_.config.text("workspace") : options.workspace;
  if (Status status = check_answers(named, "workspace"); !status) return status;
  auto workspace = absolute_directory(named, "workspace");
  if (!workspace) return workspace.status();
  layers->workspace_ = *workspace;
  layers->first_look_ = look_at_project(layers->workspace_, state_dir);
  const TrustLook& first = layers->first_look_;
  const trust::TreeFile* config = first.tree.find(kConfigName);
  if (first.state != ProjectState::kTrusted || config == nullptr) return layers;
  layers->texts_.push_back(
      {lua::ConfigLayer::kProject, first.path + "/" + kConfigName, config->bytes, nullptr});
  if (Status status = merge(); !status) return status;
  return layers;
}

Status Layers::read_managed() {
  if (const std::string why = trust::objection_to_root_path(managed_dir_); !why.empty()) {
    struct stat info {};
    // Without the directory there is no managed layer.
    if (::lstat(managed_dir_.c_str(), &info) != 0 && errno == ENOENT) return {};
    return managed_unusable(why);
  }
  // The whole way was looked at, links included.
  std::error_code error;
  const fs::path real = fs::canonical(managed_dir_, error);
  auto tree = trust::read_tree(error ? managed_dir_ : real.string(), trust::TreeOwner::kRoot);
  if (!tree) {
    if (tree.status().code() == "layer_missing") return {};
    return managed_unusable(tree.status().message());
  }
  managed_ = std::move(*tree);
  if (Status status = check_variables(); !status) return status;
  if (const trust::TreeFile* config = managed_->find(kConfigName); config != nullptr) {
    texts_.push_back(
        {lua::ConfigLayer::kManaged, managed_dir_ + "/" + kConfigName, config->bytes, nullptr});
  }
  return {};
}

Status Layers::add_user(const RuntimeOptions& options, const lua::MemoryFiles& memory) {
  user_dir_ = use_user_ ? user_config_directory() : "";
  user_file_ = options.config_file;
  std::error_code error;
  if (user_file_.empty() && !user_dir_.empty()) {
    if (Status status = check_answers(user_dir_, "the user's configuration"); !status)
      return status;
    if (fs::exists(user_dir_ + "/" + kConfigName, error)) {
      user_file_ = user_dir_ + "/" + kConfigName;
    }
  }
  Json beside = Json::object();
  for (const char* part : {"scripts", "policies"}) {
    const std::string directory = user_dir_ + "/" + part;
    if (!user_dir_.empty() && fs::exists(directory + "/init.lua", error)) beside[part] = directory;
  }
  if (!beside.empty()) texts_.push_back({lua::ConfigLayer::kUser, user_dir_, "", beside});
  if (user_file_.empty()) return {};
  const auto in_memory = memory.find(user_file_);
  auto text = in_memory != memory.end() ? Result<std::string>(std::string(in_memory->second))
                                        : lua::read_config_text(user_file_);
  if (!text) return text.status();
  texts_.push_back({lua::ConfigLayer::kUser, user_file_, std::move(*text), nullptr});
  return {};
}

std::vector<std::string> Layers::config_files() const {
  std::vector<std::string> files;
  if (use_managed_) files.push_back(managed_dir_ + "/" + kConfigName);
  if (!user_file_.empty()) {
    files.push_back(user_file_);
  } else if (!user_dir_.empty()) {
    files.push_back(user_dir_ + "/" + kConfigName);
  }
  return files;
}

Status Layers::check_mode(const std::string& mode, const Clock& clock) const {
  std::vector<lua::LayerText> all = texts_;
  all.push_back({lua::ConfigLayer::kOptions, "", "", Json{{"mode", mode}}});
  return lua::merge_layers(all, clock).status();
}

Status Layers::placed(const Status& status) const {
  const char* field = status.code() == lua::kUnknownMode ? "mode"
                      : status.code() == kUnknownProfile ? "sandbox.profile"
                                                         : "executor";
  const std::string_view text = status.message();
  const std::size_t what = std::min(text.find("there is no "), text.find("expected "));
  for (const lua::ConfigValue& value : merged_.values) {
    if (value.field != field || value.place.file.empty() || what == text.npos) continue;
    return Status::error(status.code(),
                         value.place.text() + ": " + field + ": " + std::string(text.substr(what)));
  }
  return status;
}

Status Layers::check_profile(lua::PolicyProgram& policy, const std::string& mode) const {
  const Json sandbox = merged_.config.get<Json>("sandbox");
  if (sandbox.is_null() || !policy.error().empty()) return {};
  // Others are a policy's own, which only the policy itself knows.
  const std::string profile = sandbox.value("profile", "none");
  for (const char* shipped : {"none", "workspace", "build", "confined", "plan", "readonly"}) {
    if (profile == shipped) return {};
  }
  lua::PolicyRequest start;
  start.kind = lua::RequestKind::kStart;
  start.tool = "sandbox";
  start.permission = "execute";
  start.mode = mode;
  start.workspace = workspace_;
  start.configured_sandbox = sandbox;
  start.cleared = true;
  const lua::Verdict verdict = policy.decide(start);
  if (verdict.rule != lua::kErrorRule) return {};
  return placed(Status::error(kUnknownProfile, verdict.reason));
}

void Layers::attach(lua::GenerationOptions& generation, bool shipped,
                    const std::shared_ptr<Layers>& self) {
  if (!use_managed_ && !use_project_) return;
  shipped_ = shipped;
  std::error_code error;
  policies_are_managed_ = managed_ && fs::weakly_canonical(generation.policies_dir, error) ==
                                          fs::weakly_canonical(managed_dir_ + "/policies", error);
  generation.layers = [self] { return self->load(); };
}

std::string Layers::project_note(const TrustLook& look) const {
  const std::string command = "gibbous trust " + workspace_;
  const bool was_used = trusted_.has_value();
  switch (look.state) {
    case ProjectState::kNone:
      if (!was_used) return "";
      return look.path + " is gone: its tools are not used any more, its rules are until the end.";
    case ProjectState::kTrusted:
      return "";
    case ProjectState::kUntrusted:
      if (was_used) {
        return look.path + " is not trusted any more: its rules and tools are not in force.";
      }
      return look.path +
             " is not used, because nobody has trusted it. A person can look at it and "
             "trust it with: " +
             command;
    case ProjectState::kChanged:
      return look.path + " has changed since it was trusted (" + listed(look.changes) + ")" +
             (was_used ? ": its tools are not used any more, its earlier rules are. "
                       : " and is not used. ") +
             "A person can look at it and trust it with: " + command;
    case ProjectState::kUnusable:
      return look.path + " is not used: " + look.problem.message() +
             (was_used ? ". Its earlier rules stay in force." : "");
  }
  return "";
}

void Layers::note_config(const std::string& path, const trust::Tree* now, const trust::Tree* then,
                         std::vector<std::string>* notes) {
  const auto text_in = [](const trust::Tree* tree) {
    const trust::TreeFile* file = tree == nullptr ? nullptr : tree->find(kConfigName);
    return file == nullptr ? std::string() : file->bytes;
  };
  const std::string before = text_in(then);
  const std::string text = text_in(now);
  const auto [noted, is_first] = noted_configs_.emplace(path, before);
  if (text == noted->second) return;
  noted->second = text;
  const std::string said =
      text == before
          ? " is again what it was when this process started."
          : " is not what it was when this process started: it takes effect at the next start. The "
            "rules and tools beside it take effect at once.";
  notes->push_back(path + said);
}

lua::LayerSet Layers::load() {
  constexpr std::chrono::seconds kLookPatience{2};
  const std::lock_guard<std::mutex> lock(mutex_);
  lua::LayerSet set;
  auto owned = std::make_shared<OwnedFiles>();
  if (use_managed_) {
    Layers now;
    now.managed_dir_ = managed_dir_;
    set.status = now.read_managed();
    if (set.status && managed_ && !now.managed_) {
      set.status = managed_unusable(managed_dir_ + " is gone");
    }
    if (now.managed_) {
      add_files(*now.managed_, kManagedPlace, owned.get());
      lua::LayerParts parts = parts_of(*now.managed_, "managed", kManagedPlace);
      if (policies_are_managed_) parts.policies_dir.clear();
      // Modes mean what the shipped policy says, whatever policy a user has.
      const bool bound = !shipped_ && !policies_are_managed_ && merged_.managed_judges;
      if (bound) {
        set.parts.push_back({"shipped", "", std::string(lua::kBuiltInPlace) + "/policies", false});
      }
      set.parts.push_back(std::move(parts));
      watch(*now.managed_, &set.watched);
    }
    if (set.status) {
      note_config(managed_dir_ + "/" + kConfigName, now.managed_ ? &*now.managed_ : nullptr,
                  managed_ ? &*managed_ : nullptr, &set.notes);
    }
    watch_beginnings(managed_dir_, &set.watched);
  }
  if (use_project_) {
    const auto looked = std::make_shared<TrustLook>();
    const auto mounts = paths::MountTypes::of_process()->now();
    for (const std::string* path : {&state_dir_, &workspace_}) {
      if (!set.status || path->empty()) continue;
      const auto look_there = [looked, workspace = workspace_, state = state_dir_,
                               is_last = path == &workspace_] {
        if (is_last) *looked = look_at_project(workspace, state);
      };
      if (!paths::answers_within(*path, kLookPatience) ||
          !paths::in_time(*path, *mounts, kLookPatience, look_there)) {
        set.status =
            Status::error("path_unanswered", "the file system of " + *path + " does not answer");
      }
    }
    if (!set.status) return set;
    const TrustLook& look = *looked;
    const std::string note = project_note(look);
    if (!note.empty() && note != last_note_) set.notes.push_back(note);
    last_note_ = note;
    const bool revoked = look.state == ProjectState::kUntrusted;
    if (look.state == ProjectState::kTrusted) {
      trusted_ = look.tree;
      const bool counts = first_look_.state == ProjectState::kTrusted;
      note_config(look.path + "/" + kConfigName, &look.tree, counts ? &first_look_.tree : nullptr,
                  &set.notes);
    } else if (revoked) {
      trusted_.reset();
    }
    if (trusted_) {
      add_files(*trusted_, kProjectPlace, owned.get());
      lua::LayerParts parts = parts_of(*trusted_, "project", kProjectPlace);
      parts.only_rules = true;
      // A rule that falls away would loosen; a tool that changed is not what was trusted.
      if (look.state != ProjectState::kTrusted) parts.scripts_dir.clear();
      set.parts.push_back(std::move(parts));
    }
    watch(look.tree, &set.watched);
    watch_beginnings(workspace_ + kProjectDirectory, &set.watched);
    if (!state_dir_.empty()) {
      const std::string store = trust::TrustStore(state_dir_).path();
      set.watched.push_back({store, lua::hash_of_file(store)});
    }
  }
  for (const lua::RefusedValue& refused : merged_.refused) set.notes.push_back(refused.message);
  set.files = std::shared_ptr<const lua::MemoryFiles>(owned, &owned->files);
  return set;
}

std::string Layers::describe() {
  OrderedJson layers = OrderedJson::array();
  const auto add = [&layers](const char* name, const std::string& path, const std::string& state,
                             const std::string& why = "") {
    OrderedJson layer = {{"layer", name}, {"path", path}, {"state", state}};
    if (!why.empty()) layer["why"] = why;
    layers.push_back(std::move(layer));
  };
  if (use_managed_) add("managed", managed_dir_, managed_ ? "in force" : "none");
  const bool has_user = std::any_of(texts_.begin(), texts_.end(), [](const auto& each) {
    return each.layer == lua::ConfigLayer::kUser;
  });
  add("user", user_file_.empty() ? user_dir_ : user_file_, has_user ? "in force" : "none");
  if (use_project_) {
    const bool trusted = first_look_.state == ProjectState::kTrusted;
    add("project", first_look_.path, trusted ? "in force" : name_of(first_look_.state),
        project_note(first_look_));
  }
  const auto place = [](OrderedJson& of, const lua::ConfigPlace& place) {
    of["layer"] = lua::name_of(place.layer);
    if (!place.file.empty()) of["file"] = place.file;
    if (place.line != 0) of["line"] = place.line;
  };
  OrderedJson values = OrderedJson::array();
  for (const lua::ConfigValue& value : merged_.values) {
    OrderedJson entry = {{"field", value.field}};
    entry["value"] = OrderedJson::parse(value.shown, nullptr, false);
    if (entry["value"].is_discarded()) entry["value"] = value.shown;
    place(entry, value.place);
    values.push_back(std::move(entry));
  }
  OrderedJson refused = OrderedJson::array();
  for (const lua::RefusedValue& value : merged_.refused) {
    OrderedJson entry = {{"field", value.field}};
    place(entry, value.place);
    entry["message"] = value.message;
    refused.push_back(std::move(entry));
  }
  return to_text(OrderedJson{{"layers", std::move(layers)},
                             {"values", std::move(values)},
                             {"refused", std::move(refused)}});
}

}  // namespace gibbous::host
