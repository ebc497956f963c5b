#include "runtime/paths/repositories.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <deque>
#include <functional>
#include <memory>
#include <set>
#include <string_view>
#include <utility>

#include "runtime/base/listing.h"
#include "runtime/base/mounts.h"
#include "runtime/paths/mount_types.h"

namespace gibbous::paths {
namespace {

constexpr int kMaxDepth = 24;
constexpr std::size_t kLooksAtEntries = 1024;  // between two looks at the clock
constexpr std::string_view kGit = ".git";

std::set<std::string> remote_mounts() {
  std::set<std::string> points;
  for (Mount& mount : own_mounts()) {
    if (!is_local_type(mount.type)) points.insert(std::move(mount.point));
  }
  return points;
}

struct Place {
  std::string path;
  int depth = 0;
};

unsigned char type_of(int directory, const dirent& entry) {
  if (entry.d_type != DT_UNKNOWN) return entry.d_type;
  struct stat info {};
  if (::fstatat(directory, entry.d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) return DT_UNKNOWN;
  return static_cast<unsigned char>(IFTODT(info.st_mode));
}

class Search {
 public:
  Repositories run(const std::string& directory) {
    places_.push_back({directory, 0});
    while (!places_.empty()) {
      const std::size_t found =
          std::max({found_.places.size(), found_.links.size(), found_.bare.size()});
      found_.too_many = found >= kMaxRepositories;
      if (found_.too_many || is_late()) {
        found_.complete = false;
        break;
      }
      const Place place = std::move(places_.front());
      places_.pop_front();
      look_into(place);
    }
    return std::move(found_);
  }

 private:
  bool is_late() { return time_.is_over(std::chrono::steady_clock::now()); }

  void look_into(const Place& place) {
    Listing listing(
        UniqueFd(::open(place.path.c_str(), O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC)));
    if (!listing) {
      // What cannot be listed may still be entered by name.
      found_.complete = found_.complete && (errno == ENOENT || errno == ENOTDIR);
      return;
    }
    const std::string around = place.path == "/" ? "/" : place.path + "/";
    std::size_t entries = 0;
    std::set<std::string, std::less<>> parts;  // of a repository
    while (const dirent* const entry = listing.next()) {
      const std::string_view name(entry->d_name);
      if (++entries % kLooksAtEntries == 0 && is_late()) {
        found_.complete = false;
        return;
      }
      const unsigned char type = type_of(listing.fd(), *entry);
      if (name == kGit) {
        if (place.depth > 0 && (type == DT_DIR || type == DT_REG)) {
          found_.places.push_back(around + entry->d_name);
        } else if (place.depth > 0) {
          found_.links.push_back(around + entry->d_name);
          found_.complete = false;  // the repository is elsewhere
        }
        continue;
      }
      if (is_part(name, type)) parts.emplace(name);
      if (type == DT_DIR && !remote_.contains(around + entry->d_name)) {
        if (place.depth == kMaxDepth) {
          found_.complete = false;
        } else {
          places_.push_back({around + entry->d_name, place.depth + 1});
        }
      }
    }
    const auto has = [&](std::string_view name) { return parts.contains(name); };
    if (has("HEAD") && (has("commondir") || (has("objects") && has("refs")))) {
      found_.bare.push_back(place.path);
    }
  }

  // What makes git take a directory for a repository. A link may lead to anything.
  static bool is_part(std::string_view name, unsigned char type) {
    if (name == "HEAD" || name == "commondir") return type == DT_REG || type == DT_LNK;
    if (name == "objects" || name == "refs") return type == DT_DIR || type == DT_LNK;
    return false;
  }

  std::set<std::string> remote_ = remote_mounts();
  SearchTime time_{std::chrono::steady_clock::now()};
  std::deque<Place> places_;
  Repositories found_;
};

}  // namespace

Repositories find_repositories(const std::string& directory) {
  return Search().run(directory);
}

}  // namespace gibbous::paths
