// A file of scripts or policies: what was read of it, and what the monitor compares. Plain data.
#pragma once

#include <sys/stat.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

namespace gibbous::lua {

// Identifies a file at a path and its state. Equal stamps mean equal bytes, as far as a stat can
// tell.
struct FileStamp {
  bool exists = false;
  std::uint64_t device = 0;
  std::uint64_t inode = 0;
  std::int64_t size = 0;
  std::int64_t changed_ns = 0;  // mtime, Unix time

  static FileStamp of(const std::string& path);
  static FileStamp of(const struct stat& info);
  bool operator==(const FileStamp& other) const = default;
};

// One file as it was read; the monitor compares it with the file on disk.
struct SourceFile {
  std::string path;
  std::string_view text;  // the snapshot, the build or the host owns it
  std::string hash;
  std::string_view code;  // what the build compiled it to; "": the build had no such text
};

// A file that the monitor compares with the one on disk.
struct MonitoredFile {
  std::string path;
  std::string hash;  // of what was read; "" when the file was missing and would change the load
  std::optional<FileStamp> stamp = std::nullopt;  // of what was read
};

}  // namespace gibbous::lua
