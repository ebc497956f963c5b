// journal_soak [--leases] [--workers N] [--seed N] [--keep] KILLS Kills workers that share a
// journal KILLS times; then a checker looks for violations. Exits with 0 if there are none. With
// --leases, workers are stopped as well, and their leases run out.
#include <sys/stat.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <string>

#include "tests/runtime/journal/soak/checker.h"
#include "tests/runtime/journal/soak/supervisor.h"
#include "tests/runtime/journal/soak/worker.h"

namespace gibbous::soak {
namespace {

using Count = unsigned long long;

bool parse(int argc, char** argv, SoakPlan* plan, bool* keep) {
  bool has_kills = false;
  for (int i = 1; i < argc; ++i) {
    const std::string word = argv[i];
    char* end = nullptr;
    if (word == "--leases") {
      plan->by_lease = true;
    } else if (word == "--keep") {
      *keep = true;
    } else if ((word == "--workers" || word == "--seed") && i + 1 < argc) {
      const auto value = static_cast<std::uint32_t>(std::strtoul(argv[++i], &end, 10));
      if (*end != '\0' || value == 0) return false;
      (word == "--workers" ? plan->workers : plan->seed) = value;
    } else {
      plan->kills = std::strtoull(word.c_str(), &end, 10);
      if (word.empty() || *end != '\0') return false;
      has_kills = true;
    }
  }
  return has_kills;
}

void say(const SoakPlan& plan, const SoakTally& tally, const Findings& found) {
  std::printf("%llu kills of %u workers in %.1f s (%.0f a second; %llu times all at once",
              static_cast<Count>(tally.kills), plan.workers, tally.seconds,
              static_cast<double>(tally.kills) / tally.seconds, static_cast<Count>(tally.at_once));
  if (plan.by_lease) std::printf(", %llu stops", static_cast<Count>(tally.stops));
  std::printf("), seed %u\n", plan.seed);
  std::printf("  %llu runs:", static_cast<Count>(found.runs));
  for (const auto& [status, count] : found.by_status) {
    std::printf(" %llu %s", static_cast<Count>(count), status.c_str());
  }
  std::printf("; %llu executions, %llu runs repeated\n", static_cast<Count>(found.executions),
              static_cast<Count>(found.repeated));
  std::printf(
      "  %llu items, %llu of them acknowledged; %llu ends acknowledged; %llu writes refused\n",
      static_cast<Count>(found.items), static_cast<Count>(found.acknowledged),
      static_cast<Count>(found.settled), static_cast<Count>(found.refused));
  for (const std::string& wrong : found.wrong) std::printf("  WRONG: %s\n", wrong.c_str());
  if (!tally.finished) std::printf("  WRONG: a worker ended by itself, or left something undone\n");
  std::printf("%llu wrong\n", static_cast<Count>(found.wrongs + (tally.finished ? 0 : 1)));
}

}  // namespace
}  // namespace gibbous::soak

int main(int argc, char** argv) {
  using namespace gibbous::soak;
  SoakPlan plan;
  bool keep = false;
  if (!parse(argc, argv, &plan, &keep)) {
    std::fprintf(stderr, "journal_soak [--leases] [--workers N] [--seed N] [--keep] KILLS\n");
    return 64;
  }
  std::string directory = (std::filesystem::temp_directory_path() / "journal-soak-XXXXXX").string();
  if (::mkdtemp(directory.data()) == nullptr) {
    std::perror(directory.c_str());
    return 2;
  }
  plan.directory = directory;
  const SoakTally tally = run_soak(plan);
  const Findings found = check_soak(directory, plan.by_lease);
  say(plan, tally, found);
  const bool well = found.wrongs == 0 && tally.finished;
  if (!well || keep) {
    std::printf("  kept in %s\n", directory.c_str());
  } else {
    std::filesystem::remove_all(directory);
  }
  return well ? 0 : 1;
}
