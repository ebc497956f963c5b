// Errors carry SQLite's text and, where a system call failed, the system's.
#include "runtime/journal/database.h"

#include <sqlite3.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <cstdlib>
#include <cstring>
#include <thread>
#include <utility>

#include "runtime/base/clock.h"
#include "runtime/base/file_system.h"

namespace gibbous {
namespace {

constexpr std::size_t kMostUnused = 24;  // statements of a few KiB each

bool is_no_space(int error) {
  return error == ENOSPC || error == EFBIG || error == EDQUOT;
}

struct Meaning {
  const char* code;
  const char* fix;
};

constexpr const char* kReadOnlyFix =
    "its file system is mounted read-only; name another state directory (--state)";
constexpr const char* kPermissionFix = "make the file and its directory writable for this user";

Meaning meaning_of_open(int system_error) {
  switch (system_error) {
    case EROFS:
      return {"journal_readonly", kReadOnlyFix};
    case EACCES:
    case EPERM:
      return {"journal_readonly", kPermissionFix};
    case EMFILE:
    case ENFILE:
      return {"journal_unusable", "close files, or raise the limit of open files"};
    default:
      return {"journal_unusable", "the directory must exist and belong to this user"};
  }
}

// Locks, and the shared memory that a write-ahead log needs.
bool is_about_sharing(int extended) {
  switch (extended) {
    case SQLITE_IOERR_LOCK:
    case SQLITE_IOERR_RDLOCK:
    case SQLITE_IOERR_UNLOCK:
    case SQLITE_IOERR_CHECKRESERVEDLOCK:
    case SQLITE_IOERR_SHMOPEN:
    case SQLITE_IOERR_SHMSIZE:
    case SQLITE_IOERR_SHMLOCK:
    case SQLITE_IOERR_SHMMAP:
      return true;
    default:
      return false;
  }
}

constexpr int kPrimary = 0xFF;

Meaning meaning_of(int extended, int system_error) {
  if (is_no_space(system_error)) {
    return {"journal_full", "make room on the disk, or raise the limit of file sizes"};
  }
  if (is_about_sharing(extended)) {
    return {"journal_no_locks",
            "its file system cannot share files between processes; name a state directory (--state)"
            " on a local disk"};
  }
  switch (extended & kPrimary) {
    case SQLITE_CORRUPT:
    case SQLITE_NOTADB:
      return {"journal_corrupt", "set it aside: gibbous doctor --set-aside"};
    case SQLITE_BUSY:
    case SQLITE_LOCKED:
      return {"journal_busy", "another process holds it; Gibbous tries again"};
    case SQLITE_READONLY:
    case SQLITE_PERM:
    case SQLITE_AUTH:
      return {"journal_readonly", kPermissionFix};
    case SQLITE_FULL:
      return {"journal_full", "make room on the disk, or raise the journal's limit"};
    case SQLITE_CANTOPEN:
      return meaning_of_open(system_error);
    default:
      return {"journal_failed", "check the disk; Gibbous tries again"};
  }
}

std::string directory_of(const std::string& path) {
  return path.substr(0, std::max<std::size_t>(1, path.rfind('/')));
}

// SQLite refuses a path with any symbolic link in it. Only the file itself must be none.
std::string with_real_directory(const std::string& path) {
  const std::size_t slash = path.rfind('/');
  if (slash == std::string::npos) return path;
  const std::unique_ptr<char, decltype(&std::free)> real(
      ::realpath(directory_of(path).c_str(), nullptr), &std::free);
  return real ? std::string(real.get()) + path.substr(slash) : path;
}

std::string snapshot_uri(const std::string& path) {
  std::string uri = "file:";
  for (const char c : path) {
    if (c == '%' || c == '?' || c == '#') {
      constexpr const char* kDigits = "0123456789ABCDEF";
      uri += {'%', kDigits[static_cast<unsigned char>(c) >> 4], kDigits[c & 15]};
    } else {
      uri += c;
    }
  }
  return uri + "?immutable=1";
}

// SQLite maps the -shm file: when another program cuts it, the next look would end this process
// (SIGBUS). Before each transaction it is made as long as the log needs it, by its path, because to
// close a descriptor would let go of SQLite's locks; SQLite makes its content anew from the log.
// Only a cut during a transaction is not noticed.
void mend_shared(sqlite3* database) {
  constexpr off_t kRegionBytes = off_t{32} << 10;
  constexpr off_t kFrameBytes = 4096 + 24;
  constexpr off_t kRegionFrames = 4096;  // of the first one a few less
  constexpr Millis kRegionIsMade{2};
  const char* const path = sqlite3_db_filename(database, "main");
  if (path == nullptr || *path == '\0' || sqlite3_get_autocommit(database) == 0) return;
  struct stat file {};
  struct stat log {};
  const std::string shared = std::string(path) + "-shm";
  if (::lstat(shared.c_str(), &file) != 0 || !S_ISREG(file.st_mode) ||
      ::lstat((std::string(path) + "-wal").c_str(), &log) != 0) {
    return;
  }
  // A first region that was cut keeps a header that vouches for the rest. SQLite itself makes one
  // in several steps, and fills it after that.
  if (const off_t size = file.st_size; size > 0 && size < kRegionBytes) {
    std::this_thread::sleep_for(kRegionIsMade);
    if (::lstat(shared.c_str(), &file) == 0 && file.st_size == size) {
      (void)::truncate(shared.c_str(), 0);
      file.st_size = 0;
    }
  }
  const off_t regions = 2 + log.st_size / kFrameBytes / kRegionFrames;
  if (file.st_size < regions * kRegionBytes) {
    (void)::truncate(shared.c_str(), regions * kRegionBytes);
  }
}

}  // namespace

Status database_error(sqlite3* database, const std::string& path) {
  // SQLite forgets the system error of a failed commit, but errno still has it.
  const int last_error = errno;
  const int extended = sqlite3_extended_errcode(database);
  const int result = extended & kPrimary;
  const bool of_system =
      result == SQLITE_IOERR || result == SQLITE_CANTOPEN || result == SQLITE_FULL;
  int system_error = of_system ? sqlite3_system_errno(database) : 0;
  if (of_system && system_error == 0) system_error = last_error;
  Meaning meaning = meaning_of(extended, system_error);
  if (meaning.fix == kPermissionFix && file_system_of(directory_of(path)).is_read_only) {
    meaning.fix = kReadOnlyFix;
  }
  std::string message = path + ": " + sqlite3_errmsg(database);
  if (system_error != 0) message += std::string(" (") + std::strerror(system_error) + ")";
  return Status::error(meaning.code, message + "; " + meaning.fix);
}

Status corrupt_error(const std::string& path, const std::string& detail) {
  return Status::error("journal_corrupt",
                       path + ": " + detail + "; " + meaning_of(SQLITE_CORRUPT, 0).fix);
}

void Statement::Release::operator()(sqlite3_stmt* statement) const {
  database->keep(statement);
}

void Database::Finalize::operator()(sqlite3_stmt* statement) const {
  sqlite3_finalize(statement);
}

void Database::keep(sqlite3_stmt* unused) {
  sqlite3_reset(unused);
  sqlite3_clear_bindings(unused);
  if (unused_.size() == kMostUnused) unused_.erase(unused_.begin());
  unused_.emplace_back(unused);
}

void Statement::bind(int index, std::int64_t value) {
  sqlite3_bind_int64(statement_.get(), index, value);
}

void Statement::bind(int index, std::string_view text) {
  sqlite3_bind_text64(statement_.get(), index, text.data() == nullptr ? "" : text.data(),
                      text.size(), SQLITE_STATIC, SQLITE_UTF8);
}

void Statement::bind(int index, Blob blob) {
  sqlite3_bind_blob64(statement_.get(), index,
                      blob.bytes.data() == nullptr ? "" : blob.bytes.data(), blob.bytes.size(),
                      SQLITE_STATIC);
}

void Statement::bind(int index, NullWhenEmpty text) {
  if (text.text.empty()) return bind_null(index);
  bind(index, text.text);
}

void Statement::bind(int index, NullWhenZero number) {
  if (number.number == 0) return bind_null(index);
  bind(index, number.number);
}

void Statement::bind_null(int index) {
  sqlite3_bind_null(statement_.get(), index);
}

Result<bool> Statement::step() {
  mend_shared(sqlite3_db_handle(statement_.get()));
  errno = 0;
  const int result = sqlite3_step(statement_.get());
  if (result == SQLITE_ROW) return true;
  if (result == SQLITE_DONE) {
    sqlite3_reset(statement_.get());
    return false;
  }
  Status error = database_error(sqlite3_db_handle(statement_.get()), *path_);
  sqlite3_reset(statement_.get());
  return error;
}

Status Statement::run() {
  const Result<bool> row = step();
  if (!row) return row.status();
  if (*row) reset();
  return {};
}

void Statement::reset() {
  sqlite3_reset(statement_.get());
}

std::int64_t Statement::integer(int column) const {
  return sqlite3_column_int64(statement_.get(), column);
}

std::string_view Statement::bytes(int column) const {
  const void* data = sqlite3_column_blob(statement_.get(), column);
  const int size = sqlite3_column_bytes(statement_.get(), column);
  if (data == nullptr || size <= 0) return {};
  return {static_cast<const char*>(data), static_cast<std::size_t>(size)};
}

bool Statement::is_null(int column) const {
  return sqlite3_column_type(statement_.get(), column) == SQLITE_NULL;
}

void Database::Close::operator()(sqlite3* database) const {
  mend_shared(database);
  sqlite3_close_v2(database);
}

Result<std::unique_ptr<Database>> Database::open(const std::string& path, Mode mode,
                                                 Millis busy_timeout) {
  std::unique_ptr<Database> database(new Database(path));
  sqlite3* handle = nullptr;
  int flags = mode == Mode::kWrite ? SQLITE_OPEN_READWRITE : SQLITE_OPEN_READONLY;
  if (mode == Mode::kSnapshot) flags |= SQLITE_OPEN_URI;
  const std::string real = with_real_directory(path);
  const std::string name = mode == Mode::kSnapshot ? snapshot_uri(real) : real;
  const int result = sqlite3_open_v2(name.c_str(), &handle,
                                     flags | SQLITE_OPEN_NOMUTEX | SQLITE_OPEN_NOFOLLOW, nullptr);
  database->database_.reset(handle);
  if (handle == nullptr) return Status::error("journal_failed", path + ": out of memory");
  if (result != SQLITE_OK) return database_error(handle, path);
  sqlite3_extended_result_codes(handle, 1);
  database->set_busy_timeout(busy_timeout);
  database->file_ = identity_of(path);
  if (database->file_.inode == 0) {
    return Status::error("journal_unusable", path + ": " + std::strerror(errno));
  }
  // The file may be damaged, so its schema is not trusted.
  if (Status status = database->execute("PRAGMA trusted_schema=OFF; PRAGMA cell_size_check=ON");
      !status) {
    return status;
  }
  return database;
}

void Database::set_busy_timeout(Millis timeout) {
  busy_timeout_ = timeout;
  sqlite3_busy_timeout(database_.get(), static_cast<int>(timeout.count()));
}

Status Database::execute(const char* sql) {
  mend_shared(database_.get());
  errno = 0;
  if (sqlite3_exec(database_.get(), sql, nullptr, nullptr, nullptr) == SQLITE_OK) return {};
  return database_error(database_.get(), path_);
}

Result<Statement> Database::prepare(const char* sql) {
  mend_shared(database_.get());
  Statement statement;
  statement.path_ = &path_;
  const auto kept = std::find_if(unused_.begin(), unused_.end(), [sql](const auto& each) {
    return std::strcmp(sqlite3_sql(each.get()), sql) == 0;
  });
  sqlite3_stmt* prepared = nullptr;
  if (kept != unused_.end()) {
    prepared = kept->release();
    unused_.erase(kept);
  } else if (sqlite3_prepare_v3(database_.get(), sql, -1, SQLITE_PREPARE_PERSISTENT, &prepared,
                                nullptr) != SQLITE_OK) {
    return database_error(database_.get(), path_);
  }
  statement.statement_ = {prepared, Statement::Release{this}};
  return statement;
}

Status Database::prepare_all(std::initializer_list<Preparation> all) {
  for (const Preparation& each : all) {
    Result<Statement> prepared = prepare(each.sql.c_str());
    if (!prepared) return prepared.status();
    *each.statement = std::move(*prepared);
  }
  return {};
}

Result<std::int64_t> Database::number(const char* sql) {
  Result<Statement> statement = prepare(sql);
  if (!statement) return statement.status();
  const Result<bool> row = statement->step();
  if (!row) return row.status();
  return *row ? statement->integer(0) : std::int64_t{0};
}

std::int64_t Database::changes() const {
  return sqlite3_changes64(database_.get());
}

bool Database::in_transaction() const {
  return sqlite3_get_autocommit(database_.get()) == 0;
}

void Database::keep_log() {
  sqlite3_db_config(database_.get(), SQLITE_DBCONFIG_NO_CKPT_ON_CLOSE, 1, nullptr);
}

bool Database::truncate_log() {
  mend_shared(database_.get());
  sqlite3_busy_timeout(database_.get(), 0);
  const int result = sqlite3_wal_checkpoint_v2(database_.get(), nullptr, SQLITE_CHECKPOINT_TRUNCATE,
                                               nullptr, nullptr);
  sqlite3_busy_timeout(database_.get(), static_cast<int>(busy_timeout_.count()));
  return result == SQLITE_OK;
}

Database::Identity Database::identity_of(const std::string& path) {
  struct stat named {};
  if (::lstat(path.c_str(), &named) != 0) return {};
  return {named.st_dev, named.st_ino};
}

bool Database::is_current() {
  if (!(identity_of(path_) == file_)) return false;
  const Identity log = identity_of(path_ + "-wal");
  if (log_.inode == 0) log_ = log;
  return log == log_;
}

}  // namespace gibbous
