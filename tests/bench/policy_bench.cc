// What a verdict costs: the policy's analyser, rules and `decide`, for everyday commands and for
// input that was made to be slow. The baseline is what a program pays that asks a shell instead:
// starting `sh -n` on the same line.
#include <string>
#include <utility>
#include <vector>

#include "gibbous/policy.h"
#include "tests/bench/baseline.h"
#include "tests/bench/harness.h"

namespace gibbous::bench {
namespace {

constexpr Amount<int> kRounds{20'000, 500};
constexpr double kMaxVerdictMicros = 20;
constexpr double kMaxHostileMillis = 50;

std::string quoted(const std::string& text) {
  std::string made = "\"";
  for (const char each : text) {
    if (each == '"' || each == '\\') made += '\\';
    if (each == '\n') {
      made += "\\n";
    } else {
      made += each;
    }
  }
  return made + "\"";
}

std::string request(const std::string& command) {
  return "{\"command\":" + quoted(command) +
         ",\"cwd\":\"/workspace\",\"workspace\":\"/workspace\",\"mode\":\"auto\"}";
}

std::string repeated(const std::string& piece, std::size_t count, const std::string& end = "") {
  std::string text;
  text.reserve(piece.size() * count + end.size());
  for (std::size_t at = 0; at < count; ++at) text += piece;
  return text + end;
}

// Everyday commands of agents.
const std::vector<std::string>& everyday() {
  static const std::vector<std::string> kLines = {
      "npm test",
      "git status",
      "ls -la src",
      "make -j4",
      "cat package.json | jq .scripts",
      "git add -A && git commit -m 'fix the parser'",
      "cd build && cmake .. && make 2>&1 | tail -20",
      "rm -rf node_modules build dist",
      "for f in src/*.c; do gcc -c \"$f\"; done",
      "grep -rn TODO src --include=*.ts | head -20",
      "NODE_ENV=test npx jest --runInBand",
      "find . -name '*.pyc' -delete",
  };
  return kLines;
}

std::vector<std::pair<std::string, std::string>> hostile() {
  constexpr std::size_t kLine = 130'000;
  return {
      {"1 MiB of blanks", std::string((std::size_t{1} << 20) - 100, ' ')},
      {"130 kB of blanks", std::string(kLine, ' ')},
      {"130 kB of one word", std::string(kLine, 'a')},
      {"130 kB of -aaaa", "rm -" + std::string(kLine, 'a')},
      {"65 thousand commands", repeated("a;", kLine / 2)},
      {"8 thousand commands", repeated("rm -rf x;", 8000)},
      {"65 thousand parentheses", repeated("(", kLine / 2)},
      {"sixty $( deep, many times",
       repeated(repeated("$(", 60) + "a" + repeated(")", 60) + ";", 700)},
      {"quotes without end", repeated("'\"", kLine / 2)},
      {"nested backticks", repeated("`", kLine)},
      {"thirty thousand globs", "rm -rf " + repeated("/* ", kLine / 3)},
      {"brace expansions", "echo " + repeated("{a,b}{c,d}{e,f} ", kLine / 16)},
      {"one brace expansion", "echo " + repeated("{a,b}", 25'000)},
      {"variables that double", "a=x;" + repeated("a=$a$a;", 15'000)},
      {"|| chains that assign", repeated("x=1||", 25'000, ":")},
      {"a pipeline of thousands", repeated("cat|", 30'000, "cat")},
      {"here-documents", repeated("<<E ", 30'000)},
      {"functions that call functions",
       [] {
         std::string text = "f0(){ :; };";
         for (int at = 1; at < 30; ++at) {
           const std::string before = "f" + std::to_string(at - 1);
           text += "f" + std::to_string(at) + "(){ " + before + ";" + before + "; };";
         }
         return text + "f29";
       }()},
      {"eval in eval", repeated("eval ", 25'000, "ls")},
  };
}

// The same commands in lines that have not been seen before: a policy remembers the last ones.
std::vector<std::string> new_requests(std::size_t count) {
  std::vector<std::string> made;
  made.reserve(count);
  for (std::size_t at = 0; at < count; ++at)
    made.push_back(request(everyday()[at % everyday().size()] + "  # " + std::to_string(at)));
  return made;
}

double verdict_micros(Policy& policy, const std::vector<std::string>& requests) {
  std::vector<double> each;
  each.reserve(kRounds);
  for (int at = 0; at < kRounds; ++at) {
    const std::string& asked = requests[static_cast<std::size_t>(at) % requests.size()];
    each.push_back(timed([&] { (void)policy.check(asked); }) * 1000);
  }
  return median(std::move(each));
}

}  // namespace

void bench_policy(Report& report) {
  report.section("Policy");
  PolicyOptions options;
  options.workspace = "/workspace";
  std::unique_ptr<Policy> policy;
  const double load = timed([&] {
    auto loaded = Policy::load(options);
    if (loaded) policy = std::move(*loaded);
  });
  if (policy == nullptr) {
    report.note("the policy does not load");
    return;
  }
  std::vector<std::string> requests;
  for (const std::string& line : everyday()) requests.push_back(request(line));
  const double shell =
      1e6 * c_starts({"/bin/sh", "-n", "-c", everyday()[6]}, /*count=*/200, /*in_flight=*/1) / 200;
  report.add({"verdict on an everyday command, p50, JSON in and out",
              "µs",
              verdict_micros(*policy, requests),
              shell,
              "sh -n",
              {},
              1.0});
  report.add(
      {"the same, alone", "µs", verdict_micros(*policy, requests), {}, "", {}, kMaxVerdictMicros});
  report.add({"the same, alone, of lines not seen before",
              "µs",
              verdict_micros(*policy, new_requests(static_cast<std::size_t>(int{kRounds}))),
              {},
              "",
              {},
              kMaxVerdictMicros});
  double worst = 0;
  std::string name;
  for (const auto& [what, line] : hostile()) {
    const std::string asked = request(line);
    const double millis = timed([&] { (void)policy->check(asked); });
    if (millis > worst) {
      worst = millis;
      name = what;
    }
  }
  report.add(
      {"the slowest hostile line (" + name + ")", "ms", worst, {}, "", {}, kMaxHostileMillis});
  report.add({"load of what ships: read and validate", "ms", load, {}, "", {}, {}});
}

}  // namespace gibbous::bench
