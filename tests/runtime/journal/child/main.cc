// What tests of the journal run as another process:
//   write DIR RUN   appends items until it is killed, and says on stdout how far they are durable
//   read DIR RUN N  reads by cursor until it has seen N items, each once and in order
//   open DIR        as a user who may not write there when `open` can do so; says the error's code
//   hold DIR        has the file open, as an older program that does nothing, until stdin ends
//   lock DIR WHERE  holds the lock for writing until it reads a byte, which it waits for in its
//                   sleep ("asleep") or as a process waits for a disk ("disk")
//   full DIR RUN    writes until the limit of file sizes is reached, then raises it and flushes
#include <sched.h>
#include <signal.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <condition_variable>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <future>
#include <mutex>
#include <string>
#include <vector>

#include "runtime/journal/journal.h"
#include "runtime/journal/journal_reader.h"
#include "runtime/journal/place.h"

namespace gibbous {
namespace {

constexpr uid_t kNobody = 65'534;
constexpr std::int64_t kNoLimitInTime = std::int64_t{1} << 40;  // the parent kills long before

// Told from the seq alone, so that a checker knows it, too.
std::string text_of(std::uint64_t seq) {
  constexpr std::uint64_t kLengths = 257;
  return std::to_string(seq) + std::string(seq * seq % kLengths, 'x');
}

class Room {
 public:
  void tell() {
    const std::lock_guard lock(mutex_);
    there_ = true;
    changed_.notify_all();
  }
  void wait() {
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [this] { return there_; });
    there_ = false;
  }

