// Logs of runs: output copied into files below the workspace, through every end of the run and
// failures of the disk. tests/runtime/output/file_sink_test.cc tests the sink itself.
#include <fstream>
#include <sstream>

#include "runtime/output/file_sink.h"
#include "tests/runtime/runs/table.h"

namespace gibbous {
namespace {

using testing::Table;

std::string content(const std::string& path) {
  std::ifstream file(path);
  std::ostringstream text;
  text << file.rdbuf();
  return text.str();
}

class LogObserver final : public RunsObserver {
 public:
  explicit LogObserver(Runs& runs) : runs_(runs) { runs_.add_observer(this); }
  ~LogObserver() override { runs_.remove_observer(this); }
  void on_log(Run&, const LogSpec& log, const std::string& problem) override {
    problems.push_back(log.path + ": " + problem);
  }
  std::vector<std::string> problems;

 private:
  Runs& runs_;
};

Run& start(Table& table, const std::string& command, std::vector<LogSpec> logs) {
  RunSpec spec;
  spec.command = command;
  spec.logs = std::move(logs);
  return table.start(std::move(spec));
}

bool written(Table& table, const Run& run, std::uint64_t bytes) {
  return table.loop.until([&] { return run.logs().front()->status().written_bytes == bytes; });
}

TEST_CASE("a log has all output of both streams, including the last before the end") {
  const testing::TempDir dir;
  Table table({}, dir.path());
  Run& run = start(table, "seq 1 20000; echo last >&2", {{.path = "logs/all.log"}});
  table.until_ended(run);
  const std::uint64_t all = run.stream(StreamId::kStdout).end() + 5;
  REQUIRE(written(table, run, all));
  const std::string text = content(dir.path() + "/logs/all.log");
  CHECK(text.size() == all);
  CHECK(text.find("20000\n") != std::string::npos);
  CHECK(text.find("last\n") != std::string::npos);
}

TEST_CASE("each stream can have its own log") {
  const testing::TempDir dir;
  Table table({}, dir.path());
  Run& run = start(
      table, "echo out; echo err >&2",
      {{.path = "out", .stream = StreamId::kStdout}, {.path = "err", .stream = StreamId::kStderr}});
  table.until_ended(run);
  REQUIRE(table.loop.until([&] {
    return content(dir.path() + "/out") == "out\n" && content(dir.path() + "/err") == "err\n";
  }));
}

TEST_CASE("a log is complete when its runtime was closed in the middle") {
  const testing::TempDir dir;
  {
    Table table({}, dir.path());
    Run& run = start(table, "echo before; sleep 60", {{.path = "log"}});
    REQUIRE(table.loop.until([&] { return run.stream(StreamId::kStdout).end() == 7; }));
  }
  CHECK(content(dir.path() + "/log") == "before\n");
}

TEST_CASE("a log that cannot be opened is reported, and the run continues") {
  const testing::TempDir dir;
  std::filesystem::create_symlink("/tmp", dir.path() + "/out");
  Table table({}, dir.path());
  LogObserver observer(*table.runs);
  Run& run = start(table, "echo fine", {{.path = "out/log"}});
  table.until_ended(run);
  CHECK(run.state() == RunState::kCompleted);
  REQUIRE(table.loop.until([&] { return observer.problems.size() == 1; }));
  CHECK(!run.logs().front()->status().error.empty());
}

TEST_CASE("the log quota holds for all files of a run together") {
  const testing::TempDir dir;
  Table table({}, dir.path());
  RunSpec spec;
  spec.command = "seq 1 100000";
  spec.logs = {{.path = "log", .max_bytes = 1U << 20, .files = 2}};
  spec.limits.log_bytes = 40'000;
  Run& run = table.start(std::move(spec));
  table.until_ended(run);
  REQUIRE(written(table, run, run.stream(StreamId::kStdout).end()));
  CHECK(std::filesystem::file_size(dir.path() + "/log") +
            std::filesystem::file_size(dir.path() + "/log.1") <=
        40'000);
}

TEST_CASE("a log may lie in the temporary directory, which is created, with the run's name") {
  const testing::TempDir dir;
  const std::string temp = dir.path() + "/temp/deep";
  std::filesystem::create_directory(dir.path() + "/workspace");
  Table table({}, dir.path() + "/workspace", temp);
  Run& run = start(table, "echo out", {{.path = temp + "/logs/{run}.log"}});
  table.until_ended(run);
  REQUIRE(written(table, run, 4));
  CHECK(content(temp + "/logs/" + run.id() + ".log") == "out\n");
}

TEST_CASE("a temporary directory that cannot be made refuses the start and names the setting") {
  const testing::TempDir dir;
  const std::string temp = dir.write("file", "") + "/temp";
  std::filesystem::create_directory(dir.path() + "/workspace");
  Table table({}, dir.path() + "/workspace", temp);
  RunSpec spec;
  spec.command = "true";
  spec.logs = {{.path = temp + "/log"}};
  const auto started = table.runs->start(std::move(spec), nullptr);
  REQUIRE(!started.ok());
  CHECK(started.status().code() == "unavailable");
  CHECK_THAT(started.status().message(), Catch::Matchers::Contains("TMPDIR"));
}

TEST_CASE("links in the temporary directory are not followed out of it") {
  const testing::TempDir dir;
  for (const char* name : {"/workspace", "/temp", "/outside"}) {
    std::filesystem::create_directory(dir.path() + name);
  }
  std::filesystem::create_symlink(dir.path() + "/outside", dir.path() + "/temp/way");
  Table table({}, dir.path() + "/workspace", dir.path() + "/temp");
  LogObserver observer(*table.runs);
  Run& run = start(table, "echo out", {{.path = dir.path() + "/temp/way/log"}});
  table.until_ended(run);
  REQUIRE(table.loop.until([&] { return observer.problems.size() == 1; }));
  CHECK(!std::filesystem::exists(dir.path() + "/outside/log"));
}

TEST_CASE("a log outside the workspace is refused before anything starts") {
  Table table;
  for (const char* path : {"../log", "/etc/log", ""}) {
    RunSpec spec;
    spec.command = "true";
    spec.logs = {{.path = path}};
    const auto started = table.runs->start(std::move(spec), nullptr);
    REQUIRE(!started.ok());
    CHECK(started.status().code() == "invalid_arguments");
    CHECK_THAT(started.status().message(), Catch::Matchers::Contains("log"));
  }
}

}  // namespace
}  // namespace gibbous
