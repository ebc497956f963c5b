// Watching: 1, 10 and 100 watchers over generated logs of builds and servers, in the chunks in
// which output comes. Beside it RE2 on each line, as a program does it that cuts its output into
// lines, and ripgrep (or grep) on the same bytes in a file, when installed. MB per second of CPU
// time.
#include <fcntl.h>
#include <re2/re2.h>
#include <spawn.h>
#include <sys/resource.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <memory>
#include <random>
#include <string>
#include <string_view>
#include <vector>

#include "runtime/watch/watch_set.h"
#include "tests/bench/harness.h"

namespace gibbous::bench {
namespace {

constexpr Amount<std::size_t> kLogBytes{std::size_t{192} << 20, std::size_t{4} << 20};
constexpr Amount<std::size_t> kPlainBytes{std::size_t{24} << 20,
                                          std::size_t{1} << 20};  // for what is slow
constexpr std::size_t kChunkBytes = std::size_t{64} << 10;
constexpr Amount<int> kRounds{5, 1};
constexpr double kMega = 1e6;

// The target, as a multiple of ripgrep's figure.
struct Target {
  std::size_t watchers = 0;
  double at_least = 0;
};
constexpr Target kTargets[] = {{1, 0.8}, {10, 5}, {100, 3}};

// # is a number, @ a word; ordinary lines, and those that watchers are about, which are rare.
constexpr std::string_view kOrdinary[] = {
    "[#/#] Building CXX object src/@/CMakeFiles/@.dir/@_@.cc.o",
    "gcc -O2 -g -Wall -Iinclude -I../@ -DNDEBUG -c -o build/@/@.o src/@/@.c",
    "   Compiling @-@ v0.#.# (/workspace/crates/@)",
    "127.0.0.1 - - [12/Mar/2026:10:#:# +0000] \"GET /api/v1/@/# HTTP/1.1\" 200 # \"-\" "
    "\"curl/8.#\"",
    "2026-03-12T10:15:#.#Z  INFO @::@: request finished latency=#ms status=200 path=/@/@",
    "2026-03-12 10:#:#,# DEBUG [worker-#] org.@.@Service - handled @ in # ms",
    "npm http fetch GET 200 https://registry.example.org/@-@ #ms (cache hit)",
    "  ✓ @ returns the @ of a @ (# ms)",
    "    at Object.<anonymous> (/workspace/src/@/@.test.ts:#:#)",
    "test @::@::tests::@_@ ... ok",
    "Get:# http://deb.example.org/debian bookworm/main amd64 lib@# amd64 #.#-# [# kB]",
    "asset @.#.js # KiB [emitted] [immutable] (name: @)",
};
constexpr std::string_view kRare[] = {
    "src/@/@.cc:#:#: error: no matching function for call to '@'",
    "warning: unused variable: `@`",
    "thread 'main' panicked at src/@.rs:#:#:",
    "Traceback (most recent call last):",
    "Server listening on http://127.0.0.1:#",
    "FAILED tests/test_@.py::test_@ - AssertionError: assert # == #",
};
// The watched patterns: 10, and then 90 of one kind.
constexpr std::string_view kWatched[] = {
    "error: .*no matching function",
    "\\bpanicked at (\\S+)",
    "^Traceback \\(most recent call last\\)",
    "(?i)listening on (https?://\\S+)",
    "^FAILED (\\S+)",
    "undefined reference to",
    "Segmentation fault|core dumped",
    "npm ERR! code (\\w+)",
    "^fatal: ",
    "(?:Cannot|Could not) find module",
};

std::string_view word(std::mt19937& random) {
  static constexpr std::string_view kWords[] = {
      "parser", "stream", "config", "journal", "session", "render", "buffer", "widget",
      "router", "schema", "token",  "cursor",  "handler", "engine", "policy", "model",
      "cache",  "client", "format", "graph",   "index",   "loader", "matrix", "network"};
  return kWords[random() % std::size(kWords)];
}

void add_line(std::string_view shape, std::mt19937& random, std::string* log) {
  for (const char byte : shape) {
    if (byte == '#') {
      *log += std::to_string(random() % 1000);
    } else if (byte == '@') {
      *log += word(random);
    } else {
      *log += byte;
    }
  }
  *log += '\n';
}

std::string make_log() {
  constexpr unsigned kRareIn = 2000;
  std::mt19937 random(1);
  std::string log;
  log.reserve(kLogBytes + kChunkBytes);
  while (log.size() < kLogBytes) {
    const bool rare = random() % kRareIn == 0;
    add_line(rare ? kRare[random() % std::size(kRare)] : kOrdinary[random() % std::size(kOrdinary)],
             random, &log);
  }
  return log;
}

std::vector<std::string> regexes(std::size_t count) {
  std::vector<std::string> all(std::begin(kWatched), std::end(kWatched));
  std::mt19937 random(2);
  while (all.size() < count) {
    std::string regex;
    add_line("@ @ #: (?:failed|stopped) after \\d+ms", random, &regex);
    regex.pop_back();
    all.push_back(regex);
  }
  all.resize(count);
  return all;
}

struct Counting final : WatchSink {
  bool wants(std::size_t) override { return true; }
  void on_match(WatchMatch) override { ++matches; }
  std::size_t matches = 0;
};

std::shared_ptr<const WatchPatterns> compile(const std::vector<std::string>& regexes) {
  std::vector<WatchSpec> specs;
  for (const std::string& regex : regexes) {
    specs.emplace_back();
    specs.back().regex = regex;
    specs.back().event = "found";
  }
  auto patterns = WatchPatterns::compile(std::move(specs));
  if (!patterns) std::abort();
  return *patterns;
}

// MB per CPU second; `*matches` is how many there were.
double ours(const std::shared_ptr<const WatchPatterns>& patterns, std::string_view log,
            std::size_t* matches) {
  Counting sink;
  WatchSet set(patterns, &sink);
  const double begin = cpu_seconds();
  for (std::size_t at = 0; at < log.size(); at += kChunkBytes) {
    set.feed(WatchStream::kStdout, at, log.substr(at, kChunkBytes));
  }
  set.end(WatchStream::kStdout);
  *matches = sink.matches;
  return static_cast<double>(log.size()) / kMega / (cpu_seconds() - begin);
}

double line_by_line(const std::vector<std::string>& regexes, std::string_view log,
                    std::size_t* matches) {
  std::vector<std::unique_ptr<re2::RE2>> compiled;
  for (const std::string& regex : regexes) compiled.push_back(std::make_unique<re2::RE2>(regex));
  *matches = 0;
  const double begin = cpu_seconds();
  for (std::size_t at = 0; at < log.size();) {
    const std::size_t end = std::min(log.find('\n', at), log.size());
    const re2::StringPiece line(log.data() + at, end - at);
    for (const auto& regex : compiled) {
      *matches += regex->Match(line, 0, line.size(), re2::RE2::UNANCHORED, nullptr, 0) ? 1 : 0;
    }
    at = end + 1;
  }
  return static_cast<double>(log.size()) / kMega / (cpu_seconds() - begin);
}

// The log and the patterns as files, for programs.
class Files {
 public:
  explicit Files(std::string_view log) {
    std::string pattern =
        (std::filesystem::temp_directory_path() / "gibbous-watch-XXXXXX").string();
    if (mkdtemp(pattern.data()) == nullptr) std::abort();
    directory_ = pattern;
    std::ofstream(log_path(), std::ios::binary) << log;
  }
  ~Files() { std::filesystem::remove_all(directory_); }
  void write_patterns(const std::vector<std::string>& regexes) const {
    std::ofstream file(patterns_path());
    for (const std::string& regex : regexes) file << regex << "\n";
  }
  std::string log_path() const { return directory_ / "log"; }
  std::string patterns_path() const { return directory_ / "patterns"; }

