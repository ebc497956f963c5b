// The files of records: written under another name and then renamed, opened without following a
// link.
#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstdio>
#include <cstring>
#include <memory>
#include <set>

#include "runtime/base/listing.h"
#include "runtime/base/state_file.h"
#include "runtime/keeper/control_socket.h"
#include "runtime/keeper/end_record.h"

namespace gibbous {
namespace {

constexpr std::string_view kRecordPrefix = "ended-";
constexpr std::string_view kNewRecordPrefix = "new-ended-";
constexpr mode_t kRecordDirectoryMode = 0700;

std::string name_of(std::string_view prefix, const std::string& run_id) {
  return std::string(prefix) + run_id;
}

Status unusable_file(const std::string& directory, const std::string& run_id,
                     const std::string& why) {
  return Status::error("end_record_unusable",
                       directory + "/" + name_of(kRecordPrefix, run_id) + ": " + why);
}

// Makes a new file; what an earlier keeper did not finish is removed first.
UniqueFd create_file(int directory, const std::string& name) {
  constexpr int kFlags = O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC;
  UniqueFd file(::openat(directory, name.c_str(), kFlags, kStateFileMode));
  if (file || errno != EEXIST) return file;
  ::unlinkat(directory, name.c_str(), 0);
  return UniqueFd(::openat(directory, name.c_str(), kFlags, kStateFileMode));
}

bool write_all(int file, const std::string& text) {
  ssize_t put = 0;
  do {
    put = ::write(file, text.data(), text.size());
  } while (put < 0 && errno == EINTR);
  if (put >= 0 && static_cast<std::size_t>(put) < text.size()) errno = ENOSPC;
  return put == static_cast<ssize_t>(text.size());
}

// Reads one byte more than a record may have. Returns false with errno set.
bool read_all(int file, std::string* text) {
  std::array<char, kMaxEndRecordBytes + 1> buffer;
  while (text->size() < buffer.size()) {
    const ssize_t got = ::read(file, buffer.data(), buffer.size() - text->size());
    if (got < 0 && errno == EINTR) continue;
    if (got < 0) return false;
    if (got == 0) return true;
    text->append(buffer.data(), static_cast<std::size_t>(got));
  }
  return true;
}

}  // namespace

Status write_end_record(const std::string& directory, const EndRecord& record) {
  const auto failure = [&](int error) {
    return unusable_file(directory, record.run_id, std::strerror(error));
  };
  if (!can_have_end_record(record.run_id)) return failure(EINVAL);
  if (::mkdir(directory.c_str(), kRecordDirectoryMode) != 0 && errno != EEXIST)
    return failure(errno);
  const auto held = open_control_directory(directory, false);
  if (!held) return held.status();
  const WithoutSizeSignal without_size_signal;
  const std::string unfinished = name_of(kNewRecordPrefix, record.run_id);
  const UniqueFd file = create_file(held->get(), unfinished);
  if (!file) return failure(errno);
  const bool written = write_all(file.get(), to_text(record)) &&
                       ::renameat(held->get(), unfinished.c_str(), held->get(),
                                  name_of(kRecordPrefix, record.run_id).c_str()) == 0;
  const int error = errno;
  if (written) return {};
  ::unlinkat(held->get(), unfinished.c_str(), 0);
  return failure(error);
}

Result<EndRecord> read_end_record(const std::string& directory, const std::string& run_id) {
  const Status missing = Status::error("end_record_missing", "there is no record of its end");
  if (!can_have_end_record(run_id)) return missing;
  if (::access(directory.c_str(), F_OK) != 0 && errno == ENOENT) return missing;
  const auto held = open_control_directory(directory, false);
  if (!held) return Status::error("end_record_unusable", held.status().message());
  const UniqueFd file(::openat(held->get(), name_of(kRecordPrefix, run_id).c_str(),
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENOENT) return missing;
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0) {
    return unusable_file(directory, run_id,
                         errno == ELOOP ? "it is a symbolic link" : std::strerror(errno));
  }
  if (const char* why = objection_to(status)) return unusable_file(directory, run_id, why);
  std::string text;
  if (!read_all(file.get(), &text)) return unusable_file(directory, run_id, std::strerror(errno));
  auto record = parse_end_record(text);
  if (!record) return unusable_file(directory, run_id, record.status().message());
  if (record->run_id != run_id) return unusable_file(directory, run_id, "it is about another run");
  return record;
}

void remove_end_record(const std::string& directory, const std::string& run_id) {
  if (!can_have_end_record(run_id)) return;
  const auto held = open_control_directory(directory, false);
  if (!held) return;
  for (const std::string_view prefix : {kRecordPrefix, kNewRecordPrefix}) {
    ::unlinkat(held->get(), name_of(prefix, run_id).c_str(), 0);
  }
}

std::vector<std::string> list_end_records(const std::string& directory, std::size_t most) {
  std::set<std::string> ids;
  Listing list(directory);
  while (const dirent* entry = ids.size() < most ? list.next() : nullptr) {
    const std::string_view name(entry->d_name);
    for (const std::string_view prefix : {kRecordPrefix, kNewRecordPrefix}) {
      const std::string_view id = name.substr(std::min(prefix.size(), name.size()));
      if (name.starts_with(prefix) && can_have_end_record(id)) ids.emplace(id);
    }
  }
  return {ids.begin(), ids.end()};
}

}  // namespace gibbous
