// Looks things up relative to this executable, so that an install tree works in any prefix.
#include "bindings/host/places.h"

#include <unistd.h>

#include <cstdlib>
#include <filesystem>

extern char** environ;

namespace gibbous::host {

namespace fs = std::filesystem;

Result<std::string> find_share() {
  std::vector<fs::path> places;
  if (const char* configured = std::getenv("GIBBOUS_SHARE"); configured && *configured) {
    places.emplace_back(configured);
  } else {
    std::error_code error;
    const fs::path executable = fs::read_symlink("/proc/self/exe", error);
    const fs::path directory = executable.parent_path();
    places.push_back(directory / "share/gibbous");
    places.push_back(directory.parent_path() / "share/gibbous");
  }
  std::string tried;
  for (const fs::path& place : places) {
    std::error_code error;
    if (fs::exists(place / "scripts/init.lua", error)) return place.string();
    tried += (tried.empty() ? "" : ", ") + place.string();
  }
  return Status::error(
      "scripts_not_found",
      "The scripts that ship with Gibbous are not at " + tried +
          ". Set GIBBOUS_SHARE to the directory that holds scripts/ and policies/.");
}

Result<std::string> absolute_directory(const std::string& path, const char* field) {
  std::error_code error;
  const fs::path absolute = fs::absolute(path.empty() ? fs::path(".") : fs::path(path), error);
  const fs::path canonical = error ? absolute : fs::canonical(absolute, error);
  if (error || !fs::is_directory(canonical)) {
    return Status::error("invalid_arguments",
                         std::string(field) + ": expected a directory, got " + absolute.string() +
                             " (" + (error ? error.message() : "not a directory") + ")");
  }
  return canonical.string();
}

std::vector<std::string> inherited_environment() {
  std::vector<std::string> variables;
  for (char** variable = environ; *variable != nullptr; ++variable)
    variables.emplace_back(*variable);
  return variables;
}

}  // namespace gibbous::host
