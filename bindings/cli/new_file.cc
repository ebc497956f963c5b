// See new_file.h.
#include "bindings/cli/new_file.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

#include "bindings/cli/file_below.h"

namespace gibbous::cli {
namespace {

constexpr mode_t kFileMode = 0666;  // minus the umask

}  // namespace

Status write_new_file(const std::string& directory, const std::string& path,
                      const std::string& text) {
  const Result<UniqueFd> place = open_parent(directory, path, Parents::kMake);
  if (!place) return place.status();
  const std::string name = name_in_parent(path);
  const UniqueFd file(::openat(place->get(), name.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC, kFileMode));
  if (!file) {
    if (errno != EEXIST) return cannot_write(path, errno);
    return Status::error("file_exists", path + " exists already");
  }
  if (write_text(file.get(), text)) return {};
  const int error = errno;
  (void)::unlinkat(place->get(), name.c_str(), 0);
  return cannot_write(path, error);
}

}  // namespace gibbous::cli
