// See spec_files.h.
#include "bindings/cli/spec_files.h"

#include <algorithm>
#include <filesystem>
#include <string_view>

namespace gibbous::cli {
namespace {

namespace fs = std::filesystem;

constexpr std::string_view kSpecSuffix = "_spec.lua";
constexpr std::string_view kForeign = "node_modules";
constexpr const char* kUsualPlaces[] = {"scripts", "specs", "tests"};

void add_below(const fs::path& directory, std::vector<std::string>* files) {
  std::error_code error;
  const auto options = fs::directory_options::skip_permission_denied;
  for (fs::recursive_directory_iterator it(directory, options, error), end; !error && it != end;
       it.increment(error)) {
    const std::string name = it->path().filename().string();
    std::error_code ignored;
    if (it->is_directory(ignored)) {
      if (name.starts_with('.') || name == kForeign) it.disable_recursion_pending();
    } else if (name.ends_with(kSpecSuffix)) {
      files->push_back(it->path().string());
    }
  }
}

std::string whole(const fs::path& path) {
  std::error_code ignored;
  return fs::absolute(path, ignored).lexically_normal().string();
}

}  // namespace

Result<std::vector<std::string>> find_specs(const std::vector<std::string>& paths,
                                            const std::string& workspace) {
  std::vector<std::string> files;
  for (const std::string& path : paths) {
    std::error_code error;
    if (fs::is_directory(path, error)) {
      add_below(whole(path), &files);
    } else if (fs::is_regular_file(path, error)) {
      files.push_back(whole(path));
    } else {
      return Status::error("invalid_arguments", path + ": there is no such file or directory");
    }
  }
  for (const char* place : kUsualPlaces) {
    if (paths.empty()) add_below(whole(fs::path(workspace) / place), &files);
  }
  std::sort(files.begin(), files.end());
  files.erase(std::unique(files.begin(), files.end()), files.end());
  if (!files.empty()) return files;
  return Status::error("invalid_arguments",
                       paths.empty()
                           ? "there is no file *_spec.lua below scripts, specs or tests of " +
                                 workspace + "; name a file or directory: gibbous test PATH"
                           : "there is no file *_spec.lua below " + paths.front());
}

}  // namespace gibbous::cli
