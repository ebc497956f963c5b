// `./dev soak`: random trees and ends for GIBBOUS_SOAK_SECONDS. At the end no process has survived,
// and the long-lived host and its keeper hold no zombie, no more descriptors and hardly more memory
// than at the beginning.
#include <algorithm>
#include <cstdio>
#include <filesystem>
#include <iterator>
#include <map>
#include <random>
#include <set>

#include "tests/faults/containment.h"

namespace gibbous::testing {
namespace {

using Steady = std::chrono::steady_clock;

struct Held {
  std::multiset<std::string> descriptors;  // what they lead to, without numbers
  long kib = 0;
};

Held held_by(pid_t pid) {
  Held held;
  std::error_code error;
  const std::string proc = "/proc/" + std::to_string(pid);
  for (const auto& entry : std::filesystem::directory_iterator(proc + "/fd", error)) {
    const std::string target = std::filesystem::read_symlink(entry.path(), error).string();
    held.descriptors.insert(target.substr(0, target.find(":[")));
  }
  std::ifstream status(proc + "/status");
  for (std::string word; status >> word;) {
    if (word == "VmRSS:") status >> held.kib;
  }
  return held;
}

// What is held now and was not before, by name.
std::string added(const Held& before, const Held& now) {
  std::vector<std::string> more;
  std::set_difference(now.descriptors.begin(), now.descriptors.end(), before.descriptors.begin(),
                      before.descriptors.end(), std::back_inserter(more));
  std::string text;
  for (const std::string& each : more) text += each + "\n";
  return text;
}

// What is open for a moment only is no leak: what is leaked stays.
Held settled(pid_t pid, const Held& before) {
  Held held;
  Loop loop;
  (void)loop.until([&] {
    held = held_by(pid);
    return held.descriptors.size() <= before.descriptors.size();
  });
  return held;
}

std::size_t zombies_of(pid_t parent) {
  std::size_t count = 0;
  std::vector<pid_t> pids;
  list_numbers("/proc", pids);
  for (const pid_t pid : pids) {
    const auto stat = read_stat(pid);
    if (stat && stat->parent == parent && stat->state == 'Z') ++count;
  }
  return count;
}

long seconds_of(const char* name, long otherwise) {
  const char* text = std::getenv(name);
  return text == nullptr ? otherwise : std::atol(text);
}

double percentile(std::vector<double> values, double part) {
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(part * static_cast<double>(values.size() - 1))];
}

// Returns the milliseconds from the end until /proc shows no process of the tree.
double one_case(AttackedHost& host, const Tree& tree, const End& end) {
  PlantedTree planted(host, tree, end.limits);
  const auto begin = Steady::now();
  end.act(host, planted);
  const bool gone = planted.gone();
  const double took = std::chrono::duration<double, std::milli>(Steady::now() - begin).count();
  INFO(tree.name << " / " << end.name << " after " << took << " ms");
  CHECK(gone);
  if (end.keeper_survives) CHECK(host.others_untouched());
  host.forget_events();
  return took;
}

TEST_CASE("soak of containment", "[.soak]") {
  const long seconds = seconds_of("GIBBOUS_SOAK_SECONDS", 60);
  const auto seed = static_cast<std::uint32_t>(seconds_of("GIBBOUS_SOAK_SEED", 1));
  std::mt19937 random(seed);
  const auto pick = [&random](std::size_t size) {
    return std::uniform_int_distribution<std::size_t>(0, size - 1)(random);
  };
  std::map<std::string, std::vector<double>> took;
  std::size_t cases = 0;
  const auto until = Steady::now() + std::chrono::seconds(seconds);
  auto next_word = Steady::now() + std::chrono::seconds(10);
  AttackedHost lasting;
  // Caches and tables reach their size with these.
  for (const Tree& tree : trees()) {
    if (makes_sense(tree, ends().front())) one_case(lasting, tree, ends().front());
  }
  const Held host_before = held_by(lasting.program().pid());
  const Held keeper_before = held_by(lasting.keeper());
  while (Steady::now() < until) {
    const Tree& tree = trees()[pick(trees().size())];
    const End& end = ends()[pick(ends().size())];
    if (!makes_sense(tree, end)) continue;
    if (end.keeper_survives) {
      took[end.name].push_back(one_case(lasting, tree, end));
    } else {
      AttackedHost host;
      took[end.name].push_back(one_case(host, tree, end));
    }
    ++cases;
    if (Steady::now() > next_word) {
      std::printf("  %zu cases\n", cases);
      std::fflush(stdout);
      next_word += std::chrono::seconds(10);
    }
  }
  const Held host_after = settled(lasting.program().pid(), host_before);
  const Held keeper_after = settled(lasting.keeper(), keeper_before);
  std::printf("%zu cases, %zu trees, %zu ends, seed %u\n", cases, trees().size(), ends().size(),
              seed);
  for (const auto& [name, values] : took) {
    std::printf("  %-50s %5zu  gone after p50 %6.0f ms, p99 %6.0f ms\n", name.c_str(),
                values.size(), percentile(values, 0.5), percentile(values, 0.99));
  }
  std::printf("  host:   %zu -> %zu descriptors, %ld -> %ld KiB\n", host_before.descriptors.size(),
              host_after.descriptors.size(), host_before.kib, host_after.kib);
  std::printf("  keeper: %zu -> %zu descriptors, %ld -> %ld KiB\n",
              keeper_before.descriptors.size(), keeper_after.descriptors.size(), keeper_before.kib,
              keeper_after.kib);
  CHECK(zombies_of(lasting.keeper()) == 0);
  CHECK(zombies_of(lasting.program().pid()) == 0);
  INFO("added by the host:\n" << added(host_before, host_after));
  INFO("added by the keeper:\n" << added(keeper_before, keeper_after));
  CHECK(host_after.descriptors.size() <= host_before.descriptors.size());
  CHECK(keeper_after.descriptors.size() <= keeper_before.descriptors.size());
  constexpr long kFlatKib = 4096;
  CHECK(host_after.kib <= host_before.kib + kFlatKib);
  CHECK(keeper_after.kib <= keeper_before.kib + kFlatKib);
}

}  // namespace
}  // namespace gibbous::testing
