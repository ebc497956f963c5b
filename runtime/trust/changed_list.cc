#include "runtime/trust/changed_list.h"

#include <fcntl.h>
#include <sys/stat.h>

#include <array>
#include <cerrno>
#include <cstring>
#include <optional>
#include <utility>

#include "runtime/base/state_file.h"
#include "runtime/base/state_text.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::trust {
namespace {

constexpr const char* kChangedName = "changed";
constexpr const char* kChangedLockName = "changed.lock";
constexpr int kChangedLockTries = 200;  // a millisecond each
constexpr std::string_view kChangedHead = "gibbous-changed 1\n";

std::optional<Changed> changed_in(std::string_view line) {
  std::array<std::string, 3> fields;
  for (std::string& field : fields) {
    auto text = unescaped(line.substr(0, line.find('\t')));
    if (!text || text->empty()) return std::nullopt;
    line.remove_prefix(std::min(line.size(), line.find('\t')));
    if (!line.empty()) line.remove_prefix(1);
    field = std::move(*text);
  }
  auto& [workspace, before, path] = fields;
  if (!line.empty() || workspace.front() != '/' || path.front() != '/') return std::nullopt;
  return Changed{std::move(workspace), std::move(before), std::move(path)};
}

Result<std::vector<Changed>> load_changed(const UniqueFd& directory, const std::string& path) {
  const auto fault_of = [&path](const char* why) {
    return Status::error("state_file_unusable", path + ": " + why);
  };
  struct stat info {};
  // Before opening, which may have an effect on a device, and again on the open descriptor.
  if (::fstatat(directory.get(), kChangedName, &info, AT_SYMLINK_NOFOLLOW) != 0) {
    if (errno == ENOENT) return std::vector<Changed>{};
    return fault_of(std::strerror(errno));
  }
  if (const char* why = objection_to(info); why != nullptr) return fault_of(why);
  const UniqueFd file(::openat(directory.get(), kChangedName,
                               O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  if (!file || ::fstat(file.get(), &info) != 0) return fault_of(std::strerror(errno));
  if (const char* why = objection_to(info); why != nullptr && info.st_nlink > 0) {
    return fault_of(why);
  }
  const Result<std::string> text = read_state_file(file, kMaxChangedFileBytes, path);
  if (!text) return text.status();
  auto all = decode_changed(*text);
  return all ? std::move(all)
             : Status::error(all.status().code(), path + ": " + all.status().message());
}

}  // namespace

std::string directory_of(const Changed& changed) {
  const std::string repository = changed.path.substr(0, changed.path.find("//"));
  return (repository + "/").starts_with(changed.workspace + "/") ? repository : changed.workspace;
}

std::string encode_changed(const std::vector<Changed>& all) {
  std::string text(kChangedHead);
  for (const Changed& each : all) {
    for (const std::string* field : {&each.workspace, &each.before, &each.path}) {
      append_escaped(text, *field);
      text += field == &each.path ? '\n' : '\t';
    }
  }
  return text;
}

Result<std::vector<Changed>> decode_changed(std::string_view text) {
  const auto damage = [](const std::string& why) { return Status::error("changed_damaged", why); };
  if (text.size() > kMaxChangedFileBytes || !text.starts_with(kChangedHead)) {
    return damage("its first line is not that of such a file, or it is too large");
  }
  text.remove_prefix(kChangedHead.size());
  std::vector<Changed> all;
  for (std::size_t number = 2; !text.empty(); ++number) {
    const std::size_t end = text.find('\n');
    auto changed = end == std::string_view::npos ? std::nullopt : changed_in(text.substr(0, end));
    if (!changed) return damage("line " + std::to_string(number) + " is malformed");
    all.push_back(std::move(*changed));
    text.remove_prefix(end + 1);
  }
  return all;
}

Result<std::vector<Changed>> ChangedList::list() const {
  const Result<UniqueFd> directory = open_state_directory(directory_, false);
  if (!directory) {
    if (directory.status().code() == "state_dir_missing") return std::vector<Changed>{};
    return directory.status();
  }
  return load_changed(*directory, path());
}

Status ChangedList::change(const std::function<bool(std::vector<Changed>&)>& edit) const {
  const Result<UniqueFd> directory = open_state_directory(directory_, true);
  if (!directory) return directory.status();
  Result<StateLock> lock = StateLock::take(*directory, kChangedLockName, kChangedLockTries);
  if (!lock) return lock.status();
  Result<std::vector<Changed>> all = load_changed(*directory, path());
  if (!all) return all.status();
  if (!edit(*all)) return {};
  if (all->size() > kMaxChanged) {
    all->erase(all->begin(), all->end() - static_cast<std::ptrdiff_t>(kMaxChanged));
  }
  return replace_state_file(*directory, kChangedName, encode_changed(*all), /*durable=*/false,
                            path());
}

}  // namespace gibbous::trust
