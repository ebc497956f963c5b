#include "runtime/journal/commit_mark.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <array>
#include <cstddef>
#include <sstream>
#include <string_view>
#include <utility>

#include "runtime/base/state_file.h"
#include "runtime/journal/record.h"

namespace gibbous {
namespace {

constexpr const char* kMarkName = "sessions.mark";
constexpr std::string_view kFirstWord = "gibbous-mark-1";
constexpr std::size_t kMarkBytes = 384;  // written at once, padded with blanks
static_assert(kMarkBytes > kMaxJournalIdBytes + 64);

Status cut(const Database& database, const std::string& what) {
  return Status::error("journal_cut",
                       database.path() + ": " + what +
                           " recorded and then lost: the write-ahead log was cut or removed while "
                           "no process used it, or an older copy of the file was put in its place");
}

}  // namespace

CommitMarkFile CommitMarkFile::open(const std::string& directory, bool make) {
  CommitMarkFile mark;
  const Result<UniqueFd> held = open_state_directory(directory, false);
  if (!held) return mark;
  const int flags = (make ? O_RDWR | O_CREAT : O_RDONLY) | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC;
  UniqueFd file(::openat(held->get(), kMarkName, flags, kStateFileMode));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || objection_to(status) != nullptr) return mark;
  mark.file_ = std::move(file);
  return mark;
}

std::optional<CommitMark> CommitMarkFile::read() const {
  std::array<char, kMarkBytes> text{};
  const ssize_t got = file_ ? ::pread(file_.get(), text.data(), text.size(), 0) : -1;
  if (got != static_cast<ssize_t>(text.size()) || text.back() != '\n') return std::nullopt;
  std::istringstream words(std::string(text.data(), text.size()));
  std::string first;
  std::string rest;
  CommitMark mark;
  const bool whole = words >> first >> mark.number >> mark.seq >> mark.run_id && !(words >> rest);
  if (!whole || first != kFirstWord || mark.number <= 0 || mark.seq == 0 || mark.seq > kMaxSeq) {
    return std::nullopt;
  }
  return mark;
}

void CommitMarkFile::write(const CommitMark& mark) const {
  std::string text = std::string(kFirstWord) + ' ' + std::to_string(mark.number) + ' ' +
                     std::to_string(mark.seq) + ' ' + mark.run_id;
  if (!file_ || text.size() >= kMarkBytes || mark.run_id.find(' ') != std::string::npos) {
    return clear();
  }
  text.resize(kMarkBytes - 1, ' ');
  text += '\n';
  const WithoutSizeSignal guard;
  if (::pwrite(file_.get(), text.data(), text.size(), 0) != static_cast<ssize_t>(text.size())) {
    clear();
  }
}

void CommitMarkFile::clear() const {
  if (file_) (void)::ftruncate(file_.get(), 0);
}

Result<bool> is_without_runs(Database& database) {
  const Result<std::int64_t> any = database.number("SELECT EXISTS (SELECT 1 FROM exec_runs)");
  if (!any) return any.status();
  return *any == 0;
}

Status compare_with_mark(Database& database, const CommitMark& mark) {
  Statement select;
  Status status = database.prepare_all(
      {{&select,
        "SELECT run.run_id, run.last_seq, newest FROM (SELECT max(number) AS newest FROM exec_runs)"
        " LEFT JOIN exec_runs AS run ON run.number = ?1"}});
  if (!status) return status;
  const Result<bool> row = select.with(mark.number).step();
  if (!row) return row.status();
  if (!*row) return {};
  if (select.is_null(0)) {
    // Retention removes runs, too, but there are newer ones then; a file without any is new.
    if (select.is_null(2) || select.integer(2) >= mark.number) return {};
    return cut(database, "run " + mark.run_id + " was");
  }
  const auto last = static_cast<std::uint64_t>(select.integer(1));
  if (select.text(0) != mark.run_id || last >= mark.seq) return {};
  return cut(database, "items " + std::to_string(last + 1) + " to " + std::to_string(mark.seq) +
                           " of run " + mark.run_id + " were");
}

Status note_missing_items(Database& database, const CommitMark& mark) {
  Statement update;
  Status status = database.prepare_all(
      {{&update,
        "UPDATE exec_runs SET not_kept_items = not_kept_items + ?3 - last_seq, truncated = 1,"
        " last_seq = ?3 WHERE number = ?1 AND run_id = ?2 AND last_seq < ?3"}});
  if (!status) return status;
  return update.with(mark.number, mark.run_id, static_cast<std::int64_t>(mark.seq)).run();
}

}  // namespace gibbous
