// See merged_logs.h.
#include "bindings/cli/merged_logs.h"

#include <algorithm>
#include <array>
#include <deque>
#include <iterator>
#include <utility>

#include "bindings/inspect/prefixed_lines.h"
#include "bindings/inspect/run_facts.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::cli {
namespace {

constexpr std::array kRunColours = {Colour::kCyan, Colour::kGreen, Colour::kYellow,
                                    Colour::kMagenta, Colour::kBlue};
constexpr std::size_t kMaxRunNameBytes = 64;

class MergedLogs {
 public:
  MergedLogs(JournalReader& reader, std::vector<LogSource> sources, const Terminal& terminal,
             Follow& follow, const Options& options)
      : reader_(reader), terminal_(terminal), follow_(follow), options_(options) {
    std::size_t width = 0;
    for (const LogSource& source : sources) width = std::max(width, name_of(source.run).size());
    for (LogSource& source : sources) {
      std::string name = name_of(source.run);
      name.resize(width, ' ');
      const Colour colour = kRunColours[parts_.size() % kRunColours.size()];
      if (options.json) source.text.name_run(source.run.run_id);
      inspect::PrefixedLines lines(terminal.paint(colour, name + " |") + " ");
      parts_.push_back({std::move(source), std::move(lines), {}, false, false});
    }
  }

  Status print() {
    for (;;) {
      // Read the states before the output: after a final state no output follows.
      if (Status status = refresh(follow_.is_time_to_look()); !status) return status;
      const Result<bool> written = news();
      if (!written || !*written) return written.status();
      const bool over =
          std::all_of(parts_.begin(), parts_.end(), [](const Part& part) { return part.over; });
      if (!options_.follow || over) return follow_.write(rest_of_all()) ? gone_ : Status();
      if (!follow_.rest()) return {};
    }
  }

 private:
  struct Part {
    LogSource source;
    inspect::PrefixedLines lines;
    std::deque<StoredItem> items;
    bool over = false;  // no more output comes
    bool told = false;
  };

  static std::string name_of(const RunRecord& run) {
    const std::string label = inspect::facts_of(run).label;
    return stdio::printable(label.empty() ? run.run_id : label, kMaxRunNameBytes);
  }

  Status refresh(bool look) {
    for (Part& part : parts_) {
      if (part.over || !options_.follow) continue;
      Result<RunRecord> now = reader_.run(part.source.run.run_id);
      if (!now) return now.status();
      part.source.run = std::move(*now);
      part.over = inspect::has_ended(part.source.run);
      if (part.over || !look || !is_gone(reader_, part.source.run)) continue;
      part.over = part.told = true;
      gone_ = host_gone(part.source.run);
    }
    return {};
  }

  // Writes the new output of all runs, oldest first. False when the reader has gone or a signal
  // came.
  Result<bool> news() {
    for (Part& part : parts_) {
      if (Status status = read(part); !status) return status;
    }
    std::string text;
    for (;;) {
      Part* next = nullptr;
      for (Part& part : parts_) {
        if (part.items.empty()) continue;
        if (next == nullptr || part.items.front().created_at < next->items.front().created_at) {
          next = &part;
        }
      }
      if (next == nullptr) break;
      text += shown(*next, next->source.text.item(next->items.front()));
      next->items.pop_front();
      if (next->items.empty()) {
        if (Status status = read(*next); !status) return status;
      }
      if (text.size() < kDefaultPageBytes) continue;
      if (!follow_.write(text)) return false;
      text.clear();
    }
    for (Part& part : parts_) {
      if (part.over) text += end_of(part);
    }
    return follow_.write(text);
  }

  Status read(Part& part) {
    Result<ItemPage> page = read_on(reader_, part.source);
    if (!page) return page.status();
    std::move(page->items.begin(), page->items.end(), std::back_inserter(part.items));
    return {};
  }

  std::string shown(Part& part, const std::string& text) const {
    return options_.json ? text : part.lines.feed(text);
  }

  std::string end_of(Part& part) {
    std::string text = shown(part, part.source.text.finish());
    if (!options_.json) text += part.lines.finish();
    if (!std::exchange(part.told, true) && terminal_.is_terminal()) {
      text += shown(part, part.source.text.remark(end_remark(part.source.run)));
    }
    return text;
  }

  std::string rest_of_all() {
    std::string text;
    for (Part& part : parts_) {
      part.told = true;
      text += end_of(part);
    }
    return text;
  }

  JournalReader& reader_;
  const Terminal& terminal_;
  Follow& follow_;
  const Options& options_;
  std::vector<Part> parts_;
  Status gone_;
};

}  // namespace

Status print_merged(JournalReader& reader, std::vector<LogSource> sources, const Terminal& terminal,
                    Follow& follow, const Options& options) {
  return MergedLogs(reader, std::move(sources), terminal, follow, options).print();
}

}  // namespace gibbous::cli
