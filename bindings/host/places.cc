#include "bindings/host/places.h"

#include <pwd.h>
#include <regex.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <sstream>
#include <string_view>

#include "bindings/lua/source/memory_files.h"
#include "runtime/base/own_place.h"
#include "runtime/base/sha256.h"
#include "runtime/paths/patience.h"
#include "runtime/paths/walk.h"
#include "runtime/sandbox/paths.h"

extern char** environ;

namespace gibbous::host {

namespace fs = std::filesystem;

Result<std::string> find_share(const std::string& asked) {
  if (asked == lua::kBuiltInPlace) return asked;
  std::string named = asked;
  if (const char* variable = std::getenv("GIBBOUS_SHARE"); named.empty() && variable != nullptr) {
    named = variable;
  }
  std::error_code error;
  const std::vector<std::string> places = named.empty()
                                              ? installed_places("share/gibbous", "share/gibbous")
                                              : std::vector{fs::absolute(named, error).string()};
  for (const std::string& each : places) {
    const std::string place = fs::path(each).lexically_normal().string();
    if (fs::exists(place + "/scripts/init.lua", error)) return place;
  }
  if (named.empty()) return std::string(lua::kBuiltInPlace);
  return Status::error("scripts_not_found",
                       "The scripts that ship with Gibbous are not at " + places.front() +
                           ". Name the directory that holds scripts/ and policies/ with share_dir "
                           "or GIBBOUS_SHARE, or neither, for those that are built in.");
}

Result<std::string> absolute_directory(const std::string& path, const char* field) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path.empty() ? fs::path(".") : fs::path(path), error);
  const fs::path canonical = error ? absolute : fs::canonical(absolute, error);
  if (error || !fs::is_directory(canonical, error)) {
    return Status::error("invalid_arguments",
                         std::string(field) + ": expected a directory, got " + absolute.string() +
                             " (" + (error ? error.message() : "not a directory") + ")");
  }
  return canonical.string();
}

Status check_answers(const std::string& path, const char* field) {
  constexpr std::chrono::seconds kPatience{2};
  if (path.empty() || lua::is_in_memory(path)) return {};
  std::error_code error;
  const std::string absolute = fs::absolute(path, error).string();
  if (error || paths::answers_within(absolute, kPatience)) return {};
  return Status::error("path_unanswered", std::string(field) + ": the file system of " + absolute +
                                              " does not answer (a network or FUSE mount whose "
                                              "other end is gone?)");
}

std::vector<std::string> inherited_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

namespace {

// Returns the next word of NODE_OPTIONS, with its quotes, and takes it from `rest`.
std::string_view take_option(std::string_view* rest) {
  rest->remove_prefix(std::min(rest->size(), rest->find_first_not_of(' ')));
  bool quoted = false;
  std::size_t end = 0;
  for (; end < rest->size() && (quoted || (*rest)[end] != ' '); ++end) {
    if ((*rest)[end] == '"') quoted = !quoted;
  }
  const std::string_view word = rest->substr(0, end);
  rest->remove_prefix(end);
  return word;
}

// Returns whether this names a module that a debugger has installed, which makes each Node program
// wait for it (VS Code: --require "/…/ms-vscode.js-debug/src/bootloader.js").
bool is_of_debugger(std::string_view module) {
  const std::size_t begin = module.starts_with('"') ? 1 : 0;
  module.remove_prefix(begin);
  if (module.starts_with("file://")) module.remove_prefix(std::string_view("file://").size());
  return module.starts_with('/') && module.find("debug") != std::string_view::npos;
}

std::string without_debugger(std::string_view options) {
  std::string kept;
  while (true) {
    std::string_view word = take_option(&options);
    if (word.empty()) return kept;
    const std::size_t equals = word.find('=');
    const std::string_view name = word.substr(0, equals);
    if (name == "--require" || name == "-r" || name == "--import") {
      std::string_view after = options;
      const std::string_view module =
          equals == std::string_view::npos ? take_option(&after) : word.substr(equals + 1);
      if (is_of_debugger(module)) {
        options = after;
        continue;
      }
    }
    if (!kept.empty()) kept += ' ';
    kept += word;
  }
}

// Removes what a debugger and an Electron host set for Gibbous's own process.
void remove_own(std::vector<std::string>* variables) {
  const std::string node = "NODE_OPTIONS=";
  std::erase_if(*variables, [&](std::string& each) {
    if (each.rfind("ELECTRON_RUN_AS_NODE=", 0) == 0) return true;
    if (each.rfind(node, 0) != 0) return false;
    each = node + without_debugger(std::string_view(each).substr(node.size()));
    return each == node;
  });
}

}  // namespace

