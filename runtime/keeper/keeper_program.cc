#include "runtime/keeper/keeper_program.h"

#include <elf.h>
#include <fcntl.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <cstddef>
#include <cstdint>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <optional>
#include <string>
#include <system_error>
#include <utility>

#include "runtime/base/own_place.h"
#include "runtime/base/state_file.h"
#include "runtime/keeper/keeper_note.h"
#include "runtime/keeper/wire.h"

// Made by cmake/GibbousBuiltIn.cmake.
extern "C" const char gibbous_built_in_keeper[];
extern "C" const char gibbous_built_in_keeper_end[];

namespace gibbous {
namespace {

constexpr const char* kVariable = "GIBBOUS_KEEPER";
constexpr const char* kProgram = "gibbous-keeper";
constexpr std::size_t kMaxHeaders = 64;
constexpr std::size_t kMaxNoteBytes = 4096;
#ifndef MFD_EXEC
#define MFD_EXEC 0x0010U
#endif

Status not_found(const std::string& path, const std::string& why) {
  return Status::error("keeper_not_found", "the keeper program " + path + ": " + why);
}

bool read_all(int file, void* to, std::size_t size, std::uint64_t offset) {
  return ::pread(file, to, size, static_cast<off_t>(offset)) == static_cast<ssize_t>(size);
}

// Looks for our note among those of a segment.
std::optional<std::uint32_t> version_in(const unsigned char* notes, std::size_t size) {
  const auto padded = [](std::size_t bytes) { return (bytes + 3) & ~std::size_t{3}; };
  const KeeperNote ours;
  std::array<std::uint32_t, 3> head{};  // the bytes of the name and of the text, the type
  for (std::size_t at = 0; at + sizeof head <= size;) {
    std::memcpy(head.data(), notes + at, sizeof head);
    const std::size_t whole = sizeof head + padded(head[0]) + padded(head[1]);
    if (whole > size - at) break;
    if (whole == sizeof ours &&
        std::memcmp(notes + at, &ours, offsetof(KeeperNote, version)) == 0) {
      std::uint32_t version = 0;
      std::memcpy(&version, notes + at + offsetof(KeeperNote, version), sizeof version);
      return version;
    }
    at += whole;
  }
  return std::nullopt;
}

// The version of a keeper; nothing for another program. `file` is an ELF file of this machine.
std::optional<std::uint32_t> version_of(int file, const Elf64_Ehdr& header) {
  std::array<Elf64_Phdr, kMaxHeaders> segments{};
  if (header.e_phnum > kMaxHeaders || header.e_phentsize != sizeof segments[0] ||
      !read_all(file, segments.data(), header.e_phnum * sizeof segments[0], header.e_phoff)) {
    return std::nullopt;
  }
  std::array<unsigned char, kMaxNoteBytes> notes{};
  for (std::size_t i = 0; i < header.e_phnum; ++i) {
    const Elf64_Phdr& segment = segments.at(i);
    if (segment.p_type != PT_NOTE || segment.p_filesz > notes.size() ||
        !read_all(file, notes.data(), segment.p_filesz, segment.p_offset)) {
      continue;
    }
    if (const auto version = version_in(notes.data(), segment.p_filesz)) return version;
  }
  return std::nullopt;
}

Result<std::string> checked(const std::string& path, const std::string& source) {
  Status good = check_keeper(path);
  if (good) return path;
  return Status::error(good.code(), good.message() + " (" + source + "); set " + kVariable +
                                        " to the gibbous-keeper program of this Gibbous");
}

}  // namespace

std::string_view built_in_keeper() {
  return {gibbous_built_in_keeper,
          static_cast<std::size_t>(gibbous_built_in_keeper_end - gibbous_built_in_keeper)};
}

Status check_keeper(const std::string& path) {
  struct stat info {};
  if (::stat(path.c_str(), &info) != 0) return not_found(path, std::strerror(errno));
  if (!S_ISREG(info.st_mode)) return not_found(path, "not a regular file");
  if (::access(path.c_str(), X_OK) != 0) return not_found(path, std::strerror(errno));
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_CLOEXEC));
  Elf64_Ehdr header{};
  // One that cannot be read, or is a script, shows itself when it runs.
  if (!file || !read_all(file.get(), &header, sizeof header, 0) ||
      std::memcmp(header.e_ident, ELFMAG, SELFMAG) != 0) {
    return {};
  }
  const auto version = version_of(file.get(), header);
  if (version && *version == wire::kVersion) return {};
  return Status::error("keeper_mismatch",
                       "the program " + path +
                           (version ? " is the keeper of another Gibbous: it speaks version " +
                                          std::to_string(*version) + ", and this library " +
                                          std::to_string(wire::kVersion)
                                    : std::string(" is no gibbous-keeper of this version")));
}