 private:
  std::filesystem::path directory_;
};

// MB per CPU second of a program that counts matching lines; 0 when it is not installed.
double program(std::vector<std::string> arguments) {
  std::vector<char*> argv;
  for (std::string& argument : arguments) argv.push_back(argument.data());
  argv.push_back(nullptr);
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_addopen(&actions, STDOUT_FILENO, "/dev/null", O_WRONLY, 0);
  pid_t pid = 0;
  const int failed = posix_spawnp(&pid, argv[0], &actions, nullptr, argv.data(), environ);
  posix_spawn_file_actions_destroy(&actions);
  int status = 0;
  rusage usage{};
  if (failed != 0 || wait4(pid, &status, 0, &usage) != pid) return 0;
  if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) return 0;
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / kMega;
  };
  return static_cast<double>(kLogBytes) / kMega /
         (seconds(usage.ru_utime) + seconds(usage.ru_stime));
}

void bench_count(Report& report, const Files& files, std::string_view log, const Target& target) {
  const std::size_t count = target.watchers;
  const std::vector<std::string> watched = regexes(count);
  files.write_patterns(watched);
  std::shared_ptr<const WatchPatterns> patterns;
  const double compiling = timed([&] { patterns = compile(watched); });
  std::vector<double> own;
  std::vector<double> plain;
  std::vector<double> ripgrep;
  std::size_t found = 0;
  std::size_t expected = 0;
  const std::string_view part = log.substr(0, log.rfind('\n', kPlainBytes));
  for (int round = 0; round < kRounds; ++round) {
    own.push_back(ours(patterns, log, &found));
    plain.push_back(line_by_line(watched, part, &expected));
    ripgrep.push_back(program({"rg", "--no-config", "--no-unicode", "-j1", "-c", "-f",
                               files.patterns_path(), files.log_path()}));
  }
  (void)ours(patterns, part, &found);
  const std::string name = std::to_string(count) + (count == 1 ? " watcher" : " watchers");
  report.add({name, "MB/s of CPU", median(own), median(plain), "RE2, line by line", {}, {}});
  if (median(ripgrep) > 0) {
    report.add(
        {name, "MB/s of CPU", median(own), median(ripgrep), "ripgrep -c", target.at_least, {}});
  }
  report.note(std::to_string(found) + " matches, RE2 line by line " + std::to_string(expected) +
              "; compiled in " + std::to_string(compiling) + " ms");
}

}  // namespace

void bench_watch(Report& report) {
  report.section("Watching");
  const std::string log = make_log();
  const Files files(log);
  for (const Target& target : kTargets) bench_count(report, files, log, target);
}

}  // namespace gibbous::bench
