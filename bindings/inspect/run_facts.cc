// See run_facts.h.
#include "bindings/inspect/run_facts.h"

#include <algorithm>
#include <charconv>
#include <limits>

#include "bindings/json/member.h"
#include "bindings/json/text.h"

namespace gibbous::inspect {
namespace {

constexpr std::uint64_t kMaxTerminalSide = 10'000;

std::optional<std::uint64_t> number_of(const Json& meta, const char* name) {
  const auto found = meta.find(name);
  if (found == meta.end() || !found->is_number_unsigned()) return std::nullopt;
  return found->get<std::uint64_t>();
}

std::uint16_t side_of(const Json& terminal, const char* name) {
  const std::uint64_t side = number_of(terminal, name).value_or(0);
  return side <= kMaxTerminalSide ? static_cast<std::uint16_t>(side) : 0;
}

std::optional<Mark> mark_of(const std::string& decimal) {
  rlim_t value = 0;
  const char* end = decimal.data() + decimal.size();
  const auto [rest, error] = std::from_chars(decimal.data(), end, value);
  if (decimal.empty() || error != std::errc() || rest != end) return std::nullopt;
  const Marks marks = decode_marks({.rlim_cur = value, .rlim_max = value});
  return marks.outer ? marks.outer : marks.inner;
}

}  // namespace

TerminalSize size_of(const Json& terminal) {
  TerminalSize size;
  size.rows = side_of(terminal, "rows");
  size.cols = side_of(terminal, "cols");
  return size;
}

RunFacts facts_of(const RunRecord& run) {
  Redactions redactions;
  return facts_of(run, redactions);
}

RunFacts facts_of(const RunRecord& run, Redactions& redactions) {
  RunFacts facts;
  const Json meta = parse_object(run.meta_json, kMaxJournalTextBytes);
  facts.redaction = redactions.of(run, meta);
  facts.given_label = text_member(meta, "label");
  // Under "everything" a label that is missing stays missing.
  if (!facts.given_label.empty()) facts.label = facts.redaction.redact(facts.given_label);
  facts.cwd = facts.redaction.redact(text_member(meta, "cwd"));
  facts.tool = text_member(meta, "tool");
  facts.signal = text_member(meta, "signal");
  facts.limit = text_member(meta, "limit");
  facts.sandbox = text_member(meta, "sandbox");
  facts.mode = text_member(meta, "mode");
  const std::uint64_t pid = number_of(meta, "pid").value_or(0);
  if (pid <= std::numeric_limits<pid_t>::max()) facts.pid = static_cast<pid_t>(pid);
  facts.pid_started = number_of(meta, "pid_started").value_or(0);
  facts.mark = mark_of(text_member(meta, "mark"));
  facts.peak_rss_bytes = number_of(meta, "peak_rss_bytes");
  if (const auto cpu = number_of(meta, "cpu_ms"); cpu && *cpu <= INT64_MAX) {
    facts.cpu_ms = static_cast<std::int64_t>(*cpu);
  }
  if (const auto terminal = meta.find("terminal"); terminal != meta.end()) {
    facts.size_at_start = size_of(*terminal);
    const auto now = terminal->find("now");
    facts.size_now = now == terminal->end() ? facts.size_at_start : size_of(*now);
  }
  return facts;
}

bool has_ended(const RunRecord& run) {
  return run.finished_at != 0;
}

std::int64_t beginning_of(const RunRecord& run) {
  return run.queued_at != 0 ? run.queued_at : run.started_at;
}

std::int64_t runtime_of(const RunRecord& run, std::int64_t now) {
  if (run.started_at == 0) return 0;
  return std::max<std::int64_t>((has_ended(run) ? run.finished_at : now) - run.started_at, 0);
}

}  // namespace gibbous::inspect
