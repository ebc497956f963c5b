#include "bindings/lua/call/last_line.h"

#include <algorithm>
#include <cstdint>
#include <utility>

#include "runtime/output/text.h"
#include "runtime/output/utf8.h"
#include "runtime/runs/run.h"
#include "runtime/runs/runs.h"
#include "runtime/terminal/screen.h"

namespace gibbous::lua {
namespace {

// A line of which not all of this is known is not shown: its beginning may say that it is secret.
constexpr std::size_t kWindowBytes = std::size_t{8} << 10;
constexpr std::size_t kMaxLinesBack = 32;  // that are blank
constexpr std::size_t kMaxRunsShown = 8;
constexpr std::size_t kMaxRestarts = 100;
constexpr std::string_view kBlank = " \t\r";

// Controls, characters without width, and those that change the direction of text.
bool is_hidden(std::uint32_t value) {
  const auto within = [value](std::uint32_t first, std::uint32_t last) {
    return first <= value && value <= last;
  };
  return value < 0x20 || within(0x7F, 0x9F) || value == 0xAD || value == 0x61C ||
         within(0x200B, 0x200F) || within(0x2028, 0x202E) || within(0x2060, 0x206F) ||
         value == 0xFEFF || within(0xE0000, 0xE0FFF);
}

std::uint32_t value_of(std::string_view sequence) {
  const auto byte = [sequence](std::size_t at) {
    return static_cast<std::uint32_t>(static_cast<unsigned char>(sequence[at]));
  };
  if (sequence.size() == 1) return byte(0);
  std::uint32_t value = byte(0) & (0x7FU >> sequence.size());
  for (std::size_t at = 1; at < sequence.size(); ++at) value = value << 6U | (byte(at) & 0x3FU);
  return value;
}

// Makes valid UTF-8 of at most `most` bytes, and three dots where something is left out.
std::string shortened(std::string_view text, std::size_t most) {
  std::string made;
  while (!text.empty()) {
    const Utf8Step step = utf8_step(text);
    const std::string_view sequence = step.valid ? text.substr(0, step.size) : kReplacement;
    text.remove_prefix(step.size);
    const std::uint32_t value = value_of(sequence);
    if (value != '\t' && is_hidden(value)) continue;
    if (made.size() + sequence.size() > most) return made + "...";
    made += value == '\t' ? std::string_view(" ") : sequence;
  }
  return made;
}

std::string trimmed(std::string_view text) {
  const std::size_t begin = text.find_first_not_of(kBlank);
  if (begin == std::string_view::npos) return "";
  return std::string(text.substr(begin, text.find_last_not_of(kBlank) + 1 - begin));
}

// Returns true when the text ends inside of a private key.
bool ends_in_key(std::string_view text) {
  const std::size_t begin = text.rfind("-----BEGIN ");
  if (begin == std::string_view::npos) return false;
  const std::string_view key = text.substr(begin);
  const std::size_t name = key.find("PRIVATE KEY");
  return name != std::string_view::npos && name < key.find('\n') &&
         key.find("-----END ") == std::string_view::npos;
}

// Returns the newest line of the text that is not blank; `whole`: also the one without an end.
// `begins` says whether the text begins with a line.
std::string newest_line(std::string_view text, bool whole, bool begins,
                        const LastLine::Redact& redact) {
  if (!whole) text = text.substr(0, text.find_last_of("\r\n") + 1);
  for (std::size_t back = 0; back < kMaxLinesBack && !text.empty(); ++back) {
    if (text.back() == '\n') text.remove_suffix(1);
    const std::size_t before = text.rfind('\n');
    if (before == std::string_view::npos && !begins) return "";
    const std::size_t begin = before == std::string_view::npos ? 0 : before + 1;
    std::string line = trimmed(clean(text.substr(begin)));
    text = text.substr(0, begin);
    if (line.empty()) continue;
    return ends_in_key(text) ? "***" : redact(line);
  }
  return "";
}

const Run* newest_of(Runs& runs, const std::string& id) {
  const Run* run = runs.find(id);
  for (std::size_t step = 0; run != nullptr && !run->next().empty() && step < kMaxRestarts;
       ++step) {
    const Run* next = runs.find(run->next());
    if (next == nullptr) break;
    run = next;
  }
  return run;
}

ArrivalOrder::Offsets ends_of(const Run& run) {
  return {run.stream(StreamId::kStdout).end(), run.stream(StreamId::kStderr).end()};
}

}  // namespace

std::string LastLine::look(Runs& runs, const std::vector<std::string>& ids, const Redact& redact) {
  std::vector<const Run*> known;
  for (const std::string& id : ids) {
    const Run* run = newest_of(runs, id);
    const bool is_new = std::find(known.begin(), known.end(), run) == known.end();
    if (run != nullptr && is_new) known.push_back(run);
  }
  std::stable_sort(known.begin(), known.end(), [](const Run* left, const Run* right) {
    return left->last_output() > right->last_output();
  });
  if (known.size() > kMaxRunsShown) known.resize(kMaxRunsShown);
  std::string found;
  std::map<std::string, Seen> seen;
  for (const Run* run : known) {
    Seen& now = seen[run->id()];
    if (const auto before = seen_.find(run->id()); before != seen_.end()) now = before->second;
    look_again(*run, redact, &now);
    if (!found.empty() || now.line.empty()) continue;
    found = now.line;
    if (known.size() > 1) {
      found = redact(run->spec().label.empty() ? run->id() : run->spec().label) + ": " + found;
    }
  }
  seen_ = std::move(seen);
  return shortened(found, kMaxLastLineBytes);
}

void LastLine::look_again(const Run& run, const Redact& redact, Seen* seen) {
  const ArrivalOrder::Offsets ends = ends_of(run);
  const ArrivalOrder::Offsets was = std::exchange(seen->ends, ends);
  if (ends == was && seen->settled) return;
  seen->settled = ends == was;
  seen->line.clear();
  // A program that draws the whole screen has no last line.
  if (run.screen() != nullptr && run.screen()->alternate()) return;
  if (ends != was) seen->newest = ends[0] == was[0] ? 1 : 0;
  for (const std::size_t index : {seen->newest, 1 - seen->newest}) {
    const Stream& stream = run.stream(static_cast<StreamId>(index));
    const Offset from = stream.end() - std::min<Offset>(stream.end(), kWindowBytes);
    const Slice slice = stream.read(from, kWindowBytes);
    const bool is_whole = stream.ended() || ends[index] == was[index];
    seen->line = newest_line(slice.bytes, is_whole, slice.from == 0, redact);
    if (!seen->line.empty()) return;
  }
}

}  // namespace gibbous::lua
