// A settings file of another program: read, then replaced whole, so that a reader never sees half
// of it. Symbolic links below the directory are not followed, and what another program wrote in
// between is not overwritten. For `gibbous mcp install`; main thread.
#pragma once

#include <sys/stat.h>

#include <string>

#include "gibbous/status.h"

namespace gibbous::cli {

struct SettingsFile {
  std::string directory;  // which may be a symbolic link
  std::string path;       // below it
  bool exists = false;
  std::string text;
  struct stat identity {};
};

// Reads the file; one that does not exist has no text. Fails with file_unwritable and the reason.
Result<SettingsFile> read_settings(const std::string& directory, const std::string& path);

// Replaces the file, or creates it, with the permissions and the owner that it has. Fails with
// file_unwritable, or with file_changed when it is no longer what was read.
Status replace_settings(const SettingsFile& file, const std::string& text);

}  // namespace gibbous::cli
