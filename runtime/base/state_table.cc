// See state_table.h.
#include "runtime/base/state_table.h"

#include <fcntl.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <charconv>
#include <cstring>

#include "runtime/base/sha256.h"
#include "runtime/base/state_file.h"
#include "runtime/base/state_key.h"

namespace gibbous {
namespace {

std::string path_of(const StateTableForm& form, const std::string& directory) {
  return directory + "/" + form.name;
}

std::string head_of(const StateTableForm& form) {
  return std::string("gibbous-") + form.name + " ";
}

Status unusable(const StateTableForm& form, const std::string& directory, const std::string& why) {
  return Status::error("state_file_unusable",
                       path_of(form, directory) + ": " + why + "; it " + form.effect);
}

bool same(const timespec& a, const timespec& b) {
  return a.tv_sec == b.tv_sec && a.tv_nsec == b.tv_nsec;
}

bool needs_escape(char c) {
  return static_cast<unsigned char>(c) < 0x20 || c == '\\' || c == 0x7F;
}

void append_escaped(std::string& line, std::string_view bytes) {
  constexpr char kHexDigits[] = "0123456789abcdef";
  for (const char c : bytes) {
    const auto byte = static_cast<unsigned char>(c);
    if (needs_escape(c)) {
      line.append("\\x").append(1, kHexDigits[byte >> 4U]).append(1, kHexDigits[byte & 15U]);
    } else {
      line += c;
    }
  }
}

// Returns nothing for what append_escaped() does not write.
std::optional<std::string> unescaped(std::string_view text) {
  std::string plain;
  for (std::size_t at = 0; at < text.size(); ++at) {
    if (text[at] != '\\') {
      if (needs_escape(text[at])) return std::nullopt;
      plain += text[at];
      continue;
    }
    constexpr std::size_t kDigits = 2;
    const std::string_view digits = text.substr(std::min(at + 2, text.size()), kDigits);
    unsigned value = 0;
    const auto [end, error] =
        std::from_chars(digits.data(), digits.data() + digits.size(), value, 16);
    if (text.substr(at, 2) != "\\x" || digits.size() != kDigits || error != std::errc() ||
        end != digits.data() + kDigits) {
      return std::nullopt;
    }
    plain += static_cast<char>(value);
    at += 1 + kDigits;
  }
  return plain;
}

// Returns the rows of a body, or the number of the line that is malformed.
Result<StateRows> rows_of(std::string_view body) {
  StateRows rows;
  for (std::size_t number = 2; !body.empty(); ++number) {
    const std::size_t end = body.find('\n');
    std::string_view line = body.substr(0, end);
    body.remove_prefix(end == std::string_view::npos ? body.size() : end + 1);
    bool good = end != std::string_view::npos && !line.empty();
    StateRow& row = rows.emplace_back();
    for (bool more = good; good && more;) {
      const std::size_t tab = line.find('\t');
      auto field = unescaped(line.substr(0, tab));
      good = field.has_value();
      if (good) row.push_back(std::move(*field));
      more = tab != std::string_view::npos;
      if (more) line.remove_prefix(tab + 1);
    }
    if (!good)
      return Status::error("malformed", "line " + std::to_string(number) + " is malformed");
  }
  return rows;
}

Result<StateRows> decode(const StateTableForm& form, const std::string& directory,
                         std::string_view text, std::string_view key) {
  const auto damaged = [&](const std::string& why) {
    return damaged_state_table(form, directory, why);
  };
  const std::string known = std::to_string(form.version);
  const std::string magic = head_of(form);
  if (!text.starts_with(magic)) return damaged("its first line is not that of such a file");
  const std::size_t head_end = std::min(text.find('\n'), text.size());
  const std::string_view head = text.substr(0, head_end).substr(magic.size());
  const std::string_view version = head.substr(0, head.find(' '));
  // A newer program's may be larger, and is not this one's to judge.
  if (const auto number = whole_number(version); number && *number > form.version) {
    return Status::error(std::string(form.errors) + "_newer",
                         path_of(form, directory) + " " + form.effect + ": it has version " +
                             std::string(version) + ", and this program knows " + known +
                             "; use the newer program, or another state directory");
  }
  if (version != known) return damaged("its first line has no version that counts");
  if (text.size() > kMaxStateTableBytes) return damaged("it is larger than such a file can be");
  if (head_end == text.size()) return damaged("it has no more than half a line");
  const std::string_view body = text.substr(head_end + 1);
  const std::string seal = form.is_signed ? known + " " + hmac_sha256_hex(key, body) : known;
  if ((form.is_signed && key.empty()) || head != seal) {
    return damaged(
        "its content does not match its checksum: it was edited, or is incomplete, or was not "
        "written with the key of this state directory");
  }
  Result<StateRows> rows = rows_of(body);
  return rows ? std::move(rows) : damaged(rows.status().message());
}

Result<StateRows> read_in(const StateTableForm& form, const std::string& directory_path,
                          const UniqueFd& directory, StateMark* mark) {
  const auto problem = [&](const std::string& why) { return unusable(form, directory_path, why); };
  struct stat info {};
  if (::fstatat(directory.get(), form.name, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    return errno == ENOENT ? Result(StateRows{}) : problem(std::strerror(errno));
  }
  // Before opening, which may have an effect on a device, and again on the open descriptor. One
  // that was replaced meanwhile has no name any more.
  if (const char* why = objection_to(info); why != nullptr) return problem(why);
  UniqueFd file(::openat(directory.get(), form.name,
                         O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file && errno == ENOENT) return StateRows{};
  if (!file || ::fstat(file.get(), &info) != 0) return problem(std::strerror(errno));
  if (const char* why = objection_to(info); why != nullptr && info.st_nlink > 0) {
    return problem(why);
  }
  const auto text = read_whole(file, kMaxStateTableBytes);
  if (!text) return problem(std::string("cannot be read: ") + std::strerror(errno));
  auto rows = decode(form, directory_path, *text, form.is_signed ? read_state_key(directory) : "");
  if (rows && mark != nullptr) mark->set(std::move(file), info);
  return rows;
}

Status write_in(const StateTableForm& form, const std::string& path, const UniqueFd& directory,
                std::string_view text, bool durable) {
  const auto failed = [&path](const char* what) {
    return Status::error("state_file_unusable", path + ": " + what + ": " + std::strerror(errno));
  };
  const std::string fresh = std::string(form.name) + ".new";
  // Remove what a process that died halfway left; the lock shows that no other one is halfway.
  ::unlinkat(directory.get(), fresh.c_str(), 0);
  const UniqueFd file(::openat(directory.get(), fresh.c_str(),
                               O_WRONLY | O_CREAT | O_EXCL | O_NOFOLLOW | O_CLOEXEC,
                               kStateFileMode));
  // Sync even when the caller does not wait for durability: after a power failure the file is the
  // old one or the new one, never an empty one.
  if (!file || !write_whole(file, text) || ::fdatasync(file.get()) != 0 ||
      ::renameat(directory.get(), fresh.c_str(), directory.get(), form.name) != 0) {
    const Status status = failed("cannot be written");
    ::unlinkat(directory.get(), fresh.c_str(), 0);
    return status;
  }
  if (durable && ::fsync(directory.get()) != 0) return failed("may not survive a power failure");
  return {};
}

}  // namespace

StateRow named_row(std::initializer_list<std::pair<const char*, std::string_view>> fields) {
  StateRow row;
  for (const auto& [name, value] : fields) {
    row.push_back(std::string(name) + "=" + std::string(value));
  }
  return row;
}

bool read_named(const StateRow& row,
                std::initializer_list<std::pair<const char*, std::string*>> fields) {
  if (row.size() != fields.size()) return false;
  auto field = row.begin();
  for (const auto& [name, value] : fields) {
    const std::string begin = std::string(name) + "=";
    if (!field->starts_with(begin)) return false;
    *value = (field++)->substr(begin.size());
  }
  return true;
}

std::optional<std::int64_t> whole_number(std::string_view text) {
  std::int64_t number = 0;
  const char* end = text.data() + text.size();
  const auto [stopped, error] = std::from_chars(text.data(), end, number);
  if (text.empty() || error != std::errc() || stopped != end) return std::nullopt;
  return number;
}

bool StateMark::is_current(const std::string& path) const {
  struct stat now {};
  return file_ && ::lstat(path.c_str(), &now) == 0 && now.st_dev == info_.st_dev &&
         now.st_ino == info_.st_ino && now.st_size == info_.st_size &&
         same(now.st_mtim, info_.st_mtim) && same(now.st_ctim, info_.st_ctim);
}

Result<StateRows> read_state_table(const StateTableForm& form, const std::string& directory,
                                   StateMark* mark) {
  if (mark != nullptr) *mark = {};
  if (directory.empty()) return StateRows{};
  const Result<UniqueFd> opened = open_state_directory(directory, false);
  if (opened) return read_in(form, directory, *opened, mark);
  if (opened.status().code() == "state_dir_missing") return StateRows{};
  return opened.status();
}

Status change_state_table(const StateTableForm& form, const std::string& directory,
                          const StateWrite& how,
                          const std::function<Result<bool>(StateRows&)>& edit) {
  const Result<UniqueFd> opened = open_state_directory(directory, how.make);
  if (!opened) {
    const bool missing = directory.empty() || opened.status().code() == "state_dir_missing";
    if (how.make || !missing) return opened.status();
    StateRows none;
    return edit(none).status();
  }
  const std::string lock_name = std::string(form.name) + ".lock";
  const Result<StateLock> lock = StateLock::take(*opened, lock_name, form.lock_tries);
  if (!lock) return lock.status();
  Result<StateRows> rows = read_in(form, directory, *opened, nullptr);
  if (!rows) return rows.status();
  const Result<bool> changed = edit(*rows);
  if (!changed || !*changed) return changed.status();
  const std::string path = path_of(form, directory);
  const Result<std::string> key =
      form.is_signed ? make_state_key(*opened, path) : Result<std::string>("");
  if (!key) return key.status();
  const std::string text = encode_state_table(form, *rows, *key);
  if (text.size() > kMaxStateTableBytes) {
    return Status::error(std::string(form.errors) + "_full",
                         path + ": at most 8 MiB are kept; " + form.when_full);
  }
  return write_in(form, path, *opened, text, how.durable);
}

Status damaged_state_table(const StateTableForm& form, const std::string& directory,
                           const std::string& why) {
  return Status::error(
      std::string(form.errors) + "_damaged",
      path_of(form, directory) + " " + form.effect + ": " + why + ". " + form.remedy);
}

std::string encode_state_table(const StateTableForm& form, const StateRows& rows,
                               std::string_view key) {
  std::string body;
  for (const StateRow& row : rows) {
    for (const std::string& field : row) {
      if (&field != &row.front()) body += '\t';
      append_escaped(body, field);
    }
    body += '\n';
  }
  const std::string seal = form.is_signed ? " " + hmac_sha256_hex(key, body) : "";
  return head_of(form) + std::to_string(form.version) + seal + "\n" + body;
}

}  // namespace gibbous
