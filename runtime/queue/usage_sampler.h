// UsageSampler measures the runs of this process from time to time: a young run often, a run that
// does nothing rarely, and all that are nearly due at the same time, because each measurement wakes
// this process and its keeper. Loop thread only.
//
// Ten idle runs wake this process and its keeper less than once a second.
#pragma once

#include <functional>
#include <map>
#include <string>

#include "runtime/base/clock.h"
#include "runtime/runs/runs.h"

namespace gibbous {

class UsageSampler {
 public:
  // `on_sample` comes later, from the loop. Destroy the sampler only after the runs' last answer.
  UsageSampler(const Clock& clock, Runs& runs,
               std::function<void(const Run&, const TreeUsage&)> on_sample);

  void add(const std::string& run_id);
  void remove(const std::string& run_id) { sampled_.erase(run_id); }
  // The time at which to call sample(), or a little before; Nanos::max() when there is nothing to
  // measure.
  Nanos due() const { return due_; }
  // Measures what is due.
  void sample();

 private:
  struct Sampled {
    Nanos due{0};
    Nanos interval{0};
    TreeUsage last;
  };
  void take(const Run& run, const TreeUsage& usage);

  const Clock& clock_;
  Runs& runs_;
  std::function<void(const Run&, const TreeUsage&)> on_sample_;
  std::map<std::string, Sampled> sampled_;
  Nanos due_ = Nanos::max();  // none is due before
};

}  // namespace gibbous
