#include "runtime/trust/tree.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <map>
#include <memory>
#include <utility>

#include "runtime/base/listing.h"
#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::trust {
namespace {

constexpr mode_t kPermissions = 07777;
constexpr mode_t kOthersWriteBits = 022;
constexpr int kMaxReads = 4;

Status unusable(const std::string& path, const std::string& why) {
  return Status::error("layer_unusable", path + ": " + why);
}

bool is_same(const struct stat& one, const struct stat& other) {
  return one.st_ino == other.st_ino && one.st_size == other.st_size &&
         one.st_mtim.tv_sec == other.st_mtim.tv_sec &&
         one.st_mtim.tv_nsec == other.st_mtim.tv_nsec &&
         one.st_ctim.tv_sec == other.st_ctim.tv_sec && one.st_ctim.tv_nsec == other.st_ctim.tv_nsec;
}

std::string octal(mode_t mode) {
  std::string digits;
  for (int shift = 9; shift >= 0; shift -= 3) {
    digits += static_cast<char>('0' + ((mode >> static_cast<unsigned>(shift)) & 7U));
  }
  return digits;
}

class Reader {
 public:
  Reader(std::string directory, TreeOwner owner) : owner_(owner) {
    tree_.directory = std::move(directory);
  }

  Status read_directory(UniqueFd directory, const std::string& prefix, std::size_t depth) {
    if (depth > kMaxTreeDepth) {
      return unusable(path_of(prefix),
                      "it lies more than " + std::to_string(kMaxTreeDepth) + " directories deep");
    }
    struct stat info {};
    if (::fstat(directory.get(), &info) != 0) return unusable(path_of(prefix), strerror(errno));
    if (Status status = check_owner(info, path_of(prefix)); !status) return status;
    std::vector<std::string> names;
    if (Status status = list(directory, prefix, &names); !status) return status;
    for (const std::string& name : names) {
      const std::string below = prefix.empty() ? name : prefix + "/" + name;
      if (Status status = read_entry(directory, name, below, depth); !status) return status;
    }
    return {};
  }

  Status read_entry(const UniqueFd& directory, const std::string& name, const std::string& below,
                    std::size_t depth) {
    struct stat info {};
    if (::fstatat(directory.get(), name.c_str(), &info, AT_SYMLINK_NOFOLLOW) != 0) {
      return unusable(path_of(below), std::strerror(errno));
    }
    if (S_ISLNK(info.st_mode)) {
      return unusable(path_of(below),
                      "it is a symbolic link, and what it leads to is not part of what is trusted; "
                      "put the file itself there");
    }
    if (!S_ISDIR(info.st_mode) && !S_ISREG(info.st_mode)) {
      return unusable(path_of(below), "it is neither a regular file nor a directory; remove it");
    }
    const bool is_directory = S_ISDIR(info.st_mode);
    UniqueFd entry(::openat(directory.get(), name.c_str(),
                            O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC |
                                (is_directory ? O_DIRECTORY : 0)));
    if (!entry) return unusable(path_of(below), std::string("cannot be read: ") + strerror(errno));
    if (is_directory) return read_directory(std::move(entry), below, depth + 1);
    return read_file(entry, below);
  }

  Result<Tree> take() {
    std::sort(tree_.files.begin(), tree_.files.end(),
              [](const TreeFile& a, const TreeFile& b) { return a.name < b.name; });
    std::string all;
    for (const TreeFile& file : tree_.files) {
      all.append(file.name).append(1, '\0').append(file.hash).append(1, '\n');
    }
    tree_.hash = sha256_hex(all);
    return std::move(tree_);
  }

 private:
  std::string path_of(const std::string& below) const {
    return below.empty() ? tree_.directory : tree_.directory + "/" + below;
  }

  Status check_owner(const struct stat& info, const std::string& path) const {
    if (owner_ == TreeOwner::kAnybody) return {};
    if (info.st_uid != 0) {
      return unusable(path, "it does not belong to root (chown root it, or remove it)");
    }
    if ((info.st_mode & kOthersWriteBits) == 0) return {};
    return unusable(path, "others than root may write to it (mode " +
                              octal(info.st_mode & kPermissions) + "; chmod go-w it)");
  }

  Status list(const UniqueFd& directory, const std::string& prefix,
              std::vector<std::string>* names) {
    Listing listing(directory.get());
    if (!listing) {
      return unusable(path_of(prefix), std::string("cannot be listed: ") + strerror(errno));
    }
    while (const dirent* entry = listing.next()) {
      if (++entries_ > kMaxTreeEntries) {
        return unusable(tree_.directory,
                        "it has more than " + std::to_string(kMaxTreeEntries) +
                            " files and directories; keep what is no configuration elsewhere");
      }
      names->emplace_back(entry->d_name);
    }
    return {};
  }

