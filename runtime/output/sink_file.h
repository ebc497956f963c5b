// SinkFile: the file of a FileSink: found below a trusted directory without following any link,
// bounded by a quota, rotated. Every method may wait for the disk. One disk thread at a time calls
// them, never the loop.
#pragma once

#include <sys/stat.h>

#include <cstddef>
#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

struct FileSinkSpec {
  std::string directory;  // absolute and trusted by the host; it must exist, and links to it are
                          // followed
  std::string path;       // below it; missing directories are made with mode 0700
  std::uint64_t max_bytes = 0;  // of each file, our notes included
  // 1: at max_bytes writing stops. More: `path` becomes `path`.1, that `path`.2 and so on; the
  // oldest is removed.
  std::uint32_t files = 1;
  // True: an existing file is continued and counts. False: it is emptied, and its rotated files are
  // removed.
  bool append = false;
};

inline constexpr std::uint64_t kMinSinkBytes = std::uint64_t{4} << 10;
inline constexpr std::uint64_t kMaxSinkBytes = std::uint64_t{1} << 40;
inline constexpr std::uint32_t kMaxSinkFiles = 100;
inline constexpr std::size_t kMaxSinkPathBytes = 1024;

// The error names the field and what it expects; its code is invalid_arguments.
Status check(const FileSinkSpec& spec);

// Bytes of a stream, or a line about bytes that could not be written.
struct SinkPiece {
  std::string bytes;
  std::size_t source = 0;
  std::uint64_t lost = 0;  // for a line about lost bytes, which is written whole: how many
};

struct SinkOutcome {
  std::size_t taken = 0;  // bytes of the pieces, in order
  bool full = false;      // the quota is used up, nothing more will ever be taken
  std::uint32_t files = 0;
  Status status;  // why not all was taken, unless `full`
};

class SinkFile {
 public:
  // Tests set `with_openat2` to false to act as on a kernel without openat2.
  explicit SinkFile(FileSinkSpec spec, bool with_openat2 = true);

  // Opens the file if it is not open, and writes as much of the pieces as possible.
  SinkOutcome write(const std::vector<SinkPiece>& pieces);
  void close() { file_.reset(); }

 private:
  Status write_pieces(const std::vector<SinkPiece>& pieces, std::size_t& taken);
  Status write_output(std::string_view bytes, std::size_t& taken);
  Status write_note(const std::string& note, std::size_t& taken);
  Status write_all(std::string_view bytes, std::size_t& taken);
  std::uint64_t room() const;
  Status make_room();
  Status end_by_quota();
  Status rotate();
  Status open_when_needed();
  Status begin_file(const UniqueFd& parent);
  Result<UniqueFd> open_parent();
  Result<UniqueFd> open_file(const UniqueFd& parent);
  int open_beneath(int directory, const std::string& name, int flags, mode_t mode);
  std::string rotated_name(std::uint32_t number) const;

  FileSinkSpec spec_;
  bool with_openat2_;
  std::vector<std::string> directories_;  // of spec_.path, without the last component
  std::string name_;                      // its last component
  std::string quota_note_;
  UniqueFd root_;
  UniqueFd file_;
  std::uint64_t size_ = 0;
  std::uint32_t files_ = 0;
  bool begun_ = false;  // an earlier file has been emptied or continued
  bool at_line_start_ = true;
  bool full_ = false;
};

}  // namespace gibbous
