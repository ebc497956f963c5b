// command_differential: random lines through real shells and through the analyser.
//
//   command_differential DIRECTORY SHELL SEED COUNT [SECONDS]   random lines
//   command_differential DIRECTORY line LINE                    one line in each shell
//   command_differential DIRECTORY file FILE              lines of misses.txt
//
// Each command that the shell ran must be in the facts, or there must be a doubt. Ends with 1 when
// something was missed.
#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <fstream>
#include <iostream>
#include <map>
#include <memory>
#include <utility>

#include "tests/runtime/command/differential/by_hand.h"
#include "tests/runtime/command/differential/confinement.h"
#include "tests/runtime/command/differential/generator.h"
#include "tests/runtime/command/differential/misses.h"
#include "tests/runtime/command/differential/verdict.h"

namespace gibbous::command::testing {
namespace {

constexpr std::uint64_t kDoubtedEvery = 10;  // a line with a doubt cannot be missed: few are run
constexpr int kMostShown = 60;
using Clock = std::chrono::steady_clock;

struct Totals {
  std::uint64_t lines = 0;
  std::uint64_t run = 0;
  std::uint64_t marked = 0;  // lines in which a mark ran
  std::uint64_t marks = 0;
  std::uint64_t found = 0;
  std::uint64_t doubted = 0;
  std::uint64_t missed = 0;
  std::uint64_t ended = 0;
  std::uint64_t clear = 0;  // no doubt at all
  std::map<std::string, std::uint64_t> doubts;
  std::map<std::string, std::uint64_t> unparsed;  // by message
  double analysed_ms = 0;
  double worst_ms = 0;
};

void show(const char* what, const std::string& line, const std::vector<std::string>& marks,
          const Facts& facts) {
  std::printf("%s: %s\n    marks:", what, as_written(line).c_str());
  for (const std::string& mark : marks) std::printf(" [%s]", escaped(mark, 40).c_str());
  std::printf("\n%s", described(facts).c_str());
}

class Run {
 public:
  Run(std::string directory, const Knowledge& knowledge)
      : directory_(std::move(directory)), knowledge_(knowledge) {}

  // Returns null where there is no such shell, or no confinement.
  Confinement* shell(const std::string& name) {
    auto& made = shells_[name];
    if (made == nullptr) made = std::make_unique<Confinement>(directory_, name);
    return made->ok() ? made.get() : nullptr;
  }

  bool one(const std::string& line, const std::string& name, const std::string& where, bool always,
           bool sample = true) {
    Confinement* const confinement = shell(name);
    if (confinement == nullptr) return false;
    const auto before = Clock::now();
    const Facts facts = facts_of(line, knowledge_, name);
    const double took = std::chrono::duration<double, std::milli>(Clock::now() - before).count();
    totals_.analysed_ms += took;
    totals_.worst_ms = std::max(totals_.worst_ms, took);
    ++totals_.lines;
    if (facts.doubts.empty()) ++totals_.clear;
    if (!sample && !facts.doubts.empty()) return true;
    confinement->send(line);
    Ran ran;
    if (!confinement->receive(&ran)) {
      std::printf("the confinement ended: %s\n", as_written(line).c_str());
      shells_.erase(name);
      return true;
    }
    ++totals_.run;
    if (ran.ended) ++totals_.ended;
    const Verdict verdict = compare(facts, ran.marks);
    if (!ran.marks.empty()) {
      ++totals_.marked;
      totals_.marks += ran.marks.size();
      count(verdict, facts);
    }
    if (always || (verdict == Verdict::kMissed && shown_++ < kMostShown)) {
      const std::string kind = verdict == Verdict::kMissed ? "MISSED " : "";
      show((kind + where + " " + name).c_str(), line, ran.marks, facts);
    }
    const bool asked = std::getenv("SHOW_DOUBT") != nullptr && verdict == Verdict::kDoubted;
    if (asked) {
      for (const DoubtFact& doubt : facts.doubts) {
        const std::string name = name_of(doubt.doubt);
        if (name == std::getenv("SHOW_DOUBT")) {
          show(("DOUBT " + where).c_str(), line, ran.marks, facts);
          break;
        }
      }
    }
    return true;
  }

