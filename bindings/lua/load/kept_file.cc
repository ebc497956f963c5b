#include "bindings/lua/load/kept_file.h"

#include <dirent.h>
#include <fcntl.h>
#include <link.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstring>
#include <ctime>
#include <lua.hpp>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/packing.h"
#include "runtime/base/random_id.h"
#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"
#include "runtime/base/state_key.h"
#include "runtime/paths/patience.h"

namespace gibbous::lua {

template <typename A>
void fields(A& all, Chunks::Chunk& each) {
  auto& [hash, begin, size] = each;
  all(hash, size);
  (void)begin;  // they follow one another
}

template <typename A>
void fields(A& all, FileState& each) {
  auto& [device, inode, size, modified_ns, changed_ns] = each;
  all(device, inode, size, modified_ns, changed_ns);
}

template <typename A>
void fields(A& all, KnownFile& each) {
  auto& [path, hash, state] = each;
  all(path, hash, state);
}

namespace {

constexpr char kKeptDirectory[] = "/scripts";
constexpr char kKeptHead[] = "gibbous kept 1\n";
constexpr std::size_t kSealDigits = 64;
constexpr std::size_t kMaxKeptBytes = std::size_t{16} << 20;
constexpr std::size_t kMaxKeptFiles = 8;
constexpr std::int64_t kMostWriteSeconds = 600;
constexpr std::size_t kMaxNoteBytes = std::size_t{4} << 10;
constexpr std::chrono::seconds kKeptPatience{2};

struct Object {
  std::uintptr_t address = 0;  // something that lies in it
  std::string id;
};

std::string build_id_of(const dl_phdr_info& info) {
  for (int at = 0; at < info.dlpi_phnum; ++at) {
    const ElfW(Phdr)& header = info.dlpi_phdr[at];
    if (header.p_type != PT_NOTE) continue;
    const auto* bytes = reinterpret_cast<const char*>(info.dlpi_addr + header.p_vaddr);
    std::size_t left = std::min<std::size_t>(header.p_memsz, kMaxNoteBytes);
    ElfW(Nhdr) note;
    while (left >= sizeof(note)) {
      std::memcpy(&note, bytes, sizeof(note));
      const std::size_t name = (note.n_namesz + 3U) / 4 * 4;
      const std::size_t size = sizeof(note) + name + (note.n_descsz + 3U) / 4 * 4;
      if (size > left) break;
      const char* text = bytes + sizeof(note);
      if (note.n_type == NT_GNU_BUILD_ID && note.n_namesz == 4 && std::memcmp(text, "GNU", 4) == 0)
        return {text + name, note.n_descsz};
      bytes += size;
      left -= size;
    }
  }
  return "";
}

int note_build_id(dl_phdr_info* info, std::size_t, void* wanted) {
  auto* object = static_cast<Object*>(wanted);
  for (int at = 0; at < info->dlpi_phnum; ++at) {
    const ElfW(Phdr)& header = info->dlpi_phdr[at];
    const std::uintptr_t begin = info->dlpi_addr + header.p_vaddr;
    if (header.p_type != PT_LOAD || object->address < begin ||
        object->address - begin >= header.p_memsz) {
      continue;
    }
    object->id = build_id_of(*info);
    return 1;
  }
  return 0;
}

// Returns the build ids of this code and of LuaJIT, as they are in memory; "" where one has none.
std::string running_build() {
  std::string all;
  for (const std::uintptr_t address : {reinterpret_cast<std::uintptr_t>(&running_build),
                                       reinterpret_cast<std::uintptr_t>(&lua_dump)}) {
    Object object{address, ""};
    ::dl_iterate_phdr(note_build_id, &object);
    if (object.id.empty()) return "";
    all += object.id;
  }
  return sha256_hex(all);
}

std::string file_name(const KeptPlace& place) {
  constexpr std::size_t kNameDigits = 16;
  return sha256_hex(place.name).substr(0, kNameDigits);
}

// The oldest files of other directories go, and what a process left half-written when it died.
void make_room(const UniqueFd& directory, const std::string& name) {
  const int copy = ::fcntl(directory.get(), F_DUPFD_CLOEXEC, 0);
  DIR* listing = copy < 0 ? nullptr : ::fdopendir(copy);
  if (listing == nullptr) {
    if (copy >= 0) ::close(copy);
    return;
  }
  ::rewinddir(listing);
  const std::int64_t now = ::time(nullptr);
  std::vector<std::pair<std::int64_t, std::string>> others;
  while (const dirent* entry = ::readdir(listing)) {
    struct stat info {};
    if (entry->d_name == name ||
        ::fstatat(directory.get(), entry->d_name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
      continue;
    }
    if (entry->d_name[0] == '.') {
      if (S_ISREG(info.st_mode) && info.st_mtim.tv_sec < now - kMostWriteSeconds)
        ::unlinkat(directory.get(), entry->d_name, 0);
      continue;
    }
    others.emplace_back(info.st_mtim.tv_sec, entry->d_name);
  }
  ::closedir(listing);
  std::sort(others.begin(), others.end());
  for (std::size_t at = 0; at + kMaxKeptFiles <= others.size(); ++at)
    ::unlinkat(directory.get(), others[at].second.c_str(), 0);
}

bool write_kept(int file, std::string_view bytes) {
  while (!bytes.empty()) {
    const ssize_t written = ::write(file, bytes.data(), bytes.size());
    if (written < 0 && errno == EINTR) continue;
    if (written <= 0) return false;
    bytes.remove_prefix(static_cast<std::size_t>(written));
  }
  return true;
}

// What stands in the file before the chunks, which have hashes of their own: few of them are
// needed.
struct Sealed {
  std::string seal;
  std::shared_ptr<const char[]> part;
  std::size_t size = 0;
  std::size_t end = 0;  // of it in the file
};

bool read_at(int file, char* into, std::size_t size, std::size_t offset) {
  while (size > 0) {
    const ssize_t got = ::pread(file, into, size, static_cast<off_t>(offset));
    if (got < 0 && errno == EINTR) continue;
    if (got <= 0) return false;
    into += got;
    size -= static_cast<std::size_t>(got);
    offset += static_cast<std::size_t>(got);
  }
  return true;
}

std::optional<Sealed> read_sealed(const UniqueFd& file, std::size_t file_size) {
  constexpr std::size_t kMostSizeBytes = 10;  // of a packed number
  const std::string_view head = kKeptHead;
  const std::size_t before = head.size() + kSealDigits;
  if (file_size > kMaxKeptBytes || file_size < before + kMostSizeBytes) return std::nullopt;
  std::array<char, sizeof(kKeptHead) + kSealDigits + kMostSizeBytes> begin;
  const std::size_t some = before + kMostSizeBytes;
  if (!read_at(file.get(), begin.data(), some, 0)) return std::nullopt;
  const std::string_view text(begin.data(), some);
  if (!text.starts_with(head)) return std::nullopt;
  Unpacker number(text.substr(before));
  Sealed sealed;
  sealed.seal = text.substr(head.size(), kSealDigits);
  sealed.size = number.length();
  const std::size_t from = some - number.rest().size();
  if (!number.good() || sealed.size > file_size - from) return std::nullopt;
  // Without zeros first: it is large.
  auto part = std::make_shared_for_overwrite<char[]>(sealed.size);
  if (!read_at(file.get(), part.get(), sealed.size, from)) return std::nullopt;
  sealed.part = std::move(part);
  sealed.end = from + sealed.size;
  return sealed;
}

}  // namespace

std::optional<KeptFile> find_kept_file(const KeptPlace& place) {
  if (place.state_dir.empty()) return std::nullopt;
  const std::string build = running_build();
  if (build.empty() || !paths::answers_within(place.state_dir, kKeptPatience)) return std::nullopt;
  const Result<UniqueFd> state = open_state_directory(place.state_dir, false);
  const Result<UniqueFd> directory = open_state_directory(place.state_dir + kKeptDirectory, false);
  if (!state || !directory) return std::nullopt;
  UniqueFd file(::openat(directory->get(), file_name(place).c_str(),
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || objection_to(info) != nullptr) {
    return std::nullopt;
  }
  const std::string key = read_state_key(*state);
  const auto end = static_cast<std::size_t>(info.st_size);
  const std::optional<Sealed> sealed = read_sealed(file, end);
  if (!sealed || key.empty()) return std::nullopt;
  const std::string_view part(sealed->part.get(), sealed->size);
  if (sealed->seal != hmac_sha256_hex(key, part)) return std::nullopt;

  std::string made_by;
  std::string context;
  KeptFile kept;
  auto chunks = std::make_shared<Chunks>();
  Unpacker all(part);
  all(made_by, context);
  if (!all.good() || made_by != build || context != place.context) {
    return std::nullopt;
  }
  all(kept.files, chunks->by_path);
  if (!all.at_end()) return std::nullopt;
  std::size_t begin = sealed->end;
  for (auto& [path, chunk] : chunks->by_path) {
    if (chunk.size > end - begin) return std::nullopt;
    chunk.begin = std::exchange(begin, begin + chunk.size);
  }
  chunks->file = std::move(file);
  kept.chunks = std::move(chunks);
  return kept;
}

void keep_file(const KeptPlace& place, const std::vector<KnownFile>& files, const Chunks& chunks) {
  const std::string build = running_build();
  if (place.state_dir.empty() || build.empty() ||
      !paths::answers_within(place.state_dir, kKeptPatience)) {
    return;
  }
  const Result<UniqueFd> state = open_state_directory(place.state_dir, true);
  const Result<UniqueFd> directory = open_state_directory(place.state_dir + kKeptDirectory, true);
  if (!state || !directory) return;
  const Result<std::string> key = make_state_key(*state, place.state_dir);
  if (!key) return;
  std::string part;
  Packer all(&part);
  all(build, place.context, files, chunks.by_path);
  std::string text = kKeptHead + hmac_sha256_hex(*key, part);
  Packer parts(&text);
  parts(part);
  for (const auto& [path, chunk] : chunks.by_path) text += chunks.bytes_of(chunk);
  if (text.size() > kMaxKeptBytes) return;
  const std::string name = file_name(place);
  // Without a lock: two who write at once write two files, and each of them is whole.
  const std::string fresh = "." + name + "." + random_id();
  const WithoutSizeSignal without;
  const UniqueFd file(::openat(directory->get(), fresh.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               kStateFileMode));
  // Without a sync: what a power failure leaves has not this seal.
  if (!file || !write_kept(file.get(), text) ||
      ::renameat(directory->get(), fresh.c_str(), directory->get(), name.c_str()) != 0) {
    if (file) ::unlinkat(directory->get(), fresh.c_str(), 0);
    return;
  }
  make_room(*directory, name);
}

}  // namespace gibbous::lua
