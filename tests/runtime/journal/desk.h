// A journal in a directory of its own, and waiting for what its thread says.
#pragma once

#include <sqlite3.h>

#include <condition_variable>
#include <cstdlib>
#include <functional>
#include <future>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"
#include "tests/support/catch.h"
#include "tests/support/loop.h"
#include "tests/support/program.h"

namespace gibbous::testing {

// Counts what the writer thread tells; until() waits for it.
class Told {
 public:
  void tell(const std::function<void(Told&)>& what) {
    const std::lock_guard lock(mutex_);
    what(*this);
    changed_.notify_all();
  }
  bool until(const std::function<bool(const Told&)>& done) {
    std::unique_lock lock(mutex_);
    return changed_.wait_for(lock, kPatience, [&] { return done(*this); });
  }
  int rooms = 0;
  int durables = 0;
  int recoveries = 0;
  std::vector<Status> problems;

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
};

// What an asynchronous call of the journal ends with.
inline Status wait_for(const std::function<void(JournalDone)>& call) {
  auto promise = std::make_shared<std::promise<Status>>();
  std::future<Status> answer = promise->get_future();
  call([promise](const Status& status) { promise->set_value(status); });
  if (answer.wait_for(kPatience) != std::future_status::ready) {
    return Status::error("test_patience", "no answer came");
  }
  return answer.get();
}

struct Desk {
  Desk() {
    options.directory = directory();
    options.commit_delay = Millis{0};
    options.retry_interval = std::chrono::hours(1);  // tests say when
    options.on_room = [this] { told.tell([](Told& all) { ++all.rooms; }); };
    options.on_durable = [this] { told.tell([](Told& all) { ++all.durables; }); };
    options.on_recovered = [this] { told.tell([](Told& all) { ++all.recoveries; }); };
    options.on_problem = [this](const Status& status) {
      told.tell([&](Told& all) { all.problems.push_back(status); });
    };
  }

  std::string directory() const { return dir.path() + "/state"; }
  std::string file() const { return directory() + "/sessions.db"; }
  Status open() {
    journal.reset();
    auto made = Journal::create(options, clock);
    if (!made) return made.status();
    journal = std::move(*made);
    return {};
  }
  Status flush() {
    return wait_for([this](JournalDone done) { journal->flush(std::move(done)); });
  }
  Status tidy() {
    return wait_for([this](JournalDone done) { journal->tidy(std::move(done)); });
  }
  RunRecord record(const std::string& id, const std::string& session = "s") const {
    RunRecord run;
    run.run_id = id;
    run.session_id = session;
    run.status = "running";
    run.command = "make " + id;
    run.queued_at = clock.wall().count();
    run.started_at = clock.wall().count();
    return run;
  }
  Taken start(const std::string& id, const std::string& session = "s") {
    return journal->put_run(record(id, session));
  }
  Taken end(const std::string& id) {
    RunRecord run = record(id);
    run.status = "completed";
    run.has_exit_code = true;
    run.finished_at = clock.wall().count();
    return journal->put_run(run);
  }
  Taken out(const std::string& id, std::uint64_t seq, const std::string& text) {
    return journal->append(id, {seq, ItemType::kStdout, text});
  }
  std::unique_ptr<JournalReader> reader() const {
    auto opened = JournalReader::open(directory());
    if (!opened) FAIL(opened.status().message());
    return std::move(*opened);
  }
  ItemPage items(const std::string& id, std::uint64_t since = 0, std::size_t limit = 10'000) const {
    auto page = reader()->items(id, since, limit);
    if (!page) FAIL(page.status().message());
    return std::move(*page);
  }

  TempDir dir;
  ManualClock clock;
  JournalOptions options;
  Told told;
  std::unique_ptr<Journal> journal;  // its thread tells the above
};

// Plain SQLite on the file, as another program would use it.
class Plain {
 public:
  explicit Plain(const std::string& path) {
    if (sqlite3_open(path.c_str(), &database_) != SQLITE_OK) std::abort();
    sqlite3_busy_timeout(database_, 30'000);
  }
  ~Plain() { sqlite3_close(database_); }
  Plain(const Plain&) = delete;
  Plain& operator=(const Plain&) = delete;
  bool run(const std::string& sql) {
    return sqlite3_exec(database_, sql.c_str(), nullptr, nullptr, nullptr) == SQLITE_OK;
  }
  // Rows as texts, their columns joined by '|'.
  std::vector<std::string> rows(const std::string& sql) {
    std::vector<std::string> rows;
    const auto add = [](void* to, int count, char** values, char**) {
      std::string row;
      for (int i = 0; i < count; ++i) {
        row += std::string(i == 0 ? "" : "|") + (values[i] == nullptr ? "NULL" : values[i]);
      }
      static_cast<std::vector<std::string>*>(to)->push_back(row);
      return 0;
    };
    char* error = nullptr;
    if (sqlite3_exec(database_, sql.c_str(), add, &rows, &error) != SQLITE_OK) {
      rows.push_back(std::string("error: ") + error);
    }
    sqlite3_free(error);
    return rows;
  }

 private:
  sqlite3* database_ = nullptr;
};

// What journal_child is started with (child/main.cc).
inline ProgramSpec journal_child(std::vector<std::string> arguments) {
  arguments.insert(arguments.begin(), program_directory() + "/journal_child");
  ProgramSpec spec;
  spec.argv = std::move(arguments);
  return spec;
}

}  // namespace gibbous::testing
