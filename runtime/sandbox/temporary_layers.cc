// The room of a group for layers over other directories, and how much they hold.
#include <fcntl.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <charconv>
#include <memory>
#include <utility>

#include "runtime/base/listing.h"
#include "runtime/base/random_id.h"
#include "runtime/base/sha256.h"
#include "runtime/sandbox/temporary.h"
#include "runtime/sandbox/temporary_base.h"

namespace gibbous {
namespace {

constexpr const char* kLayers = "layers";  // beside the files of a group
constexpr const char* kTexts = "texts";    // in that, beside the places
constexpr const char* kLayerBytes = "layer-bytes";
constexpr std::uint64_t kBlockBytes = 512;  // of st_blocks
constexpr int kMostRemovals = 100;          // each leaves what is too deep to the next one
constexpr int kMostLayerPlaces = 16;        // runs at the same time that have layers
constexpr std::size_t kNameLetters = 24;

// Enters nothing that is mounted there, and follows no link.
std::uint64_t bytes_below(int around, const char* name, int depth) {
  Listing listing(open_below(around, name, O_RDONLY | O_DIRECTORY | O_NOFOLLOW));
  if (depth == 0) return 0;
  std::uint64_t bytes = 0;
  while (const dirent* const entry = listing.next()) {
    struct stat info {};
    if (::fstatat(listing.fd(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) continue;
    bytes += static_cast<std::uint64_t>(info.st_blocks) * kBlockBytes;
    if (S_ISDIR(info.st_mode)) bytes += bytes_below(listing.fd(), entry->d_name, depth - 1);
  }
  return bytes;
}

}  // namespace

std::uint64_t noted_bytes(int around, const char* note) {
  const UniqueFd file = open_below(around, note, O_RDONLY | O_NOFOLLOW);
  std::array<char, 24> text{};
  const ssize_t size = file ? ::read(file.get(), text.data(), text.size()) : 0;
  std::uint64_t bytes = 0;
  (void)std::from_chars(text.data(), text.data() + std::max<ssize_t>(size, 0), bytes);
  return bytes;
}

void note_bytes(int around, const char* tree, const char* note) {
  const std::string text = std::to_string(bytes_below(around, tree, kDeepest));
  (void)write_whole(around, note, text, S_IRUSR | S_IWUSR);
}

std::optional<std::string> move_layers_away(int base, const std::string& group) {
  (void)::unlinkat(base, (group + "/" + kLayerBytes).c_str(), 0);
  std::string aside = group + std::string(kAside) + random_id();
  const std::string layers = group + "/" + kLayers;
  if (::renameat(base, layers.c_str(), base, aside.c_str()) != 0) return std::nullopt;
  return aside;
}

void move_copies_away(const std::string& directory, const std::string& group) {
  const std::string aside =
      base_in(kLayersAround) + "/" + group + std::string(kAside) + random_id();
  (void)::rename(directory.c_str(), aside.c_str());
}

void remove_moved_layers(const std::string& group) {
  const UniqueFd base = open_base(kLayersAround);
  const std::string around = base_in(kLayersAround);
  bool found = static_cast<bool>(base);
  for (int times = 0; found && times < kMostRemovals; ++times) {
    found = false;
    for (const std::string& path : children_of(around)) {
      const std::string name = path.substr(around.size() + 1);
      if (!name.starts_with(group + std::string(kAside))) continue;
      found = true;
      remove_tree(base.get(), name.c_str());
    }
  }
}

// Where a group has its layers. `own`: the directory around them.
static UniqueFd open_layers(const std::string& group, UniqueFd* own) {
  const UniqueFd base = open_base(kLayersAround);
  *own = own_directory(base.get(), group.c_str(), kForUser, false);
  return own_directory(own->get(), kLayers, kForUser, false);
}

std::optional<std::string> TemporaryGroup::text_file(std::string_view text) const {
  UniqueFd own;
  const UniqueFd all = open_layers(name_, &own);
  const UniqueFd texts = own_directory(all.get(), kTexts, kForUser, false);
  if (!texts) return std::nullopt;
  const std::string name = sha256_hex(text);
  std::string path = base_in(kLayersAround) + "/" + name_ + "/" + kLayers + "/" + kTexts + "/";
  path += name;
  // Only a whole file gets this name.
  if (open_below(texts.get(), name.c_str(), O_PATH | O_NOFOLLOW)) return path;
  return write_whole(texts.get(), name, text, S_IRUSR) ? std::optional(path) : std::nullopt;
}

std::optional<TemporaryGroup::LayerPlace> TemporaryGroup::take_layers() const {
  UniqueFd own;
  const UniqueFd all = open_layers(name_, &own);
  for (int number = 0; all && number < kMostLayerPlaces; ++number) {
    const std::string name = std::to_string(number);
    UniqueFd place = own_directory(all.get(), name.c_str(), kForUser, false);
    if (!place || ::flock(place.get(), LOCK_EX | LOCK_NB) != 0) continue;
    const std::string around = base_in(kLayersAround) + "/" + name_ + "/" + kLayers + "/";
    LayerPlace taken{around + name, around + name + "/copies", noted_bytes(own.get(), kLayerBytes),
                     std::move(place)};
    move_copies_away(taken.copies, name_);  // a keeper that was killed has left them
    return taken;
  }
  return std::nullopt;
}

std::string layer_name(const std::string& directory) {
  return sha256_hex(directory).substr(0, kNameLetters);
}

bool has_changed_layer(const std::string& group, const std::string& directory,
                       const std::string& path, std::chrono::milliseconds since) {
  const UniqueFd base = open_base(kLayersAround);
  const UniqueFd layers =
      open_below(base.get(), (group + "/" + kLayers).c_str(), O_PATH | O_DIRECTORY);
  const auto has = [&](const std::string& name) {
    struct stat info {};
    const UniqueFd found = open_below(layers.get(), name.c_str(), O_PATH | O_NOFOLLOW);
    return found && ::fstat(found.get(), &info) == 0 &&
           std::chrono::seconds(info.st_mtim.tv_sec) +
                   std::chrono::nanoseconds(info.st_mtim.tv_nsec) >=
               since;
  };
  // Any of the directories around can be the one that the overlay is over.
  for (std::string base = directory; layers && base.size() > 1; base = parent_of(base)) {
    const std::string name = "/" + layer_name(base) + "/upper" + path.substr(base.size());
    for (int place = 0; place < kMostLayerPlaces; ++place) {
      if (has(std::to_string(place) + name)) return true;
    }
  }
  return false;
}

void note_layer_bytes(const std::string& group) {
  const UniqueFd base = open_base(kLayersAround);
  const UniqueFd own = open_below(base.get(), group.c_str(), O_RDONLY | O_DIRECTORY);
  if (own) note_bytes(own.get(), kLayers, kLayerBytes);
}

// Layers end with the group; a keeper that was killed has left them.
void remove_old_layers(int base, const UniqueFd& locks, const std::string& group) {
  std::optional<std::string> aside;
  {
    const UniqueFd lock = open_below(locks.get(), group.c_str(), O_RDONLY | O_DIRECTORY);
    if (lock && ::flock(lock.get(), LOCK_EX | LOCK_NB) != 0) return;
    aside = move_layers_away(base, group);
  }
  if (aside) remove_tree(base, aside->c_str());
}

}  // namespace gibbous
