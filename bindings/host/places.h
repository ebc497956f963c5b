// Where things are: the shipped scripts, the workspace, the environment that runs inherit. Used by
// Runtime::create only.
#pragma once

#include <string>
#include <vector>

#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/load/generation.h"
#include "gibbous/status.h"

namespace gibbous::host {

// The directory that holds scripts/ and policies/: $GIBBOUS_SHARE, <command's dir>/share/gibbous,
// or <command's dir>/../share/gibbous.
Result<std::string> find_share();
// An absolute path without "." and ".."; relative ones are below the current directory.
Result<std::string> absolute_directory(const std::string& path, const char* field);
// This process's environment as "NAME=value".
std::vector<std::string> inherited_environment();

// What TMPDIR says, when that is an absolute path; else /tmp.
std::string temp_directory(const std::vector<std::string>& environment);

// $XDG_STATE_HOME/gibbous, else ~/.local/state/gibbous; "" when there is no home.
std::string default_state_directory();
// The one that was asked for, as an absolute path, or the default one.
std::string state_directory(const std::string& asked);
// $HOME, else the user's home as the system knows it; "" when there is none.
std::string home_directory();

// What the variables of sandbox profiles mean here: WORKSPACE, HOME, TMP, RUNTIME, SSH_AUTH_SOCK,
// TMUX, SCRIPTS, POLICIES, CONFIG. `environment` is what runs inherit.
lua::PathVariables path_variables(const std::string& workspace,
                                  const lua::GenerationOptions& generation,
                                  const std::string& config_file,
                                  const std::vector<std::string>& environment);

}  // namespace gibbous::host
