// The benchmark's table: each row is a figure of ours, the baseline measured beside it in the same
// run, and their ratio against the target. Absolute figures drift with the machine; ratios do not.
#pragma once

#include <chrono>
#include <functional>
#include <optional>
#include <string>
#include <vector>

namespace gibbous::bench {

using Steady = std::chrono::steady_clock;

struct Row {
  std::string name;
  std::string unit;
  double ours = 0;
  std::optional<double> baseline;  // none: the figure stands alone
  std::string baseline_name;
  // The target: a bound on the ratio when there is a baseline, on the figure otherwise.
  std::optional<double> at_least;
  std::optional<double> at_most;
};

// How much work a figure takes: all of it, or enough for any figure (`./dev bench quick`).
void set_quick(bool quick);
bool is_quick();
template <typename T>
struct Amount {
  T full;
  T quick;
  operator T() const { return is_quick() ? quick : full; }  // NOLINT: reads like the number it is
};

class Report {
 public:
  void section(const std::string& title);
  void add(const Row& row);
  void note(const std::string& text);
  int missed() const { return missed_; }
  // Rows so far, and those of them without a usable figure.
  int rows() const { return rows_; }
  int broken() const { return broken_; }

 private:
  int missed_ = 0;
  int rows_ = 0;
  int broken_ = 0;
};

double median(std::vector<double> values);
double percentile(std::vector<double> values, double share);
// Milliseconds.
double timed(const std::function<void()>& work);
double cpu_seconds();  // of this process, user and system
// A field of /proc/PID/status in KiB, such as "VmRSS:".
double status_kib(int pid, const std::string& field);
std::string program_directory();

// The benchmarks, one file each.
void bench_spawn(Report& report);
void bench_ingest(Report& report);
void bench_latency(Report& report);
void bench_programs(Report& report);
void bench_lua(Report& report);
void bench_many(Report& report);
void bench_sessions(Report& report);
void bench_idle(Report& report);
void bench_http(Report& report);
void bench_frames(Report& report);
void bench_sandbox(Report& report);
void bench_policy(Report& report);
void bench_journal(Report& report);
void bench_watch(Report& report);

}  // namespace gibbous::bench
