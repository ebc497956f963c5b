#include "runtime/trust/made_store.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <cerrno>
#include <charconv>
#include <cstring>
#include <optional>
#include <utility>

#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"
#include "runtime/base/state_text.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::trust {
namespace {

constexpr const char* kMadeName = "made";
constexpr const char* kMadeLockName = "made.lock";
constexpr int kMadeLockTries = 200;  // a millisecond each
constexpr std::string_view kMadeMagic = "gibbous-made ";
constexpr std::string_view kMadeVersion = "1";

Status damage_of(const std::string& why) {
  return Status::error("made_damaged", why);
}

// Takes `name=value` from the front of a line's fields.
std::optional<std::string> take_field(std::string_view& line, std::string_view name) {
  if (line.empty() || line.front() != '\t') return std::nullopt;
  line.remove_prefix(1);
  const std::string_view field = line.substr(0, line.find('\t'));
  line.remove_prefix(field.size());
  if (!field.starts_with(name) || field.size() <= name.size() || field[name.size()] != '=') {
    return std::nullopt;
  }
  return unescaped(field.substr(name.size() + 1));
}

std::optional<Made> made_in(std::string_view line) {
  constexpr std::string_view kWord = "made";
  if (!line.starts_with(kWord)) return std::nullopt;
  line.remove_prefix(kWord.size());
  auto when = take_field(line, "when");
  auto run = take_field(line, "run");
  auto path = take_field(line, "path");
  if (!when || !run || !path || !line.empty() || !path->starts_with('/')) return std::nullopt;
  Made made{std::move(*path), std::move(*run), 0};
  const char* const end = when->data() + when->size();
  const auto [stopped, error] = std::from_chars(when->data(), end, made.when);
  if (error != std::errc() || stopped != end) return std::nullopt;
  return made;
}

Result<std::vector<Made>> load_made(const UniqueFd& directory, const std::string& path) {
  struct stat info {};
  const auto fault_of = [&path](const std::string& why) {
    return Status::error("state_file_unusable", path + ": " + why);
  };
  if (::fstatat(directory.get(), kMadeName, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::vector<Made>{};
    return fault_of(std::strerror(errno));
  }
  // Before opening, which may have an effect on a device, and again on the open descriptor.
  if (const char* why = objection_to(info); why != nullptr) return fault_of(why);
  const UniqueFd file(::openat(directory.get(), kMadeName,
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &info) != 0) return fault_of(std::strerror(errno));
  if (const char* why = objection_to(info); why != nullptr && info.st_nlink > 0) {
    return fault_of(why);
  }
  Result<std::string> text = read_state_file(file, kMaxMadeFileBytes, path);
  if (!text) return text.status();
  Result<std::vector<Made>> all = text->size() > kMaxMadeFileBytes
                                      ? damage_of("it is larger than such a file can be")
                                      : decode_made(*text, read_state_key(directory));
  if (all) return all;
  return Status::error(all.status().code(), path + ": " + all.status().message());
}

}  // namespace

std::string encode_made(const std::vector<Made>& all, std::string_view key) {
  std::string body;
  for (const Made& made : all) {
    body += "made\twhen=" + std::to_string(made.when) + "\trun=";
    append_escaped(body, made.run);
    body += "\tpath=";
    append_escaped(body, made.path);
    body += '\n';
  }
  return std::string(kMadeMagic) + std::string(kMadeVersion) + " " + hmac_sha256_hex(key, body) +
         "\n" + body;
}

Result<std::vector<Made>> decode_made(std::string_view text, std::string_view key) {
  const std::size_t head_end = text.find('\n');
  if (!text.starts_with(kMadeMagic) || head_end == std::string_view::npos) {
    return damage_of("its first line is not that of such a file");
  }
  const std::string_view head = text.substr(kMadeMagic.size(), head_end - kMadeMagic.size());
  std::string_view body = text.substr(head_end + 1);
  const std::size_t space = head.find(' ');
  const std::string_view version = head.substr(0, space);
  if (version != kMadeVersion) {
    const bool later = !version.empty() && version.size() < 10 && version.front() != '0' &&
                       version.find_first_not_of("0123456789") == std::string_view::npos;
    if (!later) return damage_of("its first line has no version");
    return Status::error("made_newer", "it has version " + std::string(version) +
                                           ", and this program knows " + std::string(kMadeVersion) +
                                           "; use the newer program");
  }
  if (space == std::string_view::npos || key.empty() ||
      head.substr(space + 1) != hmac_sha256_hex(key, body)) {
    return damage_of(
        "its content does not match its checksum: it was edited, or is incomplete, or was not "
        "written with the key of this state directory");
  }
  std::vector<Made> all;
  for (std::size_t number = 2; !body.empty(); ++number) {
    const std::size_t end = body.find('\n');
    auto made = end == std::string_view::npos ? std::nullopt : made_in(body.substr(0, end));
    if (!made) return damage_of("line " + std::to_string(number) + " is malformed");
    all.push_back(std::move(*made));
    body.remove_prefix(end + 1);
  }
  return all;
}

Result<std::vector<Made>> MadeStore::list() const {
  const Result<UniqueFd> directory = open_state_directory(directory_, false);
  if (!directory) {
    if (directory.status().code() == "state_dir_missing") return std::vector<Made>{};
    return directory.status();
  }
  return load_made(*directory, path());
}

Status MadeStore::change(const std::function<bool(std::vector<Made>&)>& edit) const {
  const Result<UniqueFd> directory = open_state_directory(directory_, true);
  if (!directory) return directory.status();
  Result<StateLock> lock = StateLock::take(*directory, kMadeLockName, kMadeLockTries);
  if (!lock) return lock.status();
  Result<std::vector<Made>> all = load_made(*directory, path());
  if (!all) return all.status();
  if (!edit(*all)) return {};
  const Result<std::string> key = make_state_key(*directory, path());
  if (!key) return key.status();
  if (all->size() > kMaxMade) {
    all->erase(all->begin(), all->end() - static_cast<std::ptrdiff_t>(kMaxMade));
  }
  return replace_state_file(*directory, kMadeName, encode_made(*all, *key), /*durable=*/false,
                            path());
}

}  // namespace gibbous::trust
