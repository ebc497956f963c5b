#include "bindings/host/signer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cstdlib>
#include <filesystem>
#include <string>
#include <system_error>
#include <utility>

#include "bindings/host/places.h"
#include "runtime/base/own_place.h"
#include "runtime/base/random_id.h"
#include "runtime/runs/runs.h"

namespace gibbous::host {
namespace {

namespace fs = std::filesystem;

constexpr const char* kCount = "GIT_CONFIG_COUNT";
constexpr std::array<std::pair<const char*, const char*>, 3> kPrograms{
    {{"gpg.openpgp.program", "gpg"},
     {"gpg.ssh.program", "ssh-keygen"},
     {"gpg.x509.program", "gpgsm"}}};

std::string find_command() {
  for (const std::string& each : installed_places("gibbous", "bin/gibbous")) {
    if (each.front() == '/' && ::access(each.c_str(), X_OK) == 0 && !fs::is_directory(each)) {
      return each;
    }
  }
  return "";
}

// Neither the workspace's programs nor what the environment says of a repository count.
std::vector<std::string> environment_outside(const lua::Context& context) {
  std::vector<std::string> variables = inherited_environment();
  std::erase_if(variables, [](const std::string& each) {
    return each.starts_with("GIT_") || each.starts_with("PATH=");
  });
  std::string path;
  for (const std::string& each : context.path_variables.at("PATH")) {
    path += (path.empty() ? "" : ":") + each;
  }
  variables.push_back("PATH=" + path);
  return variables;
}

// Starts what signs. Returns the id of its run and its directory; "" and "" where that fails.
std::pair<std::string, std::string> start_signing(const lua::Context& context,
                                                  const std::string& command) {
  const std::string directory = "/tmp/gibbous-sign-" + random_id();
  std::error_code error;
  if (::mkdir(directory.c_str(), S_IRWXU) != 0) return {};
  for (const auto& [key, name] : kPrograms) {
    fs::create_symlink(command, fs::path(directory) / name, error);
  }
  RunSpec spec;
  spec.internal = true;
  spec.argv = {command, "sign", directory, context.workspace};
  spec.cwd = "/";
  spec.timeout = Millis{0};
  spec.inherited_env =
      std::make_shared<const std::vector<std::string>>(environment_outside(context));
  const auto started = context.runs->start(std::move(spec), [](Run&, const Status&) {});
  if (started) return {(*started)->id(), directory};
  fs::remove_all(directory, error);
  return {};
}

// How many settings of git the run's environment has already.
std::size_t count_settings(const RunSpec& run) {
  const char* inherited = std::getenv(kCount);
  const auto own = run.env.find(kCount);
  const std::string count = own != run.env.end() ? own->second : inherited ? inherited : "";
  return std::strtoul(count.c_str(), nullptr, 10);
}

}  // namespace

std::function<void(RunSpec*)> make_signer(const lua::Context& context) {
  const std::string command = find_command();
  if (command.empty()) return nullptr;
  return
      [&context, command, signing = std::pair<std::string, std::string>()](RunSpec* run) mutable {
        const Run* serving = context.runs->find(signing.first);
        if (serving == nullptr || serving->ended()) signing = start_signing(context, command);
        if (signing.first.empty()) return;
        run->sandbox->shown.push_back(signing.second);
        run->sandbox->unwritable.push_back(signing.second);
        std::size_t at = count_settings(*run);
        for (const auto& [key, name] : kPrograms) {
          const std::string number = std::to_string(at++);
          run->default_env["GIT_CONFIG_KEY_" + number] = key;
          run->default_env["GIT_CONFIG_VALUE_" + number] = signing.second + "/" + name;
        }
        run->env.erase(kCount);
        run->default_env[kCount] = std::to_string(at);
      };
}

}  // namespace gibbous::host
