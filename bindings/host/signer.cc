#include "bindings/host/signer.h"

#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
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

constexpr std::array<std::pair<const char*, const char*>, 3> kPrograms{
    {{"gpg.openpgp.program", "gpg"},
     {"gpg.ssh.program", "ssh-keygen"},
     {"gpg.x509.program", "gpgsm"}}};

std::string find_command() {
  for (const std::string& each : installed_places("gibbous", "bin/gibbous")) {
    std::error_code error;
    if (fs::is_regular_file(each, error) && ::access(each.c_str(), X_OK) == 0) {
      return fs::absolute(each, error).string();
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

std::size_t settings_in_environment(const RunSpec& run, const lua::Context& context) {
  const std::string name = "GIT_CONFIG_COUNT";
  std::string count;
  for (const std::string& each :
       run.inherited_env ? *run.inherited_env : context.runs->options().env) {
    if (each.starts_with(name + "=")) count = each.substr(name.size() + 1);
  }
  if (const auto own = run.env.find(name); own != run.env.end()) count = own->second;
  const bool is_number = !count.empty() && count.size() < 4 &&
                         count.find_first_not_of("0123456789") == std::string::npos;
  return is_number ? std::stoul(count) : 0;
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
        std::size_t at = settings_in_environment(*run, context);
        for (const auto& [key, name] : kPrograms) {
          const std::string number = std::to_string(at++);
          run->default_env["GIT_CONFIG_KEY_" + number] = key;
          run->default_env["GIT_CONFIG_VALUE_" + number] = signing.second + "/" + name;
        }
        run->env.erase("GIT_CONFIG_COUNT");
        run->default_env["GIT_CONFIG_COUNT"] = std::to_string(at);
      };
}

}  // namespace gibbous::host