 private:
  std::mutex mutex_;
  std::condition_variable changed_;
  bool there_ = false;
};

int write_until_killed(const std::string& directory, const std::string& id) {
  const SystemClock clock;
  Room room;
  Journal* known = nullptr;
  JournalOptions options;
  options.directory = directory;
  options.commit_delay = Millis{0};
  options.max_queue_entries = 512;
  options.on_room = [&room] { room.tell(); };
  std::promise<void> ready;
  const std::shared_future<void> is_ready = ready.get_future().share();
  options.on_durable = [&] {
    is_ready.wait();
    const std::string line = std::to_string(known->durable_seq(id)) + "\n";
    if (::write(STDOUT_FILENO, line.data(), line.size()) < 0) std::_Exit(1);
  };
  auto journal = Journal::create(options, clock);
  if (!journal) {
    std::fprintf(stderr, "%s\n", journal.status().message().c_str());
    return 1;
  }
  known = journal->get();
  ready.set_value();
  std::uint64_t seq = 1;
  if (auto reader = JournalReader::open(directory); reader) {
    if (auto run = (*reader)->run(id); run) seq = run->last_seq + 1;
  }
  RunRecord run;
  run.run_id = id;
  run.status = "running";
  run.max_output_bytes = kNoLimitInTime;
  if (known->put_run(run) != Taken::kYes) return 1;
  for (;;) {
    if (known->append(id, {seq, ItemType::kStdout, text_of(seq)}) == Taken::kYes) {
      ++seq;
    } else {
      room.wait();
    }
  }
}

int read_all(const std::string& directory, const std::string& id, std::uint64_t count) {
  auto reader = JournalReader::open(directory);
  if (!reader) return 2;
  std::uint64_t since = 0;
  while (since < count) {
    const auto page = (*reader)->items(id, since, 100);
    if (!page) {
      std::fprintf(stderr, "%s\n", page.status().message().c_str());
      return 3;
    }
    for (const StoredItem& item : page->items) {
      if (item.seq != since + 1 || item.payload != text_of(item.seq)) return 4;
      since = item.seq;
    }
    if (page->items.empty()) ::sched_yield();
  }
  return 0;
}

int open_unprivileged(const std::string& directory) {
  if (::geteuid() == 0 && (::setgid(kNobody) != 0 || ::setuid(kNobody) != 0)) return 2;
  const SystemClock clock;
  JournalOptions options;
  options.directory = directory;
  const auto journal = Journal::create(options, clock);
  std::printf("%s %s\n", journal.status().code().c_str(), journal.status().message().c_str());
  return 0;
}

Status flushed(Journal& journal) {
  std::promise<Status> answer;
  journal.flush([&answer](const Status& status) { answer.set_value(status); });
  return answer.get_future().get();
}

int fill(const std::string& directory, const std::string& id) {
  constexpr rlim_t kLimit = rlim_t{256} << 10;
  const SystemClock clock;
  JournalOptions options;
  options.directory = directory;
  options.retry_interval = std::chrono::hours(1);
  auto journal = Journal::create(options, clock);
  if (!journal) return 1;
  RunRecord run;
  run.run_id = id;
  run.status = "running";
  if ((*journal)->put_run(run) != Taken::kYes) return 1;
  rlimit limit{};
  ::getrlimit(RLIMIT_FSIZE, &limit);
  const rlimit small{kLimit, limit.rlim_max};
  ::setrlimit(RLIMIT_FSIZE, &small);
  Status status;
  std::uint64_t seq = 0;
  constexpr std::uint64_t kEnough = 20'000;
  while (status && seq < kEnough) {
    for (int i = 0; i < 100; ++i, ++seq) {
      if ((*journal)->append(id, {seq + 1, ItemType::kStdout, text_of(seq + 1)}) != Taken::kYes) {
        return 2;
      }
    }
    status = flushed(**journal);
  }
  std::printf("%s\n%s\n", status.code().c_str(), status.message().c_str());
  ::setrlimit(RLIMIT_FSIZE, &limit);
  status = flushed(**journal);
  std::printf("%s\n%llu\n%llu\n", status.ok() ? "recovered" : status.message().c_str(),
              static_cast<unsigned long long>(seq),
              static_cast<unsigned long long>((*journal)->durable_seq(id)));
  return 0;
}

int hold_open(const std::string& directory) {
  const auto database =
      Database::open(journal_path(directory), Database::Mode::kWrite, Millis{5'000});
  if (!database || !(*database)->number("SELECT count(*) FROM sqlite_schema")) return 1;
  if (::write(STDOUT_FILENO, "open\n", 5) < 0) return 1;
  char ignored = 0;
  while (::read(STDIN_FILENO, &ignored, 1) > 0) {
  }
  return 0;
}

// A process whose child of vfork() has neither ended nor replaced its program is in the same state
// as one that waits for a disk.
bool wait_for_byte(bool as_for_disk) {
  char ignored = 0;
  if (!as_for_disk) return ::read(STDIN_FILENO, &ignored, 1) == 1;
  const pid_t child = ::vfork();
  if (child == 0) ::_exit(::read(STDIN_FILENO, &ignored, 1) == 1 ? 0 : 1);
  int status = 1;
  return child > 0 && ::waitpid(child, &status, 0) == child && status == 0;
}

int lock(const std::string& directory, const std::string& where) {
  const auto database =
      Database::open(journal_path(directory), Database::Mode::kWrite, Millis{5'000});
  if (!database || !(*database)->execute("BEGIN IMMEDIATE")) return 1;
  if (::write(STDOUT_FILENO, "locked\n", 7) < 0) return 1;
  if (!wait_for_byte(where == "disk")) return 1;
  return (*database)->execute("ROLLBACK") ? 0 : 1;
}

}  // namespace
}  // namespace gibbous

int main(int argc, char** argv) {
  using namespace gibbous;
  const std::string what = argc > 1 ? argv[1] : "";
  if (what == "write" && argc == 4) return write_until_killed(argv[2], argv[3]);
  if (what == "read" && argc == 5)
    return read_all(argv[2], argv[3], std::strtoull(argv[4], nullptr, 10));
  if (what == "open" && argc == 3) return open_unprivileged(argv[2]);
  if (what == "hold" && argc == 3) return hold_open(argv[2]);
  if (what == "lock" && argc == 4) return lock(argv[2], argv[3]);
  if (what == "full" && argc == 4) return fill(argv[2], argv[3]);
  return 64;
}
