// Tables and statistics.
#include "tests/bench/harness.h"

#include <sys/resource.h>
#include <unistd.h>

#include <algorithm>
#include <climits>
#include <cmath>
#include <cstdio>
#include <fstream>
#include <sstream>

namespace gibbous::bench {

namespace {
bool quick_run = false;
}  // namespace

void set_quick(bool quick) {
  quick_run = quick;
}

bool is_quick() {
  return quick_run;
}

void Report::section(const std::string& title) {
  std::printf("\n%s\n", title.c_str());
  std::printf("  %-46s %12s %12s %8s  %s\n", "", "ours", "baseline", "ratio", "target");
}

void Report::add(const Row& row) {
  char baseline[32] = "-";
  char ratio[32] = "-";
  double judged = row.ours;
  if (row.baseline) {
    judged = row.ours / *row.baseline;
    std::snprintf(baseline, sizeof baseline, "%.4g", *row.baseline);
    std::snprintf(ratio, sizeof ratio, "%.2f", judged);
  }
  std::string target;
  bool met = true;
  char bound[64];
  if (row.at_least) {
    std::snprintf(bound, sizeof bound, ">= %.4g", *row.at_least);
    target = bound;
    met = judged >= *row.at_least;
  }
  if (row.at_most) {
    std::snprintf(bound, sizeof bound, "<= %.4g", *row.at_most);
    target = bound;
    met = met && judged <= *row.at_most;
  }
  if (!target.empty()) target += met ? "  ok" : "  MISSED";
  if (!met) ++missed_;
  ++rows_;
  if (!std::isfinite(judged)) ++broken_;
  const std::string name = row.name + ", " + row.unit;
  std::printf("  %-46s %12.4g %12s %8s  %s%s%s\n", name.c_str(), row.ours, baseline, ratio,
              target.c_str(), row.baseline_name.empty() ? "" : "   vs ", row.baseline_name.c_str());
  std::fflush(stdout);
}

void Report::note(const std::string& text) {
  std::printf("  %s\n", text.c_str());
}

double percentile(std::vector<double> values, double share) {
  if (values.empty()) return 0;
  std::sort(values.begin(), values.end());
  return values[static_cast<std::size_t>(share * static_cast<double>(values.size() - 1))];
}

double median(std::vector<double> values) {
  constexpr double kHalf = 0.5;
  return percentile(std::move(values), kHalf);
}

double timed(const std::function<void()>& work) {
  const auto begin = Steady::now();
  work();
  return std::chrono::duration<double, std::milli>(Steady::now() - begin).count();
}

double cpu_seconds() {
  rusage usage{};
  ::getrusage(RUSAGE_SELF, &usage);
  const auto seconds = [](const timeval& time) {
    return static_cast<double>(time.tv_sec) + static_cast<double>(time.tv_usec) / 1e6;
  };
  return seconds(usage.ru_utime) + seconds(usage.ru_stime);
}

double status_kib(int pid, const std::string& field) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/status");
  for (std::string line; std::getline(file, line);) {
    if (line.rfind(field, 0) != 0) continue;
    std::istringstream rest(line.substr(field.size()));
    double value = 0;
    rest >> value;
    return value;
  }
  return 0;
}

std::string program_directory() {
  char path[PATH_MAX];
  const ssize_t length = ::readlink("/proc/self/exe", path, sizeof path);
  std::string program(path, length > 0 ? static_cast<std::size_t>(length) : 0);
  return program.substr(0, program.rfind('/'));
}

}  // namespace gibbous::bench