  Status read_file(const UniqueFd& file, const std::string& below) {
    if (tree_.files.size() >= kMaxTreeFiles) {
      return unusable(tree_.directory, "it has more than " + std::to_string(kMaxTreeFiles) +
                                           " files; keep what is no configuration elsewhere");
    }
    TreeFile read;
    read.name = below;
    struct stat before {};
    struct stat after {};
    for (int attempt = 0;; ++attempt) {
      if (::fstat(file.get(), &before) != 0 || !S_ISREG(before.st_mode)) {
        return unusable(path_of(below), "it is not a regular file");
      }
      auto bytes = read_whole(file, kMaxTreeFileBytes);
      if (!bytes) {
        return unusable(path_of(below), std::string("cannot be read: ") + strerror(errno));
      }
      read.bytes = std::move(*bytes);
      if (read.bytes.size() > kMaxTreeFileBytes) {
        return unusable(path_of(below),
                        "it is larger than " + std::to_string(kMaxTreeFileBytes) + " bytes");
      }
      if (::fstat(file.get(), &after) == 0 && is_same(before, after)) break;
      if (attempt == kMaxReads) return unusable(path_of(below), "it kept changing");
    }
    if (Status status = check_owner(before, path_of(below)); !status) return status;
    bytes_ += read.bytes.size();
    if (bytes_ > kMaxTreeBytes) {
      return unusable(tree_.directory, "its files have more than " + std::to_string(kMaxTreeBytes) +
                                           " bytes together");
    }
    read.mode = before.st_mode & kPermissions;
    read.hash = sha256_hex(octal(read.mode) + '\n' + read.bytes);
    tree_.files.push_back(std::move(read));
    return {};
  }

  TreeOwner owner_;
  Tree tree_;
  std::size_t entries_ = 0;
  std::size_t bytes_ = 0;
};

// Opens a path whose last part is no symbolic link.
Result<UniqueFd> open_last(const std::string& path, int flags) {
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    const bool missing = errno == ENOENT || errno == ENOTDIR;
    if (missing) return Status::error("layer_missing", path + " does not exist");
    return unusable(path, std::strerror(errno));
  }
  if (S_ISLNK(info.st_mode)) {
    return unusable(path, "it is a symbolic link; put the files themselves there");
  }
  UniqueFd opened(
      ::open(path.c_str(), O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC | flags));
  if (!opened) return unusable(path, std::string("cannot be opened: ") + std::strerror(errno));
  return opened;
}

}  // namespace

const TreeFile* Tree::find(const std::string& name) const {
  const auto found = std::lower_bound(
      files.begin(), files.end(), name,
      [](const TreeFile& file, const std::string& wanted) { return file.name < wanted; });
  return found != files.end() && found->name == name ? &*found : nullptr;
}

Result<Tree> read_tree(const std::string& directory, TreeOwner owner) {
  auto opened = open_last(directory, O_DIRECTORY);
  if (!opened) return opened.status();
  Reader reader(directory, owner);
  if (Status status = reader.read_directory(std::move(*opened), "", 0); !status) return status;
  return reader.take();
}

Result<Tree> read_single(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  const std::string directory = slash == std::string::npos ? "." : path.substr(0, slash + 1);
  const std::string name = slash == std::string::npos ? path : path.substr(slash + 1);
  struct stat info {};
  if (::lstat(path.c_str(), &info) != 0) {
    return Status::error(errno == ENOENT ? "layer_missing" : "layer_unusable",
                         path + ": " + std::strerror(errno));
  }
  if (S_ISDIR(info.st_mode)) return unusable(path, "it is a directory");
  const UniqueFd around(::open(directory.c_str(), O_RDONLY | O_DIRECTORY | O_CLOEXEC));
  if (!around) return unusable(directory, std::strerror(errno));
  Reader reader(directory.size() > 1 && directory.back() == '/'
                    ? directory.substr(0, directory.size() - 1)
                    : directory,
                TreeOwner::kAnybody);
  if (Status status = reader.read_entry(around, name, name, 0); !status) return status;
  return reader.take();
}

std::vector<NamedHash> hashes_of(const Tree& tree) {
  std::vector<NamedHash> hashes;
  for (const TreeFile& file : tree.files) hashes.push_back({file.name, file.hash});
  return hashes;
}

std::vector<std::string> differences(const std::vector<NamedHash>& before,
                                     const std::vector<NamedHash>& after) {
  std::map<std::string, std::string> old;
  for (const NamedHash& file : before) old[file.name] = file.hash;
  std::vector<std::string> changed;
  for (const NamedHash& file : after) {
    const auto found = old.find(file.name);
    if (found == old.end()) {
      changed.push_back("+ " + file.name);
    } else if (found->second != file.hash) {
      changed.push_back("~ " + file.name);
    }
    if (found != old.end()) old.erase(found);
  }
  for (const auto& [name, hash] : old) changed.push_back("- " + name);
  return changed;
}

}  // namespace gibbous::trust