Result<std::string> find_keeper(const std::string& configured) {
  const Result<std::string> built_in =
      built_in_keeper().empty()
          ? Result<std::string>(not_found(kBuiltInKeeper, "this library has none"))
          : Result<std::string>(kBuiltInKeeper);
  if (configured == kBuiltInKeeper) return built_in;
  if (!configured.empty()) return checked(configured, "from keeper_path");
  if (const char* path = std::getenv(kVariable); path != nullptr && *path != '\0') {
    // It is executed elsewhere.
    std::error_code error;
    return checked(std::filesystem::absolute(path, error).string(),
                   std::string("from ") + kVariable);
  }
  std::string tried;
  const std::string name = kProgram;
  for (const std::string& candidate : installed_places(name, "libexec/gibbous/" + name)) {
    Status good = check_keeper(candidate);
    if (good) return candidate;
    // What is there, but cannot be used, is worth more words.
    if (good.code() == "keeper_mismatch" && !built_in) return good;
    tried += (tried.empty() ? "" : ", ") + candidate;
  }
  if (built_in) return built_in;
  return Status::error("keeper_not_found", "the keeper program is none of " + tried +
                                               "; name it with keeper_path or " + kVariable);
}

// Programs may be forbidden to execute such memory (vm.memfd_noexec).
Result<KeeperProgram> open_keeper(const std::string& path) {
  if (path != kBuiltInKeeper) return KeeperProgram{path, {}};
  const std::string_view bytes = built_in_keeper();
  constexpr unsigned kFlags = MFD_CLOEXEC | MFD_ALLOW_SEALING;
  UniqueFd memory(::memfd_create(kProgram, kFlags | MFD_EXEC));
  // Kernels before 6.3 do not know the flag.
  if (!memory && errno == EINVAL) memory = UniqueFd(::memfd_create(kProgram, kFlags));
  // The child has other descriptors below.
  constexpr int kLowest = 16;
  if (memory) memory = UniqueFd(::fcntl(memory.get(), F_DUPFD_CLOEXEC, kLowest));
  const WithoutSizeSignal guard;  // files may be limited to less
  for (std::size_t written = 0; memory && written < bytes.size();) {
    const ssize_t wrote = ::write(memory.get(), bytes.data() + written, bytes.size() - written);
    if (wrote <= 0 && errno != EINTR) memory = UniqueFd();
    if (wrote > 0) written += static_cast<std::size_t>(wrote);
  }
  if (!memory) {
    return not_found(kBuiltInKeeper, std::string("cannot be put into memory: ") +
                                         std::strerror(errno) +
                                         " (does vm.memfd_noexec or a limit on files forbid it?); "
                                         "set " +
                                         kVariable + " to a gibbous-keeper on the disk");
  }
  ::fcntl(memory.get(), F_ADD_SEALS, F_SEAL_SEAL | F_SEAL_SHRINK | F_SEAL_GROW | F_SEAL_WRITE);
  return KeeperProgram{kBuiltInKeeper, std::move(memory)};
}

Status check_keeper_of(const std::string& configured) {
  const auto path = find_keeper(configured);
  return path ? open_keeper(*path).status() : path.status();
}

}  // namespace gibbous
