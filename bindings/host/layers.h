// Layers: where configuration comes from. Managed (owned by root; nothing below loosens it), the
// user's, and the project's, which counts only while its bytes are those that a person has trusted.
// read() when a runtime is made; load() at each load of scripts and policies, on any thread. Both
// wait for the disk.
#pragma once

#include <map>
#include <memory>
#include <mutex>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/load/config_layers.h"
#include "bindings/lua/load/generation.h"
#include "gibbous/runtime.h"
#include "gibbous/status.h"
#include "runtime/trust/tree.h"
#include "runtime/trust/trust_store.h"

namespace gibbous::host {

inline constexpr const char* kProjectDirectory = "/.gibbous";

enum class ProjectState {
  kNone,       // there is none, or this runtime uses none
  kTrusted,    // used
  kUntrusted,  // no person has trusted it
  kChanged,    // another content was trusted
  kUnusable    // something in it, or what is trusted, cannot be read
};
const char* name_of(ProjectState state);

// How a directory or file stands that needs trust.
struct TrustLook {
  ProjectState state = ProjectState::kNone;
  std::string path;  // absolute, without symbolic links
  trust::Tree tree;
  std::vector<std::string> changes;  // kChanged: "~ config.lua"
  Status problem;                    // kUnusable
};
TrustLook look_at_project(const std::string& workspace, const std::string& state_dir);
TrustLook look_at_services(const std::string& file, const std::string& state_dir);

class Layers {
 public:
  // `options.workspace` may be "": then the configuration names it, or it is the current directory.
  // Fails with managed_unusable, config_invalid, config_refused or invalid_arguments.
  static Result<std::shared_ptr<Layers>> read(const RuntimeOptions& options,
                                              const std::string& state_dir,
                                              const lua::MemoryFiles& memory, const Clock& clock);

  const lua::LayeredConfig& merged() const { return merged_; }
  // Makes the layers part of what is loaded. `shipped`: the policy in force is the one that ships,
  // and only root could have changed it.
  void attach(lua::GenerationOptions& generation, bool shipped,
              const std::shared_ptr<Layers>& self);
  std::string user_directory() const { return user_dir_; }
  // The configuration file of the user that is in force; "": none.
  std::string user_file() const { return user_file_; }
  // The configuration files of the managed and the user's layer, whether they exist or not.
  std::vector<std::string> config_files() const;
  // Fails with config_refused when a layer does not leave this mode open.
  Status check_mode(const std::string& mode, const Clock& clock) const;
  // Adds to an error about a mode or an executor that does not exist where the configuration names
  // it.
  Status placed(const Status& status) const;
  // Fails, with that place, when the policy does not have the profile of the configuration: it
  // would deny every start.
  Status check_profile(lua::PolicyProgram& policy, const std::string& mode) const;
  lua::LayerSet load();
  // A JSON object with `layers`, `values` and `refused`.
  std::string describe();

 private:
  Status read_managed();
  Status add_user(const RuntimeOptions& options, const lua::MemoryFiles& memory);
  std::string project_note(const TrustLook& look) const;
  // Says once that a config.lua is not what it was when this process started.
  void note_config(const std::string& path, const trust::Tree* now, const trust::Tree* then,
                   std::vector<std::string>* notes);

  bool use_managed_ = false;
  bool use_user_ = false;
  bool use_project_ = false;
  std::string managed_dir_;
  std::string user_dir_;
  std::string user_file_;
  std::string workspace_;
  std::string state_dir_;
  std::optional<trust::Tree> managed_;
  std::vector<lua::LayerText> texts_;
  lua::LayeredConfig merged_;
  bool shipped_ = false;
  bool policies_are_managed_ = false;
  TrustLook first_look_;

  std::mutex mutex_;
  std::optional<trust::Tree> trusted_;  // the project as it was last in force
  std::string last_note_;
  std::map<std::string, std::string> noted_configs_;  // the text that was last spoken of, by path
};

// $XDG_CONFIG_HOME/gibbous, else ~/.config/gibbous; "" when there is no home.
std::string user_config_directory();

}  // namespace gibbous::host
