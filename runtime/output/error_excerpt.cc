// error_excerpt(): one pass remembers the lines worth showing; the result has as many as fit, the
// most telling first.
#include "runtime/output/error_excerpt.h"

#include <algorithm>
#include <cstdint>
#include <deque>
#include <map>
#include <string_view>
#include <utility>
#include <vector>

#include "runtime/base/cut_line.h"
#include "runtime/output/error_line.h"
#include "runtime/output/text.h"

namespace gibbous {
namespace {

constexpr std::size_t kErrors = 3;
constexpr std::size_t kContextLines = 2;
constexpr std::size_t kLastLines = 3;
constexpr std::size_t kFewLines = 5;
// The bytes shown of a line that matters most, and of the others.
constexpr std::size_t kMainLineBytes = 200;
constexpr std::size_t kOtherLineBytes = 120;
constexpr std::string_view kLeftOut = "…\n";

struct Line {
  std::uint64_t number = 0;  // from 1
  std::string text;
  bool is_error = false;
  bool leads = false;  // the first that one of the presets finds
};

struct Scan {
  const ErrorPatterns* patterns = nullptr;
  std::vector<Line> errors;                // the first ones, all different, and those that lead
  std::vector<std::vector<Line>> context;  // after each of them
  std::deque<Line> last;
  FoundPresets found = 0;
  std::uint64_t lines = 0;  // with text
  std::vector<Line> few;    // all of them while there are few
};

void take(Scan* scan, Line line) {
  ++scan->lines;
  if (scan->few.size() <= kFewLines) scan->few.push_back(line);
  scan->last.push_back(line);
  if (scan->last.size() > kLastLines) scan->last.pop_front();
  const auto same = [&line](const Line& error) { return error.text == line.text; };
  const bool known = std::any_of(scan->errors.begin(), scan->errors.end(), same);
  if (line.is_error && !known && (line.leads || scan->errors.size() < kErrors)) {
    scan->errors.push_back(std::move(line));
    scan->context.emplace_back();
  } else if (!scan->context.empty() && scan->context.back().size() < kContextLines) {
    if (line.number > scan->errors.back().number + kContextLines) return;
    scan->context.back().push_back(std::move(line));
  }
}

// Lines without text are counted, but not shown.
void scan_part(std::string_view part, std::uint64_t number, Scan* scan) {
  while (!part.empty()) {
    const std::size_t end = part.find('\n');
    const std::string_view raw = part.substr(0, std::min(end, kMaxCheckedLineBytes));
    part.remove_prefix(end == std::string_view::npos ? part.size() : end + 1);
    ++number;
    std::string text = clean(raw);
    std::replace(text.begin(), text.end(), '\n', ' ');
    text.erase(text.find_last_not_of(" \t") + 1);
    if (text.empty()) continue;
    const FoundPresets found = scan->patterns->find(text);
    const bool leads = (found & ~scan->found) != 0;
    scan->found |= found;
    const auto error = find_error(text, *scan->patterns);
    take(scan, {number, cut_line(text, kMainLineBytes, error.value_or(LinePlace{})),
                error.has_value(), leads});
  }
}

Scan scan_of(const Stream& stream, const ErrorPatterns& patterns) {
  Scan scan;
  scan.patterns = &patterns;
  Offset at = 0;
  Offset expected = 0;
  std::string joined;  // adjacent parts, because a line may go on in the next
  Offset begin = 0;
  const auto flush = [&] {
    if (!joined.empty()) scan_part(joined, stream.line_at(begin).value_or(0), &scan);
    joined.clear();
  };
  for (const std::string_view part : stream.views(0, &at)) {
    if (at >= stream.head_end()) at = std::max(at, stream.begin());
    if (at > expected) flush();
    if (joined.empty()) begin = at;
    joined.append(part);
    at += part.size();
    expected = at;
  }
  flush();
  return scan;
}

// Chooses the lines to show, by number, as many as fit.
class Chooser {
 public:
  explicit Chooser(std::size_t max_bytes) : left_(max_bytes) {}

  void add(const Line& line, std::size_t max_line_bytes) {
    if (chosen_.contains(line.number)) return;
    Line shown = line;
    const LinePlace place = find_error(line.text).value_or(LinePlace{});
    shown.text = cut_line(line.text, max_line_bytes, place);
    const std::size_t cost =
        std::to_string(line.number).size() + 2 + shown.text.size() + kLeftOut.size();
    if (cost > left_) return;
    left_ -= cost;
    chosen_.emplace(line.number, std::move(shown));
  }

  std::string text() const {
    std::string text;
    std::uint64_t next = 0;
    for (const auto& [number, line] : chosen_) {
      if (next != 0 && number > next) text += kLeftOut;
      text += std::to_string(number) + (line.is_error ? ':' : '-') + line.text + '\n';
      next = number + 1;
    }
    return text;
  }

 private:
  std::size_t left_;
  std::map<std::uint64_t, Line> chosen_;
};

// What a preset finds says more than a word that errors often have.
int weight(const Scan& scan) {
  return scan.found != 0 ? 2 : scan.errors.empty() ? 0 : 1;
}

std::string plain(const std::vector<Line>& lines) {
  std::string text;
  for (const Line& line : lines) text += line.text + '\n';
  return text;
}

std::string shown(const Scan& scan, std::size_t max_bytes) {
  if (scan.lines <= kFewLines) {
    std::string text = plain(scan.few);
    if (text.size() <= max_bytes) return text;
  }
  Chooser chooser(max_bytes);
  if (!scan.errors.empty()) chooser.add(scan.errors.front(), kMainLineBytes);
  for (const Line& line : scan.errors) {
    if (line.leads) chooser.add(line, kOtherLineBytes);
  }
  if (!scan.last.empty()) chooser.add(scan.last.back(), kMainLineBytes);
  for (std::size_t i = 0; i < scan.errors.size(); ++i) {
    chooser.add(scan.errors[i], kOtherLineBytes);
    for (const Line& line : scan.context[i]) chooser.add(line, kOtherLineBytes);
    if (i > 0) continue;
    for (auto line = scan.last.rbegin(); line != scan.last.rend(); ++line) {
      chooser.add(*line, kOtherLineBytes);
    }
  }
  for (auto line = scan.last.rbegin(); line != scan.last.rend(); ++line) {
    chooser.add(*line, kOtherLineBytes);
  }
  return chooser.text();
}

}  // namespace

std::string error_excerpt(const Stream& out, const Stream& err, std::size_t max_bytes,
                          const ErrorPatterns& patterns) {
  const Scan of_out = scan_of(out, patterns);
  const Scan of_err = scan_of(err, patterns);
  if (of_err.lines == 0) return shown(of_out, max_bytes);
  if (of_out.lines == 0) return shown(of_err, max_bytes);
  const std::string out_name = "stdout:\n";
  const std::string err_name = "stderr:\n";
  if (max_bytes < out_name.size() + err_name.size()) return "";
  const std::size_t budget = max_bytes - out_name.size() - err_name.size();
  // The stream with errors gets most of the budget, and what the other one leaves.
  const bool err_first = weight(of_err) >= weight(of_out);
  const Scan& minor = err_first ? of_out : of_err;
  const std::string rest = shown(minor, budget / 3);
  const std::string main = shown(err_first ? of_err : of_out, budget - rest.size());
  const std::string& main_name = err_first ? err_name : out_name;
  const std::string& rest_name = err_first ? out_name : err_name;
  std::string text = main.empty() ? "" : main_name + main;
  return rest.empty() ? text : text + rest_name + rest;
}

}  // namespace gibbous