Result<std::vector<std::string>> environment_of_runs(
    const std::optional<std::map<std::string, std::string>>& given) {
  std::vector<std::string> variables;
  if (!given) {
    variables = inherited_environment();
    remove_own(&variables);
    return variables;
  }
  for (const auto& [name, value] : *given) {
    constexpr std::string_view kNotInNames("=\0", 2);
    if (name.empty() || name.find_first_of(kNotInNames) != std::string::npos ||
        value.find('\0') != std::string::npos) {
      return Status::error("invalid_arguments",
                           "environment: a variable needs a name without '=', and neither it nor "
                           "its value may hold a NUL byte; got '" +
                               name.substr(0, name.find('\0')) + "'");
    }
    variables.push_back(name + "=" + value);
  }
  // Without one, programs differ in what they take for it, and none could be judged.
  const std::string home = home_directory(inherited_environment());
  if (given->count("HOME") == 0 && !home.empty()) variables.push_back("HOME=" + home);
  return variables;
}

namespace {

std::string variable_of(const std::vector<std::string>& environment, const std::string& name) {
  for (const std::string& each : environment) {
    if (each.rfind(name + "=", 0) == 0) return each.substr(name.size() + 1);
  }
  return "";
}

}  // namespace

std::string temp_directory(const std::vector<std::string>& environment) {
  std::string path = fs::path(variable_of(environment, "TMPDIR")).lexically_normal().string();
  while (path.size() > 1 && path.back() == '/') path.pop_back();
  return path.size() > 1 && path.front() == '/' ? path : "/tmp";
}

std::string default_state_directory() {
  // As the XDG base directory specification says: a relative path counts as not set.
  if (const char* state = std::getenv("XDG_STATE_HOME"); state != nullptr && *state == '/') {
    return std::string(state) + "/gibbous";
  }
  const char* home = std::getenv("HOME");
  return home != nullptr && *home == '/' ? std::string(home) + "/.local/state/gibbous" : "";
}

std::string state_directory(const std::string& asked) {
  std::error_code error;
  return asked.empty() ? default_state_directory()
                       : std::filesystem::absolute(asked, error).string();
}

std::string home_directory(const std::vector<std::string>& environment) {
  const std::string home = variable_of(environment, "HOME");
  if (!home.empty() && home.front() == '/') return home;
  const passwd* user = ::getpwuid(::geteuid());
  return user != nullptr && user->pw_dir != nullptr ? user->pw_dir : "";
}

std::string session_in(const std::string& program, const std::string& workspace) {
  constexpr std::size_t kHashDigits = 16;
  std::error_code error;
  const fs::path real = fs::canonical(workspace, error);
  const std::string place = error ? workspace : real.string();
  if (program.size() + place.size() <= kMaxSessionBytes) return program + place;
  const std::size_t room = kMaxSessionBytes - kHashDigits - 1;
  const std::string name = program.substr(0, room / 2);
  return name + place.substr(place.size() - std::min(place.size(), room - name.size())) + "~" +
         sha256_hex(program + place).substr(0, kHashDigits);
}

