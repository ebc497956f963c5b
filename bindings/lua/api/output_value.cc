// A reader's place is an offset in each stream: what it reads merged it has read of both. What it
// reads of one stream alone may come again merged, after what it has not read of the other.
#include "bindings/lua/api/output_value.h"

#include <algorithm>
#include <string>
#include <utility>
#include <vector>

#include "bindings/lua/check/fields.h"
#include "runtime/output/error_excerpt.h"
#include "runtime/output/excerpt.h"
#include "runtime/output/merged_text.h"
#include "runtime/output/text.h"

namespace gibbous::lua {
namespace {

constexpr std::int64_t kMaxTailLines = 1'000'000;
constexpr std::int64_t kMaxOffset = std::int64_t{1} << 53;
constexpr std::int64_t kDefaultTailLines = 50;
constexpr std::int64_t kMinExcerptTokens = 20;
constexpr std::int64_t kMaxExcerptTokens = 200'000;

constexpr const char* kMerged = "merged";

// What a script reads: one stream, or none for both merged.
std::optional<StreamId> stream_of(Fields& fields) {
  const auto name = fields.choice("stream", {"stdout", "stderr", kMerged});
  if (name == kMerged) return std::nullopt;
  return name == "stderr" ? StreamId::kStderr : StreamId::kStdout;
}

std::size_t max_bytes_of(Fields& fields) {
  const auto bytes = fields.integer("max_bytes", 1, static_cast<std::int64_t>(kMaxReadBytes));
  return bytes ? static_cast<std::size_t>(*bytes) : kDefaultReadBytes;
}

Json gap_value(const Gap& gap) {
  return {{"from", gap.from}, {"to", gap.to}};
}

bool has_ended(const Run& run) {
  return run.stream(StreamId::kStdout).ended() && run.stream(StreamId::kStderr).ended();
}

// Moves the places of a reader on to where the merged output was read.
void mark_read(Run& run, const std::string& reader, Offset to) {
  const ArrivalOrder::Offsets before = run.arrivals().before(to);
  ArrivalOrder::Offsets& places = run.reader(reader);
  for (std::size_t i = 0; i < before.size(); ++i) places[i] = std::max(places[i], before[i]);
}

// Returns the end of the last whole line.
Offset after_last_line(const Stream& stream) {
  const Lines last = stream.tail(1, kMaxReadBytes);
  return last.bytes.ends_with('\n') ? last.to : last.from;
}

Json slice_value(const Slice& slice, bool raw, bool ended, Offset end) {
  Json result = {{"text", raw ? to_utf8(slice.bytes) : clean(slice.bytes)},
                 {"from", slice.from},
                 {"to", slice.to},
                 {"ended", ended && slice.to == end},
                 {"more", slice.to < end}};
  if (slice.gap) result["gap"] = gap_value(*slice.gap);
  return result;
}

// The gaps inside of a merged text, which lines in it name.
void add_gaps(const std::vector<Gap>& gaps, Json* result) {
  for (const Gap& gap : gaps) (*result)["gaps"].push_back(gap_value(gap));
}

}  // namespace

Json read_stream(Run& run, const Json& options) {
  Fields fields("run:read", options);
  const std::optional<StreamId> id = stream_of(fields);
  const auto since = fields.integer("since", 0, kMaxOffset);
  const auto reader = fields.text("reader");
  const std::size_t max_bytes = max_bytes_of(fields);
  const bool raw = fields.flag("raw").value_or(false);
  fields.done();
  if (since && reader) fields.fail("expected one of since and reader, got both");

  Offset from = since ? static_cast<Offset>(*since) : 0;
  if (!id) {
    run.arrivals().place_rest(run.streams());
    if (reader) from = run.arrivals().first_after(run.reader(*reader));
    const MergedSlice merged = read_merged(run.arrivals(), run.streams(), from, max_bytes);
    if (reader) mark_read(run, *reader, merged.slice.to);
    Json result = slice_value(merged.slice, raw, has_ended(run), run.arrivals().end());
    add_gaps(merged.gaps, &result);
    return result;
  }
  if (reader) from = run.reader(*reader, *id);
  const Stream& stream = run.stream(*id);
  const Slice slice = stream.read(from, max_bytes);
  if (reader) run.reader(*reader, *id) = slice.to;
  return slice_value(slice, raw, stream.ended(), stream.end());
}

Json tail_stream(Run& run, const Json& options) {
  Fields fields("run:tail", options);
  const std::optional<StreamId> id = stream_of(fields);
  const auto asked = fields.integer("lines", 0, kMaxTailLines).value_or(kDefaultTailLines);
  const auto count = static_cast<std::uint64_t>(asked);
  const std::size_t max_bytes = max_bytes_of(fields);
  const auto reader = fields.text("reader");
  fields.done();
  MergedLines merged;
  if (!id) {
    run.arrivals().place_rest(run.streams());
    merged = tail_merged(run.arrivals(), run.streams(), count, max_bytes);
  }
  const Lines lines = id ? run.stream(*id).tail(count, max_bytes) : std::move(merged.lines);
  // A reader that saw the tail has read up to here.
  if (reader && id) run.reader(*reader, *id) = lines.to;
  if (reader && !id) mark_read(run, *reader, lines.to);
  Json result = {{"text", clean(lines.bytes)},
                 {"from", lines.from},
                 {"to", lines.to},
                 {"first_line", lines.first_line},
                 {"count", lines.count}};
  if (lines.gap) result["gap"] = gap_value(*lines.gap);
  add_gaps(merged.gaps, &result);
  return result;
}

ArrivalOrder::Offsets parse_places(const FieldPath& place, const Json& table) {
  Fields fields(place, table);
  const auto out = fields.integer("stdout", 0, kMaxOffset).value_or(0);
  const auto err = fields.integer("stderr", 0, kMaxOffset).value_or(0);
  fields.done();
  return {static_cast<Offset>(out), static_cast<Offset>(err)};
}

Json place_reader(Run& run, const Json& options) {
  Fields fields("run:place", options);
  const auto reader = fields.text("reader");
  if (!reader) fields.fail("reader", "the name of a reader", fields.value("reader"));
  const Json& to = fields.value("to");
  fields.done();
  ArrivalOrder::Offsets moved{};
  if (to == "lines") {
    for (std::size_t i = 0; i < moved.size(); ++i) moved[i] = after_last_line(*run.streams()[i]);
  } else if (!to.is_null()) {
    moved = parse_places(fields.below("to"), to);
  }
  ArrivalOrder::Offsets& places = run.reader(*reader);
  for (std::size_t i = 0; i < places.size(); ++i) places[i] = std::max(places[i], moved[i]);
  return {{"stdout", places[0]}, {"stderr", places[1]}};
}

Json excerpt_stream(Run& run, const Json& options, std::shared_ptr<const ErrorPatterns> patterns) {
  Fields fields("run:excerpt", options);
  const auto name = fields.choice("stream", {"stdout", "stderr"});
  ExcerptOptions excerpt_options;
  excerpt_options.patterns = std::move(patterns);
  if (const auto budget = fields.integer("budget_tokens", kMinExcerptTokens, kMaxExcerptTokens)) {
    excerpt_options.budget_tokens = static_cast<std::size_t>(*budget);
  }
  fields.done();
  const StreamId id = name == "stderr" ? StreamId::kStderr : StreamId::kStdout;
  const Excerpt excerpt = gibbous::excerpt(run.stream(id), excerpt_options);
  Json cut = Json::array();
  for (const Gap& gap : excerpt.cut) cut.push_back(gap_value(gap));
  return {{"text", excerpt.text}, {"complete", excerpt.complete}, {"cut", std::move(cut)}};
}

std::size_t parse_error_excerpt(const char* owner, const Json& options) {
  constexpr int kMinBytes = 40;
  constexpr int kMaxBytes = 8'000;
  Fields fields(owner, options);
  const auto max_bytes = fields.integer("max_bytes", kMinBytes, kMaxBytes);
  fields.done();
  return max_bytes ? static_cast<std::size_t>(*max_bytes) : kErrorExcerptBytes;
}

Json error_excerpt_of(Run& run, const Json& options, const ErrorPatterns& patterns) {
  return error_excerpt(run.stream(StreamId::kStdout), run.stream(StreamId::kStderr),
                       parse_error_excerpt("run:error_excerpt", options), patterns);
}

}  // namespace gibbous::lua