  const Totals& totals() const { return totals_; }

 private:
  void count(Verdict verdict, const Facts& facts) {
    switch (verdict) {
      case Verdict::kFound:
        ++totals_.found;
        break;
      case Verdict::kDoubted: {
        ++totals_.doubted;
        std::map<std::string, bool> kinds;
        for (const DoubtFact& doubt : facts.doubts) {
          kinds[name_of(doubt.doubt)] = true;
          if (doubt.doubt == Doubt::kUnparsed) ++totals_.unparsed[doubt.detail];
        }
        for (const auto& [kind, there] : kinds) ++totals_.doubts[kind];
        break;
      }
      case Verdict::kMissed:
        ++totals_.missed;
        break;
    }
  }

  const std::string directory_;
  std::map<std::string, std::unique_ptr<Confinement>> shells_;
  const Knowledge& knowledge_;
  Totals totals_;
  int shown_ = 0;
};

unsigned long long number(std::uint64_t count) {
  return count;
}

void print(const Totals& totals, double seconds) {
  std::printf(
      "lines %llu, without doubt %llu, run %llu, ended by force %llu; a mark ran in %llu (%llu "
      "marks): found %llu, only doubted %llu, MISSED %llu; %.1f s, analysed in %.1f us a line, "
      "worst %.2f ms\n",
      number(totals.lines), number(totals.clear), number(totals.run), number(totals.ended),
      number(totals.marked), number(totals.marks), number(totals.found), number(totals.doubted),
      number(totals.missed), seconds,
      totals.analysed_ms * 1000 / static_cast<double>(std::max<std::uint64_t>(totals.lines, 1)),
      totals.worst_ms);
  for (const auto& [kind, count] : totals.doubts)
    std::printf("  only doubted, %s: %llu\n", kind.c_str(), number(count));
  for (const auto& [message, count] : totals.unparsed)
    std::printf("    unparsed, %s: %llu\n", message.c_str(), number(count));
}

int main(const std::vector<std::string>& args) {
  ::setvbuf(stdout, nullptr, _IOLBF, BUFSIZ);
  if (args.size() < 3) return 2;
  const auto knowledge = by_hand();
  Run run(args[0], *knowledge);
  if (run.shell("bash") == nullptr) {
    std::printf("no confinement is possible here (bwrap)\n");
    return 77;
  }
  const auto begin = Clock::now();
  const auto seconds = [&] { return std::chrono::duration<double>(Clock::now() - begin).count(); };
  if (args[1] == "line") {
    for (const char* shell : kShells) run.one(args[2], shell, "line", true);
  } else if (args[1] == "file") {
    for (const Miss& miss : misses_of(args[2])) run.one(miss.line, miss.shell, "file", false);
  } else {
    const std::uint64_t seed = std::strtoull(args[2].c_str(), nullptr, 10);
    const std::uint64_t count = args.size() < 4 ? 1 : std::strtoull(args[3].c_str(), nullptr, 10);
    const double most = args.size() > 4 ? std::strtod(args[4].c_str(), nullptr) : 1e9;
    for (std::uint64_t at = seed; at < seed + count && seconds() < most; ++at) {
      if (!run.one(Generator::line_for(args[1], at), args[1], "seed " + std::to_string(at), false,
                   at % kDoubtedEvery == 1))
        return 2;
    }
  }
  print(run.totals(), seconds());
  return run.totals().missed == 0 ? 0 : 1;
}

}  // namespace
}  // namespace gibbous::command::testing

int main(int argc, char** argv) {
  return gibbous::command::testing::main(std::vector<std::string>(argv + 1, argv + argc));
}
