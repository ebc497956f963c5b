// Locations: the shipped scripts, the workspace, the environment that runs inherit. Used by
// Runtime::create only.
#pragma once

#include <map>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/load/generation.h"
#include "gibbous/status.h"

namespace gibbous::host {

// Returns the directory that contains scripts/ and policies/: the one that was asked for,
// $GIBBOUS_SHARE, or share/gibbous beside this library or program (runtime/base/own_place.h).
Result<std::string> find_share(const std::string& asked = "");
// Returns an absolute path without "." and ".."; relative ones start at the current directory.
Result<std::string> absolute_directory(const std::string& path, const char* field);
// Fails with path_unanswered when the file system of `path` does not answer within seconds. A
// relative path starts at the current directory; "" answers.
Status check_answers(const std::string& path, const char* field);
// This process's environment as "NAME=value".
std::vector<std::string> inherited_environment();
// The same of RuntimeOptions::environment, with this process's HOME where it names none. Where
// there is none: that of this process, without what a debugger or an Electron host has set for it
// alone. Fails with invalid_arguments.
Result<std::vector<std::string>> environment_of_runs(
    const std::optional<std::map<std::string, std::string>>& given);

// Returns TMPDIR when that is an absolute path, else /tmp.
std::string temp_directory(const std::vector<std::string>& environment);

// $XDG_STATE_HOME/gibbous, else ~/.local/state/gibbous; "" when there is no home.
std::string default_state_directory();
// Returns the requested directory as an absolute path, or the default one.
std::string state_directory(const std::string& asked);
// Returns HOME of the environment, else the user's home from the user database; "" when there is
// none.
std::string home_directory(const std::vector<std::string>& environment);

inline constexpr std::size_t kMaxSessionBytes = 200;  // the journal takes 256, with #2 and the like
// Returns `program` ("claude@") with the workspace; a long one is cut and gets a hash.
std::string session_in(const std::string& program, const std::string& workspace);

// Whether the user's git configuration says that commits are signed, in ~/.gitconfig or
// ~/.config/git/config themselves.
bool signs_commits();

// The values of the variables in sandbox profiles on this machine: WORKSPACE, HOME, TMP, RUNTIME,
// SSH_AUTH_SOCK, TMUX, SCRIPTS, POLICIES, CONFIG, STATE. `environment` is what runs inherit.
lua::PathVariables path_variables(const std::string& workspace,
                                  const lua::GenerationOptions& generation,
                                  const std::string& config_file, const std::string& state_dir,
                                  const std::vector<std::string>& environment);

}  // namespace gibbous::host
