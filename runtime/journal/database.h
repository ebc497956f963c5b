// Database and Statement wrap SQLite's C interface with ownership and Status. Internal to this
// folder. One thread at a time may use a Database and its statements.
//
// The path of the directory is real, because SQLITE_OPEN_NOFOLLOW refuses a link in any part of it.
// Only SQLite opens the file: closing another descriptor of it would drop SQLite's locks. A file
// without a log in a directory that cannot be written is read as immutable. A log that was removed
// or replaced is noticed by its inode before each write (is_current); closing the connection then
// moves what it holds into the file.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <initializer_list>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"

struct sqlite3;
struct sqlite3_stmt;

namespace gibbous {

class Database;

// Parameters of a statement that are no plain number or text. Borrowed until the next reset().
struct Blob {
  std::string_view bytes;
};
struct NullWhenEmpty {
  std::string_view text;
};
struct NullWhenZero {
  std::int64_t number = 0;
};

// Bound parameters and columns are numbered as in SQLite: from 1, and from 0.
class Statement {
 public:
  Statement() = default;

  // Binds all parameters, in their order.
  template <typename... Values>
  Statement& with(const Values&... values) {
    int index = 0;
    (bind(++index, values), ...);
    return *this;
  }
  void bind(int index, std::int64_t value);
  void bind(int index, std::string_view text);  // borrowed until the next reset()
  void bind(int index, Blob blob);
  void bind(int index, NullWhenEmpty text);
  void bind(int index, NullWhenZero number);
  void bind_null(int index);
  // Returns true when there is a row. After false, or an error, the statement is reset.
  Result<bool> step();
  Status run();  // for statements without rows
  void reset();

  std::int64_t integer(int column) const;
  std::string_view bytes(int column) const;  // until the next step()
  std::string text(int column) const { return std::string(bytes(column)); }
  bool is_null(int column) const;

 private:
  friend class Database;
  // Gives the statement back to its database, which prepares the same text again for nothing.
  struct Release {
    Release() : database(nullptr) {}
    explicit Release(Database* of) : database(of) {}
    Database* database;
    void operator()(sqlite3_stmt* statement) const;
  };
  std::unique_ptr<sqlite3_stmt, Release> statement_;
  const std::string* path_ = nullptr;  // the Database's
};

class Database {
 public:
  // kSnapshot reads a file that no process can change, without locks and without other files.
  enum class Mode : std::uint8_t { kWrite, kRead, kSnapshot };
  // The file must exist and be no symbolic link; directories above it may be.
  static Result<std::unique_ptr<Database>> open(const std::string& path, Mode mode,
                                                Millis busy_timeout);

  // How long later calls wait for other processes.
  void set_busy_timeout(Millis timeout);
  Status execute(const char* sql);  // one or more statements, rows are ignored
  // Destroy statements before the database, and on the same thread. Parsing costs far more than a
  // look at an index, so the database keeps some of those that are no longer used.
  Result<Statement> prepare(const char* sql);
  struct Preparation {
    Statement* statement;
    std::string sql;
  };
  Status prepare_all(std::initializer_list<Preparation> all);
  Result<std::int64_t> number(const char* sql);  // the first column of the first row, else 0
  std::int64_t changes() const;                  // rows, of the last statement
  bool in_transaction() const;
  // Leaves the write-ahead log as it is on close, instead of merging it into the file and removing
  // it.
  void keep_log();
  // Writes the log into the file and empties it, without waiting for others. Returns false when
  // they are in the way.
  bool truncate_log();
  const std::string& path() const { return path_; }
  // Returns true while the path leads to the open file, and the path of its write-ahead log to the
  // one that was there at the first call.
  bool is_current();

 private:
  friend class Statement;
  struct Close {
    void operator()(sqlite3* database) const;
  };
  struct Finalize {
    void operator()(sqlite3_stmt* statement) const;
  };
  void keep(sqlite3_stmt* unused);
  explicit Database(std::string path) : path_(std::move(path)) {}

  std::string path_;
  std::unique_ptr<sqlite3, Close> database_;
  std::vector<std::unique_ptr<sqlite3_stmt, Finalize>> unused_;  // the last one used comes last
  struct Identity {
    dev_t device = 0;
    ino_t inode = 0;  // 0: there is no such file
    bool operator==(const Identity&) const = default;
  };
  static Identity identity_of(const std::string& path);

  Identity file_;
  Identity log_;
  Millis busy_timeout_{0};
};

// Describes SQLite's last error for people: the file, what happened, and what to do.
Status database_error(sqlite3* database, const std::string& path);
// Returns the journal_corrupt error of `path`; `detail` says what was found.
Status corrupt_error(const std::string& path, const std::string& detail);

}  // namespace gibbous
