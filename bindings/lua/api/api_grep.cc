// run:grep and journal.grep: the lines of output that match a pattern, in memory and on disk.
#include "bindings/lua/api/run_effect.h"

#include <lua.hpp>

#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "bindings/lua/api/api.h"
#include "bindings/lua/api/api_journal.h"
#include "bindings/lua/api/journal_pages.h"
#include "bindings/lua/api/output_value.h"
#include "bindings/lua/api/record_value.h"
#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/task.h"
#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/wrong_use.h"
#include "runtime/recording/recording.h"
#include "runtime/runs/runs.h"
#include "runtime/wait/line_grep.h"

namespace gibbous::lua {
namespace {

constexpr std::int64_t kMaxContext = 20;
constexpr std::int64_t kMaxTextBytes = std::int64_t{1} << 20;
constexpr std::int64_t kDefaultTextBytes = 8'000;

struct GrepQuestion {
  std::string pattern;
  std::optional<StreamId> stream;  // none: both
  bool merged = false;             // in the order in which their lines came
  std::size_t context = 0;
  std::size_t max_bytes = 0;
};

GrepQuestion parse_grep(const char* owner, const Json& options) {
  Fields fields(owner, options);
  GrepQuestion asked;
  const auto pattern = fields.text("pattern");
  if (!pattern) fields.fail("pattern", "a pattern", fields.value("pattern"));
  asked.pattern = *pattern;
  if (const auto stream = fields.choice("stream", {"stdout", "stderr", "merged"})) {
    asked.merged = stream == "merged";
    if (!asked.merged) asked.stream = stream == "stderr" ? StreamId::kStderr : StreamId::kStdout;
  }
  asked.context = static_cast<std::size_t>(fields.integer("context", 0, kMaxContext).value_or(0));
  asked.max_bytes = static_cast<std::size_t>(
      fields.integer("max_bytes", 1, kMaxTextBytes).value_or(kDefaultTextBytes));
  fields.done();
  return asked;
}

Json grep_value(const LineGrep& grep) {
  return {{"text", grep.text()},   {"matches", grep.matches()}, {"shown", grep.shown()},
          {"lines", grep.lines()}, {"bytes", grep.bytes()},     {"long_lines", grep.long_lines()}};
}

// Both streams of a recorded run, each for itself or as they came.
struct RecordedGrep {
  RecordedGrep(const std::shared_ptr<LinePattern>& pattern, const GrepQuestion& asked)
      : merged(asked.merged),
        out(pattern, asked.context, asked.max_bytes),
        err(pattern, asked.context, asked.max_bytes) {}

  void add(const StoredItem& item) {
    if (item.type == ItemType::kNote && lost.size() < kMaxNotes) lost.push_back(item.payload);
    const bool is_err = item.type == ItemType::kStderr;
    if (!is_err && item.type != ItemType::kStdout && item.type != ItemType::kTerminal) return;
    if (merged) {
      add_lines(item.payload, is_err ? &err_line : &out_line);
    } else {
      (is_err ? err : out).add(item.payload);
    }
  }

  // Adds the lines that are complete now, or are so long that they do not wait for their end. What
  // continues such a line does not wait either: the other stream would come before it.
  void add_lines(std::string_view bytes, std::string* partial) {
    const std::size_t end = bytes.rfind('\n') + 1;  // 0 without one
    partial->append(bytes.substr(0, end));
    if (end > 0) add_piece(partial);
    partial->append(bytes.substr(end));
    if (partial->size() > kMaxPartialBytes || unfinished == partial) add_piece(partial);
  }

  // Adds a piece of one stream; a line of the other one that goes on ends before it.
  void add_piece(std::string* piece) {
    if (piece->empty()) return;
    if (unfinished != nullptr && unfinished != piece) out.add("\n");
    unfinished = piece->back() == '\n' ? nullptr : piece;
    out.add(std::exchange(*piece, {}));
  }

  Json answer(const RunRecord& run) {
    add_piece(&out_line);
    add_piece(&err_line);
    out.finish();
    err.finish();
    Json value = {{"run", run_record_value(run)}, {"lost", lost}};
    value[merged ? "merged" : "stdout"] = grep_value(out);
    if (!merged) value["stderr"] = grep_value(err);
    return value;
  }

  static constexpr std::size_t kMaxPartialBytes = std::size_t{64} << 10;
  static constexpr std::size_t kMaxNotes = 3;
  bool merged;
  LineGrep out;
  LineGrep err;
  std::string out_line;  // not complete yet
  std::string err_line;
  std::vector<std::string> lost;            // notes on what the journal does not have
  const std::string* unfinished = nullptr;  // out_line or err_line, whose line goes on in `out`
};

Status pattern_error(const Status& why) {
  return Status::error("invalid_arguments", "pattern: " + why.message());
}

}  // namespace

int l_run_grep(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_id(state, 1);
    Run* run = find_own(state, id);
    if (run == nullptr) return push_error(state, not_found(state, id), id);
    const GrepQuestion asked = parse_grep("run:grep", to_json(state, 2));
    auto pattern = LinePattern::compile(asked.pattern);
    if (!pattern) return push_error(state, pattern_error(pattern.status()), id);
    LineGrep grep(*pattern, asked.context, asked.max_bytes);
    if (asked.merged) {
      run->arrivals().place_rest(run->streams());
      grep_merged(run->arrivals(), run->streams(), &grep);
    } else {
      grep_stream(run->stream(asked.stream.value_or(StreamId::kStdout)), &grep);
    }
    push_json(state, grep_value(grep));
    return 1;
  });
}

int l_journal_grep(lua_State* state) {
  return with_wrong_use(state, [state] {
    const std::string id = check_recorded_run(state);
    const GrepQuestion asked = parse_grep("journal.grep", to_json(state, 2));
    auto pattern = LinePattern::compile(asked.pattern);
    if (!pattern) return push_error(state, pattern_error(pattern.status()), id);
    const auto grep = std::make_shared<RecordedGrep>(*pattern, asked);
    return ask_journal(state, [&](const std::shared_ptr<Effect>& effect) {
      std::make_shared<JournalPages>(
          effect, id, [grep](const StoredItem& item) { grep->add(item); },
          [grep](const RunRecord& run) { return grep->answer(run); })
          ->read();
    });
  });
}

}  // namespace gibbous::lua
