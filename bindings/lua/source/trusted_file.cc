#include "bindings/lua/source/trusted_file.h"

#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstdio>

#include "bindings/lua/source/memory_files.h"

namespace gibbous::lua {
namespace {

std::string objection(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return "";  // reading it reports more
  if (info.st_uid != 0 && info.st_uid != ::geteuid())
    return path + " belongs to another user: policies must be yours or root's";
  const bool private_group = info.st_gid == info.st_uid;
  const mode_t others = S_IWOTH | (private_group ? mode_t{0} : mode_t{S_IWGRP});
  if ((info.st_mode & others) == 0) return "";
  std::array<char, 16> mode{};
  (void)std::snprintf(mode.data(), mode.size(), "%04o", info.st_mode & 07777U);
  return path + " can be written by others (mode " + mode.data() +
         "), so it is no policy: chmod go-w it";
}

}  // namespace

std::string objection_to_policy_file(const std::string& path, DirectoryObjections* known) {
  if (is_in_memory(path)) return "";
  const std::string file = objection(path);
  if (!file.empty()) return file;
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos || slash == 0) return "";
  const auto [at, is_new] = known->try_emplace(path.substr(0, slash));
  if (is_new) at->second = objection(at->first);
  return at->second;
}

}  // namespace gibbous::lua