// Where tmux makes its sockets.
static std::vector<std::string> tmux_directories(
    const std::vector<std::vector<std::string>>& environments) {
  const std::string name = "/tmux-" + std::to_string(::getuid());
  std::vector<std::string> directories = {"/tmp" + name};
  for (const auto& environment : environments) {
    const std::string around = variable_of(environment, "TMUX_TMPDIR");
    if (!around.empty()) directories.push_back(around + name);
  }
  return directories;
}

// Where emacs and Neovim make theirs, when there is no $XDG_RUNTIME_DIR.
static std::vector<std::string> socket_directories() {
  std::vector<std::string> directories = {"/tmp/emacs" + std::to_string(::getuid())};
  const passwd* user = ::getpwuid(::getuid());
  if (user != nullptr && user->pw_name != nullptr) {
    directories.push_back(std::string("/tmp/nvim.") + user->pw_name);
  }
  return directories;
}

// Adds the paths in a list of addresses; those of other machines are none.
static void add_sockets(const std::string& value, std::vector<std::string>& sockets) {
  for (std::size_t at = 0; at < value.size();) {
    const std::size_t end = std::min(value.find_first_of("; ", at), value.size());
    const std::string word = value.substr(at, end - at);
    at = end + 1;
    const std::size_t begin = word.find('/');
    if (begin == std::string::npos) continue;
    const std::string scheme = word.substr(0, begin);
    if (!scheme.empty() && scheme.rfind("unix:", 0) != 0) continue;
    std::string path = word.substr(begin, word.find_first_of(",:", begin) - begin);
    const std::size_t first = path.find_first_not_of('/');
    if (first == std::string::npos) continue;
    path.erase(0, first - 1);
    // A directory of the root is no socket.
    if (path.find('/', 1) != std::string::npos) sockets.push_back(path);
  }
}

// The sockets that variables name: "/run/x", "unix:/run/x", "unix:///run/x", "unix:path=/run/x,…",
// "/run/x,1,0".
static std::vector<std::string> named_sockets(
    const std::vector<std::vector<std::string>>& environments) {
  std::vector<std::string> sockets;
  for (const auto& environment : environments) {
    for (const char* name :
         {"DBUS_SESSION_BUS_ADDRESS", "DOCKER_HOST", "CONTAINER_HOST", "WAYLAND_DISPLAY", "DISPLAY",
          "TMUX", "NVIM", "NVIM_LISTEN_ADDRESS", "EMACS_SOCKET_NAME", "KITTY_LISTEN_ON", "SWAYSOCK",
          "I3SOCK", "VSCODE_IPC_HOOK_CLI", "PULSE_SERVER", "GPG_AGENT_INFO", "SSH_AUTH_SOCK"}) {
      add_sockets(variable_of(environment, name), sockets);
    }
  }
  return sockets;
}

// The directories of programs outside of the workspace.
static std::vector<std::string> program_directories(const std::string& path,
                                                    const std::string& workspace) {
  constexpr std::size_t kMaxProgramPlaces = 64;
  std::vector<std::string> directories;
  std::istringstream words(path);
  for (std::string each;
       std::getline(words, each, ':') && directories.size() < kMaxProgramPlaces;) {
    if (!is_within(each, workspace)) directories.push_back(each);
  }
  return directories;
}

// What counts as a home: that of runs, that of this process, and that of the account; for root,
// also another user's in which the workspace is.
static std::vector<std::string> homes_of(const std::string& workspace,
                                         const std::vector<std::string>& environment,
                                         const std::vector<std::string>& own,
                                         const std::vector<std::string>& everybodys) {
  std::vector<std::string> homes = {home_directory(environment), home_directory(own),
                                    home_directory({})};
  for (const std::string& home : everybodys) {
    if (workspace == home || workspace.starts_with(home + "/")) homes.push_back(home);
  }
  return homes;
}

