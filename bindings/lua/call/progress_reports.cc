#include "bindings/lua/call/progress_reports.h"

#include <algorithm>
#include <chrono>
#include <cmath>
#include <utility>

#include "runtime/runs/runs.h"

namespace gibbous::lua {
namespace {

constexpr double kStep = 1e-6;  // of the amount
constexpr double kTenths = 10;
constexpr const char* kForAnswer = "waiting for approval";

double seconds(Nanos span) {
  const double all = std::chrono::duration<double>(span).count();
  return std::round(all * kTenths) / kTenths;
}

}  // namespace

double ProgressReports::more() const {
  const double last = amount_.value_or(0);
  return last + std::max(std::fabs(last), 1.0) * kStep;
}

Progress ProgressReports::said(Progress progress, Nanos now) {
  // What was reported meanwhile may be more than the script's amount. A script's amounts alone are
  // its own affair.
  const bool is_less = padded_ && progress.progress <= *amount_;
  if (is_less) progress.progress = more();
  // No part of a total of the script's can be told from the time.
  if (is_less && !by_script_) progress.total.reset();
  by_script_ = by_script_ || !is_less;
  padded_ = false;
  amount_ = progress.progress;
  total_ = progress.total;
  message_ = progress.message;
  reported_ = now;
  return progress;
}

std::optional<Progress> ProgressReports::due(const WaitingFor& waiting, Runs* runs,
                                             const LastLine::Redact& redact,
                                             const ProgressPace& pace, Nanos now) {
  if (now - begun_ < pace.look) return std::nullopt;
  std::string message = waiting.answer ? kForAnswer : "";
  if (!waiting.answer && runs != nullptr) message = last_line_.look(*runs, waiting.runs, redact);
  const bool is_new = !message.empty() && message != message_;
  if (!is_new && now - reported_ < pace.silence) return std::nullopt;
  if (!message.empty()) message_ = std::move(message);
  Progress made;
  made.waiting = true;
  made.message = message_;
  made.progress = by_script_ ? more() : std::max(more(), seconds(now - begun_));
  if (by_script_ && total_ && made.progress <= *total_) made.total = total_;
  amount_ = made.progress;
  padded_ = true;
  reported_ = now;
  return made;
}

}  // namespace gibbous::lua
