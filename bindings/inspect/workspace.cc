// See workspace.h.
#include "bindings/inspect/workspace.h"

#include <filesystem>

namespace gibbous::inspect {
namespace {

bool holds(const std::string& workspace, const std::string& directory) {
  if (workspace.empty() || directory.compare(0, workspace.size(), workspace) != 0) return false;
  return directory.size() == workspace.size() || workspace.back() == '/' ||
         directory[workspace.size()] == '/';
}

}  // namespace

std::string current_directory() {
  std::error_code error;
  const std::filesystem::path directory = std::filesystem::current_path(error);
  return error ? "" : directory.string();
}

std::string workspace_of(const std::string& directory, const std::vector<RunRecord>& runs) {
  std::string found;
  for (const RunRecord& run : runs) {
    if (run.workspace.size() > found.size() && holds(run.workspace, directory)) {
      found = run.workspace;
    }
  }
  return found;
}

}  // namespace gibbous::inspect
