#include "runtime/trust/trust_store.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>
#include <functional>
#include <optional>

#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"
#include "runtime/base/state_text.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::trust {
namespace {

constexpr const char* kName = "trusted";
constexpr const char* kLockName = "trusted.lock";
constexpr int kLockTries = 2000;  // a millisecond each
constexpr std::string_view kMagic = "gibbous-trusted ";
constexpr std::string_view kVersion = "1";

Status damaged(const std::string& why) {
  return Status::error("trust_damaged", why);
}

void put(std::string& text, std::string_view name, std::string_view value) {
  text.append(1, '\t').append(name).append(1, '=');
  append_escaped(text, value);
}

// Takes `name=value` from the front of a line's fields.
std::optional<std::string> take(std::string_view* line, std::string_view name) {
  if (line->empty() || line->front() != '\t') return std::nullopt;
  line->remove_prefix(1);
  const std::string_view field = line->substr(0, line->find('\t'));
  line->remove_prefix(field.size());
  if (!field.starts_with(name) || field.size() <= name.size() || field[name.size()] != '=') {
    return std::nullopt;
  }
  return unescaped(field.substr(name.size() + 1));
}

std::optional<Trusted> read_trusted(std::string_view line) {
  Trusted trusted;
  std::string when;
  for (const auto& [name, into] :
       {std::pair("kind", &trusted.kind), std::pair("when", &when), std::pair("who", &trusted.who),
        std::pair("hash", &trusted.hash), std::pair("path", &trusted.path)}) {
    auto value = take(&line, name);
    if (!value) return std::nullopt;
    *into = std::move(*value);
  }
  const char* end = when.data() + when.size();
  const auto [stopped, error] = std::from_chars(when.data(), end, trusted.when);
  const bool good = error == std::errc() && stopped == end && line.empty() &&
                    trusted.path.starts_with('/') && !trusted.hash.empty();
  return good ? std::optional(std::move(trusted)) : std::nullopt;
}

std::optional<NamedHash> read_file_line(std::string_view line) {
  auto hash = take(&line, "hash");
  auto name = take(&line, "name");
  if (!hash || !name || !line.empty()) return std::nullopt;
  return NamedHash{std::move(*name), std::move(*hash)};
}

Result<std::vector<Trusted>> load(const UniqueFd& directory, const std::string& path) {
  struct stat info {};
  const auto problem = [&path](const std::string& why) {
    return Status::error("state_file_unusable", path + ": " + why + "; it trusts nothing");
  };
  if (::fstatat(directory.get(), kName, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::vector<Trusted>{};
    return problem(std::strerror(errno));
  }
  // Before opening, which may have an effect on a device, and again on the open descriptor. One
  // that was replaced meanwhile has no name any more.
  if (const char* why = objection_to(info); why != nullptr) return problem(why);
  const UniqueFd file(
      ::openat(directory.get(), kName, O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &info) != 0) return problem(std::strerror(errno));
  if (const char* why = objection_to(info); why != nullptr && info.st_nlink > 0) {
    return problem(why);
  }
  Result<std::string> text = read_state_file(file, kMaxTrustFileBytes, path);
  if (!text) return text.status();
  Result<std::vector<Trusted>> all = text->size() > kMaxTrustFileBytes
                                         ? damaged("it is larger than such a file can be")
                                         : decode_trusted(*text, read_state_key(directory));
  if (all) return all;
  if (all.status().code() == "trust_newer") {
    return Status::error("trust_newer", path + " trusts nothing: " + all.status().message());
  }
  return damaged(path + " trusts nothing: " + all.status().message() +
                 ". Remove it, and trust again what you need (gibbous trust DIR)");
}

Status change(const std::string& directory_path, const std::string& path,
              const std::function<bool(std::vector<Trusted>&)>& edit) {
  Result<UniqueFd> directory = open_state_directory(directory_path, true);
  if (!directory) return directory.status();
  Result<StateLock> lock = StateLock::take(*directory, kLockName, kLockTries);
  if (!lock) return lock.status();
  Result<std::vector<Trusted>> all = load(*directory, path);
  if (!all) return all.status();
  if (!edit(*all)) return {};
  const Result<std::string> key = make_state_key(*directory, path);
  if (!key) return key.status();
  const std::string text = encode_trusted(*all, *key);
  if (all->size() > kMaxTrusted || text.size() > kMaxTrustFileBytes) {
    return Status::error("trust_full", path + ": at most " + std::to_string(kMaxTrusted) +
                                           " places and 8 MiB are kept; revoke some (gibbous trust "
                                           "--list, gibbous trust --revoke DIR)");
  }
  return replace_state_file(*directory, kName, text, /*durable=*/true, path);
}

}  // namespace

std::string encode_trusted(const std::vector<Trusted>& all, std::string_view key) {
  std::string body;
  for (const Trusted& trusted : all) {
    body += "trust";
    put(body, "kind", trusted.kind);
    put(body, "when", std::to_string(trusted.when));
    put(body, "who", trusted.who);
    put(body, "hash", trusted.hash);
    put(body, "path", trusted.path);
    body += '\n';
    for (const NamedHash& file : trusted.files) {
      body += "file";
      put(body, "hash", file.hash);
      put(body, "name", file.name);
      body += '\n';
    }
  }
  return std::string(kMagic) + std::string(kVersion) + " " + hmac_sha256_hex(key, body) + "\n" +
         body;
}

Result<std::vector<Trusted>> decode_trusted(std::string_view text, std::string_view key) {
  if (!text.starts_with(kMagic)) return damaged("its first line is not that of such a file");
  text.remove_prefix(kMagic.size());
  const std::size_t head_end = text.find('\n');
  if (head_end == std::string_view::npos) return damaged("it has no more than half a line");
  const std::string_view head = text.substr(0, head_end);
  std::string_view body = text.substr(head_end + 1);
  const std::size_t space = head.find(' ');
  const std::string_view version = head.substr(0, space);
  if (version != kVersion) {
    const bool later = !version.empty() && version.size() < 10 && version.front() != '0' &&
                       version.find_first_not_of("0123456789") == std::string_view::npos;
    if (!later) return damaged("its first line has no version");
    return Status::error("trust_newer", "it has version " + std::string(version) +
                                            ", and this program knows " + std::string(kVersion) +
                                            "; use the newer program");
  }
  if (space == std::string_view::npos || key.empty() ||
      head.substr(space + 1) != hmac_sha256_hex(key, body)) {
    return damaged(
        "its content does not match its checksum: it was edited, or is incomplete, or was not "
        "written with the key of this state directory");
  }
  std::vector<Trusted> all;
  for (std::size_t number = 2; !body.empty(); ++number) {
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    const std::size_t word = std::min(line.find('\t'), line.size());
    const std::string_view what = line.substr(0, word);
    line.remove_prefix(word);
    bool good = end != std::string_view::npos;
    if (what == "trust") {
      auto trusted = read_trusted(line);
      good = good && trusted.has_value();
      if (good) all.push_back(std::move(*trusted));
    } else {
      auto file = what == "file" && !all.empty() ? read_file_line(line) : std::nullopt;
      good = good && file.has_value();
      if (good) all.back().files.push_back(std::move(*file));
    }
    if (!good) return damaged("line " + std::to_string(number) + " is malformed");
  }
  return all;
}

std::string TrustStore::path() const {
  return directory_ + "/" + kName;
}

Result<std::vector<Trusted>> TrustStore::list() const {
  if (directory_.empty()) return std::vector<Trusted>{};
  const Result<UniqueFd> directory = open_state_directory(directory_, false);
  if (!directory) {
    if (directory.status().code() == "state_dir_missing") return std::vector<Trusted>{};
    return directory.status();
  }
  return load(*directory, path());
}

Status TrustStore::add(const Trusted& trusted) const {
  return change(directory_, path(), [&trusted](std::vector<Trusted>& all) {
    std::erase_if(all, [&trusted](const Trusted& each) { return each.path == trusted.path; });
    all.push_back(trusted);
    return true;
  });
}

Result<bool> TrustStore::remove(const std::string& path_of) const {
  if (directory_.empty()) return false;
  bool found = false;
  if (Status status = change(directory_, path(),
                             [&](std::vector<Trusted>& all) {
                               found = std::erase_if(all, [&path_of](const Trusted& each) {
                                         return each.path == path_of;
                                       }) > 0;
                               return found;
                             });
      !status) {
    return status;
  }
  return found;
}

}  // namespace gibbous::trust
