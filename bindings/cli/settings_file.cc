// See settings_file.h.
#include "bindings/cli/settings_file.h"

#include <fcntl.h>
#include <unistd.h>

#include <cerrno>
#include <cstdio>
#include <utility>

#include "bindings/cli/file_below.h"
#include "runtime/base/random_id.h"

namespace gibbous::cli {
namespace {

constexpr off_t kMaxSettingsBytes = 64 << 20;
constexpr mode_t kNewSettingsMode = 0666;  // minus the umask
constexpr mode_t kPrivateMode = 0600;
constexpr mode_t kPermissionBits = 07777;

Status unusable_settings(const std::string& path, const std::string& why) {
  return Status::error("file_unwritable", "cannot change " + path + ": " + why);
}

const char* objection_to_settings(const struct stat& file) {
  if (S_ISLNK(file.st_mode)) return "it is a symbolic link, which is not followed";
  if (!S_ISREG(file.st_mode)) return "it is not a regular file";
  if (file.st_nlink > 1) return "it has another name too (a hard link)";
  if (file.st_size > kMaxSettingsBytes) return "it is larger than settings can be";
  return nullptr;
}

bool same_settings(const struct stat& a, const struct stat& b) {
  return a.st_dev == b.st_dev && a.st_ino == b.st_ino && a.st_size == b.st_size &&
         a.st_mtim.tv_sec == b.st_mtim.tv_sec && a.st_mtim.tv_nsec == b.st_mtim.tv_nsec;
}

bool read_whole(int fd, std::string* text) {
  std::size_t got = 0;
  while (got < text->size()) {
    const ssize_t count = ::read(fd, text->data() + got, text->size() - got);
    if (count < 0 && errno == EINTR) continue;
    if (count < 0) return false;
    if (count == 0) break;
    got += static_cast<std::size_t>(count);
  }
  text->resize(got);
  return true;
}

// A file that was replaced, or removed, or that appeared, has been changed by another program.
bool still_the_same(int place, const std::string& name, const SettingsFile& file) {
  struct stat now {};
  const bool exists = ::fstatat(place, name.c_str(), &now, AT_SYMLINK_NOFOLLOW) == 0;
  return exists == file.exists && (!exists || same_settings(now, file.identity));
}

bool like_the_old(int fd, const struct stat& old) {
  struct stat made {};
  if (::fstat(fd, &made) != 0) return false;
  const bool same_owner = made.st_uid == old.st_uid && made.st_gid == old.st_gid;
  if (!same_owner && ::fchown(fd, old.st_uid, old.st_gid) != 0) return false;
  return ::fchmod(fd, old.st_mode & kPermissionBits) == 0;
}

}  // namespace

Result<SettingsFile> read_settings(const std::string& directory, const std::string& path) {
  SettingsFile file;
  file.directory = directory;
  file.path = path;
  const Result<UniqueFd> place = open_parent(directory, path, Parents::kMustExist);
  if (!place && place.status().code() == "file_missing") return file;
  if (!place) return place.status();
  const std::string name = name_in_parent(path);
  // Looked at before opening, which may have an effect on a device.
  if (::fstatat(place->get(), name.c_str(), &file.identity, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return file;
    return cannot_write(path, errno);
  }
  if (const char* why = objection_to_settings(file.identity)) return unusable_settings(path, why);
  const UniqueFd opened(
      ::openat(place->get(), name.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC));
  if (!opened || ::fstat(opened.get(), &file.identity) != 0) return cannot_write(path, errno);
  if (const char* why = objection_to_settings(file.identity)) return unusable_settings(path, why);
  file.exists = true;
  file.text.resize(static_cast<std::size_t>(file.identity.st_size));
  if (!read_whole(opened.get(), &file.text)) return cannot_write(path, errno);
  return file;
}

Status replace_settings(const SettingsFile& file, const std::string& text) {
  const Result<UniqueFd> place = open_parent(file.directory, file.path, Parents::kMake);
  if (!place) return place.status();
  const std::string name = name_in_parent(file.path);
  const std::string fresh = "." + name + ".gibbous-" + random_id();
  const UniqueFd made(::openat(place->get(), fresh.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               file.exists ? kPrivateMode : kNewSettingsMode));
  if (!made) return cannot_write(file.path, errno);
  const auto give_up = [&place, &fresh](Status status) {
    (void)::unlinkat(place->get(), fresh.c_str(), 0);
    return status;
  };
  if (!write_text(made.get(), text) || ::fdatasync(made.get()) != 0) {
    return give_up(cannot_write(file.path, errno));
  }
  if (file.exists && !like_the_old(made.get(), file.identity)) {
    return give_up(unusable_settings(file.path, "its owner and permissions cannot be kept"));
  }
  if (!still_the_same(place->get(), name, file)) {
    return give_up(Status::error(
        "file_changed", file.path + " was changed by another program meanwhile; try again"));
  }
  if (::renameat(place->get(), fresh.c_str(), place->get(), name.c_str()) != 0) {
    return give_up(cannot_write(file.path, errno));
  }
  return {};
}

}  // namespace gibbous::cli
