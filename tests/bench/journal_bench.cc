// What remembering costs: items made durable, beside a plain C loop over SQLite that writes the
// same text in segments; a cursor that reads while another thread writes; a poll of a run with a
// million items; and what the caller's own thread pays for an item.
#include <sqlite3.h>
#include <unistd.h>

#include <algorithm>
#include <atomic>
#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <future>
#include <memory>
#include <mutex>
#include <random>
#include <string>
#include <thread>
#include <vector>

#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"
#include "tests/bench/harness.h"

namespace gibbous::bench {
namespace {

namespace fs = std::filesystem;

constexpr Amount<std::uint64_t> kItems{1'000'000, 20'000};
constexpr Amount<int> kRounds{3, 1};
constexpr std::size_t kLineBytes = 100;
constexpr int kLinesPerSegment = 40;
constexpr double kItemsAtLeast = 0.8;
constexpr double kCursorAtMostMicros = 100;
constexpr double kPollAtMostMicros = 1'000;

class Directory {
 public:
  Directory() {
    std::string path = (fs::temp_directory_path() / "gibbous-bench-XXXXXX").string();
    if (::mkdtemp(path.data()) == nullptr) std::abort();
    path_ = path;
  }
  ~Directory() {
    std::error_code error;
    fs::remove_all(path_, error);
  }
  Directory(const Directory&) = delete;
  Directory& operator=(const Directory&) = delete;
  const std::string& path() const { return path_; }

 private:
  std::string path_;
};

void c_run(sqlite3* database, const char* sql) {
  if (sqlite3_exec(database, sql, nullptr, nullptr, nullptr) == SQLITE_OK) return;
  std::fprintf(stderr, "%s\n", sqlite3_errmsg(database));
  std::abort();
}

// Lines a second, `lines_per_transaction` of them in each, synced.
double c_lines(std::uint64_t lines, int lines_per_transaction) {
  const Directory directory;
  sqlite3* database = nullptr;
  if (sqlite3_open((directory.path() + "/plain.db").c_str(), &database) != SQLITE_OK) std::abort();
  c_run(database,
        "PRAGMA journal_mode=WAL; PRAGMA synchronous=FULL;"
        "CREATE TABLE segments (run INTEGER, seq INTEGER, data BLOB, PRIMARY KEY (run, seq))"
        " WITHOUT ROWID");
  sqlite3_stmt* insert = nullptr;
  sqlite3_prepare_v2(database, "INSERT INTO segments VALUES (1, ?, ?)", -1, &insert, nullptr);
  const std::string segment(kLineBytes * kLinesPerSegment, 'x');
  const int rows = lines_per_transaction / kLinesPerSegment;
  const double millis = timed([&] {
    for (std::uint64_t seq = 0; seq < lines;) {
      c_run(database, "BEGIN IMMEDIATE");
      for (int i = 0; i < rows && seq < lines; ++i, seq += kLinesPerSegment) {
        sqlite3_bind_int64(insert, 1, static_cast<sqlite3_int64>(seq));
        sqlite3_bind_blob(insert, 2, segment.data(), static_cast<int>(segment.size()),
                          SQLITE_STATIC);
        if (sqlite3_step(insert) != SQLITE_DONE) std::abort();
        sqlite3_reset(insert);
      }
      c_run(database, "COMMIT");
    }
  });
  sqlite3_finalize(insert);
  sqlite3_close(database);
  return static_cast<double>(lines) * 1000 / millis;
}

// A journal with one run, and a caller that waits when its queue is full.
class Desk {
 public:
  Desk() {
    JournalOptions options;
    options.directory = directory_.path();
    options.max_run_bytes = 0;
    options.max_total_bytes = 0;
    options.on_room = [this] {
      const std::lock_guard lock(mutex_);
      room_ = true;
      changed_.notify_all();
    };
    auto made = Journal::create(options, clock_);
    if (!made) {
      std::fprintf(stderr, "%s\n", made.status().message().c_str());
      std::abort();
    }
    journal_ = std::move(*made);
    RunRecord run;
    run.run_id = "run";
    run.status = "running";
    (void)journal_->put_run(run);
  }
  ~Desk() { journal_.reset(); }
  Desk(const Desk&) = delete;
  Desk& operator=(const Desk&) = delete;

  void append(std::string_view line) {
    while (journal_->append("run", {seq_ + 1, ItemType::kStdout, line, "", 1}) != Taken::kYes) {
      std::unique_lock lock(mutex_);
      changed_.wait(lock, [this] { return room_; });
      room_ = false;
    }
    ++seq_;
  }
  bool try_append(std::string_view line) {
    if (journal_->append("run", {seq_ + 1, ItemType::kStdout, line, "", 1}) != Taken::kYes) {
      return false;
    }
    ++seq_;
    return true;
  }
  void flush() {
    std::promise<void> done;
    journal_->flush([&done](const Status& status) {
      if (!status) std::abort();
      done.set_value();
    });
    done.get_future().wait();
  }
  const std::string& directory() const { return directory_.path(); }
  std::uint64_t last_seq() const { return seq_; }
  std::uint64_t commits() const { return journal_->stats().commits; }

 private:
  Directory directory_;
  SystemClock clock_;
  std::mutex mutex_;
  std::condition_variable changed_;
  bool room_ = false;
  std::uint64_t seq_ = 0;
  std::unique_ptr<Journal> journal_;
};

// Returns the microseconds of each of `count` reads of `limit` items after random cursors.
std::vector<double> read_micros(const std::string& directory, int count, std::size_t limit,
                                const std::function<std::uint64_t()>& last_seq) {
  auto reader = JournalReader::open(directory);
  if (!reader) std::abort();
  std::mt19937_64 random(1);
  std::vector<double> micros;
  for (int i = 0; i < count; ++i) {
    const std::uint64_t since = random() % last_seq();
    micros.push_back(timed([&] {
                       const auto page = (*reader)->items("run", since, limit);
                       if (!page || page->items.empty()) std::abort();
                     }) *
                     1000);
  }
  return micros;
}

void bench_durable(Report& report) {
  const std::string line(kLineBytes, 'x');
  std::vector<double> ours;
  std::vector<double> small;
  std::vector<double> large;
  double commits = 0;
  constexpr int kSmall = 1'000;
  constexpr int kLarge = 32'000;
  for (int round = 0; round < kRounds; ++round) {
    {
      Desk desk;
      const double millis = timed([&] {
        for (std::uint64_t i = 0; i < kItems; ++i) desk.append(line);
        desk.flush();
      });
      ours.push_back(static_cast<double>(kItems) * 1000 / millis);
      commits = static_cast<double>(desk.commits());
    }
    small.push_back(c_lines(kItems, kSmall));
    large.push_back(c_lines(kItems, kLarge));
  }
  report.add({"durable items a second, 100 bytes each",
              "1/s",
              median(ours),
              median(small),
              "C, 1,000 a transaction",
              kItemsAtLeast,
              {}});
  report.add({"the same against large transactions",
              "1/s",
              median(ours),
              median(large),
              "C, 32,000 a transaction",
              {},
              {}});
  report.note("ours shared " + std::to_string(static_cast<int>(commits)) + " commits");
}

void bench_caller(Report& report) {
  const std::string line(kLineBytes, 'x');
  Desk desk;
  constexpr Amount<int> kCount{50'000, 1'000};
  std::vector<double> micros;
  for (int i = 0; i < kCount; ++i) {
    micros.push_back(timed([&] { (void)desk.try_append(line); }) * 1000);
  }
  desk.flush();
  report.add({"caller's cost of an item, p50", "µs", percentile(micros, 0.5), {}, "", {}, {}});
  report.add({"caller's cost of an item, p99", "µs", percentile(micros, 0.99), {}, "", {}, {}});
}

void bench_reads(Report& report) {
  const std::string line(kLineBytes, 'x');
  Desk desk;
  for (std::uint64_t i = 0; i < kItems; ++i) desk.append(line);
  desk.flush();
  constexpr Amount<int> kReads{2'000, 50};
  constexpr std::size_t kPoll = 100;
  constexpr std::size_t kCursor = 200;
  const auto polls = read_micros(desk.directory(), kReads, kPoll, [] { return kItems; });
  report.add({"poll of a run with a million items, p50",
              "µs",
              percentile(polls, 0.5),
              {},
              "",
              {},
              kPollAtMostMicros});
  report.add({"the same, p99", "µs", percentile(polls, 0.99), {}, "", {}, kPollAtMostMicros});
  std::atomic<bool> stop{false};
  std::thread writer([&] {
    while (!stop) desk.append(line);
  });
  const auto cursors = read_micros(desk.directory(), kReads, kCursor, [] { return kItems; });
  stop = true;
  writer.join();
  desk.flush();
  report.add({"200 items by cursor beside a writer, p50",
              "µs",
              percentile(cursors, 0.5),
              {},
              "",
              {},
              kCursorAtMostMicros});
  report.add({"the same, p99", "µs", percentile(cursors, 0.99), {}, "", {}, {}});
}

}  // namespace

void bench_journal(Report& report) {
  report.section("Remembering");
  bench_durable(report);
  bench_caller(report);
  bench_reads(report);
}

}  // namespace gibbous::bench
