// The gibbous-keeper program: a file that is checked, or the one that is built into this library,
// which needs no file. Any thread.
#pragma once

#include <string>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

// Names the keeper that is built in, where one is.
inline constexpr const char* kBuiltInKeeper = "<built-in>";

// Returns `configured`, else GIBBOUS_KEEPER, else the gibbous-keeper in the install tree of this
// library or program, else the one that is built in. Fails with keeper_not_found, or with
// keeper_mismatch: the file is a program, but not the keeper of this version.
Result<std::string> find_keeper(const std::string& configured);

// The soft limit of open files that runs get, where it is not the library's: --open-files=1024.
inline constexpr const char* kOpenFilesArgument = "--open-files=";

struct KeeperProgram {
  std::string path;  // as find_keeper() returns it
  UniqueFd bytes;    // to execute in place of a file: of the keeper that is built in
};

// Makes what find_keeper() has found ready to be executed. Fails with keeper_not_found.
Result<KeeperProgram> open_keeper(const std::string& path);

// The bytes of the keeper that is built in; empty where none is.
std::string_view built_in_keeper();

// Returns ok when the keeper that find_keeper() finds can be executed, or why not. Files that may
// not hold programs, or not be as large, are found out, too.
Status check_keeper_of(const std::string& configured);

// Returns ok when the file may be executed and is the keeper of this version. A script may stand
// for it: what that starts is seen only when it runs.
Status check_keeper(const std::string& path);

}  // namespace gibbous
