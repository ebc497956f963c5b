#include "runtime/runs/log_place.h"

#include <unistd.h>

#include <cerrno>
#include <cstring>
#include <filesystem>
#include <string_view>
#include <utility>

namespace gibbous {
namespace {

// Returns the part of `path` after `directory` and its slash; "" when it is not below.
std::string rest_below(const std::string& path, const std::string& directory) {
  const std::string prefix = directory + "/";
  if (directory.empty() || path.compare(0, prefix.size(), prefix) != 0) return "";
  return path.substr(prefix.size());
}

Status unusable(const std::string& path, const std::string& why) {
  return Status::error("unavailable", "log: the temporary directory " + path + " " + why +
                                          ". Set temp_directory in the configuration, or TMPDIR.");
}

}  // namespace

Result<FileSinkSpec> place_log(const LogSpec& log, const std::string& workspace,
                               const std::string& temp_directory) {
  FileSinkSpec sink{workspace, log.path, log.max_bytes, log.files, log.append};
  if (log.path.empty() || log.path.front() != '/') return sink;
  for (const std::string& directory : {workspace, temp_directory}) {
    std::string rest = rest_below(log.path, directory);
    if (rest.empty()) continue;
    sink.directory = directory;
    sink.path = std::move(rest);
    return sink;
  }
  return Status::error("invalid_arguments", "path: expected a file below the workspace (" +
                                                workspace + ") or the temporary directory (" +
                                                temp_directory + "), got '" + log.path + "'");
}

const std::string& log_workspace(const RunSpec& spec, const std::string& runtime_workspace) {
  return spec.workspace.empty() ? runtime_workspace : spec.workspace;
}

std::string log_path_of(std::string path, const std::string& run) {
  constexpr std::string_view kPlaceholder = "{run}";
  std::size_t at = path.find(kPlaceholder);
  for (; at != std::string::npos; at = path.find(kPlaceholder, at + run.size())) {
    path.replace(at, kPlaceholder.size(), run);
  }
  return path;
}

Status make_temp_directory(const std::string& path) {
  std::error_code error;
  std::filesystem::create_directories(path, error);
  if (error) return unusable(path, "cannot be made: " + error.message());
  if (::access(path.c_str(), W_OK | X_OK) == 0) return {};
  return unusable(path, std::string("cannot be written to: ") + std::strerror(errno));
}

}  // namespace gibbous
