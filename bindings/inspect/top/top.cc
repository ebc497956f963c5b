// The keys, and the state between two refreshes. top_frame.cc has the rows of the screen.
#include "bindings/inspect/top/top.h"

#include <algorithm>
#include <utility>

#include "bindings/inspect/run_text.h"

namespace gibbous::top {
namespace {

constexpr std::ptrdiff_t kPage = 10;
constexpr double kMicrosPerMilli = 1'000;
constexpr double kWhole = 100;

}  // namespace

void Top::take(std::vector<inspect::LiveRun> runs, std::int64_t now) {
  now_ = now;
  const std::string shown = output_run();
  rows_.clear();
  std::map<std::string, Spent> spent;
  std::map<std::string, History> histories;
  for (inspect::LiveRun& run : runs) {
    Row row{.run = std::move(run)};
    const std::string& id = row.run.record.run_id;
    if (row.run.presence == inspect::Presence::kThere) {
      const auto before = spent_.find(id);
      const Spent after{row.run.usage.cpu, now};
      if (before != spent_.end() && now > before->second.at) {
        const auto used = static_cast<double>((after.cpu - before->second.cpu).count());
        const auto time = static_cast<double>(now - before->second.at) * kMicrosPerMilli;
        row.processor = std::max(used, 0.0) / time * kWhole;
      }
      spent[id] = after;
      History& history = histories[id] = std::move(histories_[id]);
      history.add(row.processor, row.run.usage.rss_bytes);
    }
    rows_.push_back(std::move(row));
  }
  spent_ = std::move(spent);
  histories_ = std::move(histories);
  sort();
  // Chooses once, so that the output on the screen does not change with the order.
  if (selected_.empty() && !rows_.empty()) selected_ = rows_.front().run.record.run_id;
  if (output_run() != shown) pane_.reset();
}

void Top::take_asks(std::vector<OpenAsk> asks) {
  std::string over = questions_.take(std::move(asks));
  if (!over.empty()) tell(std::move(over));
}

void Top::sort() {
  const std::size_t place = selected();
  const auto before = [this](const Row& left, const Row& right) {
    switch (sort_by_) {
      case SortBy::kProcessor:
        return left.processor > right.processor;
      case SortBy::kMemory:
        return left.run.usage.rss_bytes > right.run.usage.rss_bytes;
      case SortBy::kAge:
        return inspect::beginning_of(left.run.record) < inspect::beginning_of(right.run.record);
      case SortBy::kName:
        return left.run.record.command < right.run.record.command;
    }
    return false;
  };
  std::stable_sort(rows_.begin(), rows_.end(), before);
  const bool is_there = std::any_of(rows_.begin(), rows_.end(), [this](const Row& row) {
    return row.run.record.run_id == selected_;
  });
  // The selected run has ended: its place stays selected.
  if (!selected_.empty() && !is_there && !rows_.empty()) {
    selected_ = rows_[std::min(place, rows_.size() - 1)].run.record.run_id;
  }
}

std::size_t Top::selected() const {
  for (std::size_t i = 0; i < rows_.size(); ++i) {
    if (rows_[i].run.record.run_id == selected_) return i;
  }
  return 0;
}

void Top::move(std::ptrdiff_t by) {
  if (rows_.empty()) return;
  const auto last = static_cast<std::ptrdiff_t>(rows_.size()) - 1;
  const auto place =
      std::clamp<std::ptrdiff_t>(static_cast<std::ptrdiff_t>(selected()) + by, 0, last);
  selected_ = rows_[static_cast<std::size_t>(place)].run.record.run_id;
}

std::string Top::output_run() const {
  if (!log_run_.empty()) return log_run_;
  return rows_.empty() ? "" : rows_[selected()].run.record.run_id;
}

void Top::press(const Key& key, const inspect::OutputTail* output) {
  message_.clear();
  const std::string shown = output_run();
  const bool is_quit = key == Key{.kind = Key::Kind::kCharacter, .character = 'q'};
  if (key.kind == Key::Kind::kInterrupt) {
    done_ = true;
  } else if (!asking_.empty()) {
    answer(key.kind == Key::Kind::kCharacter && key.character == 'y');
  } else if (questions_.is_shown()) {
    tell(questions_.press(key));
  } else if (searching_) {
    press_in_search(key, output);
  } else if (press_in_output(key, output)) {
    return;
  } else if (log_run_.empty()) {
    press_in_list(key);
  } else if (is_quit || key.kind == Key::Kind::kEscape || key.kind == Key::Kind::kEnter) {
    log_run_.clear();
  }
  if (output_run() != shown) pane_.reset();
}

bool Top::press_in_output(const Key& key, const inspect::OutputTail* output) {
  if (output == nullptr) return false;
  const bool is_log = !log_run_.empty();
  switch (key.kind) {
    case Key::Kind::kPageUp:
      pane_.scroll(kPage, *output);
      return true;
    case Key::Kind::kPageDown:
      pane_.scroll(-kPage, *output);
      return true;
    case Key::Kind::kUp:
      if (is_log) pane_.scroll(1, *output);
      return is_log;
    case Key::Kind::kDown:
      if (is_log) pane_.scroll(-1, *output);
      return is_log;
    case Key::Kind::kHome:
      if (is_log) pane_.to_beginning(*output);
      return is_log;
    case Key::Kind::kEnd:
      if (is_log) pane_.to_end();
      return is_log;
    case Key::Kind::kCharacter:
      if (key.character == '/') {
        searching_ = "";
        return true;
      }
      if (key.character == '<' || key.character == '>') {
        find_again(key.character == '<', *output);
        return true;
      }
      return false;
    case Key::Kind::kEnter:
    case Key::Kind::kEscape:
    case Key::Kind::kBackspace:
    case Key::Kind::kInterrupt:
    case Key::Kind::kSuspend:
      return false;
  }
  return false;
}

void Top::press_in_search(const Key& key, const inspect::OutputTail* output) {
  constexpr std::size_t kMaxSearchBytes = 100;
  if (key.kind == Key::Kind::kCharacter) {
    if (searching_->size() < kMaxSearchBytes) *searching_ += key.character;
  } else if (key.kind == Key::Kind::kBackspace) {
    if (searching_->empty()) return searching_.reset();
    searching_->pop_back();
  } else if (key.kind == Key::Kind::kEscape) {
    searching_.reset();
  } else if (key.kind == Key::Kind::kEnter) {
    const std::string wanted = *std::exchange(searching_, std::nullopt);
    if (output != nullptr && !pane_.search(wanted, *output)) tell("not found: " + wanted);
  }
}

void Top::find_again(bool backwards, const inspect::OutputTail& output) {
  if (pane_.wanted().empty()) return tell("search with / first");
  if (!pane_.search_again(backwards, output)) {
    tell((backwards ? "no earlier match of " : "no later match of ") + pane_.wanted());
  }
}

void Top::press_in_list(const Key& key) {
  switch (key.kind) {
    case Key::Kind::kCharacter:
      return press_character(key.character);
    case Key::Kind::kUp:
      return move(-1);
    case Key::Kind::kDown:
      return move(1);
    case Key::Kind::kPageUp:
      return move(-kPage);
    case Key::Kind::kPageDown:
      return move(kPage);
    case Key::Kind::kHome:
      return move(-static_cast<std::ptrdiff_t>(rows_.size()));
    case Key::Kind::kEnd:
      return move(static_cast<std::ptrdiff_t>(rows_.size()));
    case Key::Kind::kEnter:
      if (!rows_.empty()) log_run_ = rows_[selected()].run.record.run_id;
      return;
    case Key::Kind::kEscape:
    case Key::Kind::kBackspace:
    case Key::Kind::kInterrupt:
    case Key::Kind::kSuspend:
      return;
  }
}

void Top::press_character(char character) {
  if (character == 'q') done_ = true;
  if (character == '?') {
    questions_.show();
    if (!questions_.is_shown()) tell("no question waits for a person");
  }
  if (character == 'c') sort_by_ = SortBy::kProcessor;
  if (character == 'm') sort_by_ = SortBy::kMemory;
  if (character == 'a') sort_by_ = SortBy::kAge;
  if (character == 'n') sort_by_ = SortBy::kName;
  if (character == 'k' && !rows_.empty()) {
    if (kill_) {
      asking_ = rows_[selected()].run.record.run_id;
    } else {
      tell("cannot ask the host of this run to kill it");
    }
  }
  sort();
}

void Top::answer(bool yes) {
  const std::string run_id = std::exchange(asking_, {});
  if (!yes) return tell("not killed");
  const Status status = kill_(run_id);
  tell(status ? "asked for the kill of " + run_id : status.message());
}

}  // namespace gibbous::top
