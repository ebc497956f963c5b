#include "bindings/lua/git_places.h"

#include <filesystem>
#include <fstream>
#include <string_view>

namespace gibbous::lua {
namespace {

namespace fs = std::filesystem;

constexpr std::size_t kMaxLineBytes = 4096;

// Of a regular file that is no link; "" when there is none.
std::string first_line(const fs::path& path) {
  std::error_code error;
  if (fs::symlink_status(path, error).type() != fs::file_type::regular) return "";
  std::ifstream file(path);
  std::string line(kMaxLineBytes, '\0');
  file.read(line.data(), static_cast<std::streamsize>(line.size()));
  line.resize(static_cast<std::size_t>(file.gcount()));
  return line.substr(0, line.find('\n'));
}

}  // namespace

void add_git_places(const std::string& workspace, PathVariables& variables) {
  constexpr std::string_view kPrefix = "gitdir: ";
  variables["GIT_LINK"] = variables["GIT_WORKTREE"] = variables["GIT_COMMON"] = {};
  const fs::path link = fs::path(workspace) / ".git";
  const std::string line = first_line(link);
  if (line.rfind(kPrefix, 0) != 0) return;
  std::error_code error;
  const fs::path named = line.substr(kPrefix.size());
  const fs::path directory =
      fs::canonical(named.is_absolute() ? named : fs::path(workspace) / named, error);
  if (error || directory.parent_path().filename() != "worktrees") return;
  const fs::path back = fs::canonical(first_line(directory / "gitdir"), error);
  if (error || back != fs::canonical(link, error)) return;
  variables["GIT_LINK"] = {link.string()};
  variables["GIT_WORKTREE"] = {directory.string()};
  variables["GIT_COMMON"] = {directory.parent_path().parent_path().string()};
}

}  // namespace gibbous::lua
