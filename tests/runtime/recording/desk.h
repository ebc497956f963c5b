// A table of runs that is recorded in a journal of its own, and what was recorded.
#pragma once

#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "runtime/queue/worker.h"
#include "runtime/recording/recording.h"
#include "tests/runtime/runs/table.h"

namespace gibbous::testing {

class Recorded {
 public:
  explicit Recorded(RecordingOptions options = {}, RunLimits limits = {},
                    const std::string& directory = "", const WorkerOptions& worker_options = {})
      : table(limits) {
    options.journal.directory = directory.empty() ? dir_.path() : directory;
    options.journal.worker_alive = Worker::is_alive;
    options.journal.commit_delay = Millis{0};
    recording =
        std::make_unique<Recording>(table.loop.get(), table.clock, *table.runs, std::move(options));
    worker = std::make_unique<Worker>(table.loop.get(), table.clock, *table.runs, *recording,
                                      worker_options);
  }
  ~Recorded() {
    if (!recording) return;
    close();
  }
  void close() {
    bool closed = false;
    recording->close([&] { closed = true; });
    REQUIRE(table.loop.until([&] { return closed; }));
    worker.reset();
    recording.reset();
  }
  Run& sh(const std::string& command, std::optional<std::uint64_t> max_bytes = std::nullopt) {
    RunSpec spec;
    spec.command = command;
    spec.session = "s";
    spec.max_output_bytes = max_bytes;
    return table.start(std::move(spec));
  }
  Result<RecordedItems> items(const std::string& run, std::uint64_t since = 0,
                              std::size_t limit = kMaxPageItems) {
    std::optional<Result<RecordedItems>> answer;
    recording->items(run, since, limit, std::size_t{64} << 20,
                     [&](Result<RecordedItems> got) { answer.emplace(std::move(got)); });
    REQUIRE(table.loop.until([&] { return answer.has_value(); }));
    return std::move(*answer);
  }
  // Until the journal says that it has finished.
  RecordedItems finished(const std::string& run) {
    std::optional<RecordedItems> last;
    REQUIRE(table.loop.until([&] {
      auto got = items(run);
      if (!got.ok() || got->run.finished_at == 0) return false;
      last = std::move(*got);
      return true;
    }));
    return std::move(*last);
  }
  // Runs a command to its end, and returns its id.
  std::string finished_one() {
    const std::string id = sh("echo kept").id();
    finished(id);
    return id;
  }
  static std::string text(const std::vector<StoredItem>& items, ItemType type) {
    std::string all;
    for (const StoredItem& item : items) {
      if (item.type == type) all += item.payload;
    }
    return all;
  }
  static std::vector<std::string> payloads(const std::vector<StoredItem>& items, ItemType type) {
    std::vector<std::string> all;
    for (const StoredItem& item : items) {
      if (item.type == type) all.push_back(item.payload);
    }
    return all;
  }
  const std::string& directory() const { return dir_.path(); }

 private:
  TempDir dir_;

 public:
  Table table;
  std::unique_ptr<Recording> recording;
  std::unique_ptr<Worker> worker;
};

}  // namespace gibbous::testing