// The homes of this machine that only root can read.
static std::vector<std::string> homes_for_root() {
  constexpr std::size_t kMostHomes = 256;
  if (::geteuid() != 0) return {};
  std::vector<std::string> homes = {"/root"};
  std::error_code error;
  for (auto at = fs::directory_iterator("/home", error);
       !error && at != fs::directory_iterator() && homes.size() < kMostHomes; at.increment(error)) {
    // It is of everybody's programs.
    if (at->path().filename() != "linuxbrew") homes.push_back(at->path().string());
  }
  return homes;
}

bool signs_commits() {
  constexpr std::streamsize kMostSettings = 1 << 18;
  regex_t signs;
  constexpr const char* kSigns =
      "\\[commit]([^[]*\n)?[ \t]*gpgsign[ \t]*(=[ \t]*\"?(true|yes|on|1)|[\r\n])";
  if (::regcomp(&signs, kSigns, REG_EXTENDED | REG_ICASE | REG_NOSUB) != 0) return false;
  const std::vector<std::string> own = inherited_environment();
  const std::string home = home_directory(own);
  std::string settings = variable_of(own, "XDG_CONFIG_HOME");
  if (settings.empty()) settings = home + "/.config";
  bool found = false;
  for (const std::string& path : {home + "/.gitconfig", settings + "/git/config"}) {
    std::error_code none;
    if (!paths::answers_at_once(path) || !std::filesystem::is_regular_file(path, none)) continue;
    std::string text(kMostSettings, '\0');
    std::ifstream(path).read(text.data(), kMostSettings);
    found = found || ::regexec(&signs, text.c_str(), 0, nullptr, 0) == 0;
  }
  ::regfree(&signs);
  return found;
}

lua::PathVariables path_variables(const std::string& workspace,
                                  const lua::GenerationOptions& generation,
                                  const std::string& config_file, const std::string& state_dir,
                                  const std::vector<std::string>& environment) {
  // Only absolute paths: any other would mean a different one in each directory.
  const auto places = [](const std::vector<std::string>& paths) {
    std::vector<std::string> usable;
    for (const std::string& path : paths) {
      const bool is_new = std::find(usable.begin(), usable.end(), path) == usable.end();
      if (!path.empty() && path.front() == '/' && is_new) usable.push_back(path);
    }
    return usable;
  };
  // What is protected belongs to the user, whatever environment runs are given.
  const std::vector<std::string> own = inherited_environment();
  const auto either = [&](const std::string& name) {
    return places({variable_of(environment, name), variable_of(own, name)});
  };
  std::vector<std::string> others = homes_for_root();
  const std::vector<std::string> homes = places(homes_of(workspace, environment, own, others));
  std::erase_if(others, [&homes](const std::string& other) {
    return std::any_of(homes.begin(), homes.end(), [&other](const std::string& home) {
      return home == other || home.starts_with(other + "/");
    });
  });
  std::error_code error;
  const auto on_disk = [&error](const std::string& path) {
    return path.empty() || lua::is_in_memory(path) ? "" : fs::absolute(path, error).string();
  };
  return {{"WORKSPACE", places({workspace})},
          {"HOME", homes},
          {"OTHER_HOMES", others},
          {"TMP", places({"/tmp", "/var/tmp", variable_of(environment, "TMPDIR")})},
          {"RUNTIME", either("XDG_RUNTIME_DIR")},
          {"PATH", places(program_directories(variable_of(environment, "PATH"), workspace))},
          {"TMUX", places(tmux_directories({environment, own}))},
          {"SOCKET_DIRS", places(socket_directories())},
          {"SOCKETS", places(named_sockets({environment, own}))},
          {"SSH_AUTH_SOCK", either("SSH_AUTH_SOCK")},
          {"SCRIPTS", places({on_disk(generation.scripts_dir), generation.shipped_scripts_dir})},
          {"POLICIES", places({on_disk(generation.policies_dir), generation.shipped_policies_dir})},
          {"CONFIG", places({on_disk(config_file)})},
          {"STATE", places({state_dir.empty() ? "" : fs::absolute(state_dir, error).string()})}};
}

}  // namespace gibbous::host
