// Compares Stream with a model that keeps everything: for any bytes in any pieces, every answer is
// the model's, and a reader that follows its cursor sees every byte once or learns that it is gone.
#include <algorithm>
#include <cstring>
#include <optional>
#include <random>
#include <string>
#include <vector>

#include "runtime/output/stream.h"
#include "runtime/output/text.h"
#include "tests/support/catch.h"

using gibbous::Gap;
using gibbous::Lines;
using gibbous::Offset;
using gibbous::Slice;
using gibbous::Stream;

namespace {

using Random = std::mt19937;

std::size_t below(Random& random, std::size_t limit) {
  return limit == 0 ? 0 : random() % limit;
}

struct Model {
  std::string all;
  std::size_t ring;
  std::size_t head;
  bool ended = false;
  std::vector<std::size_t> starts;  // where each line begins

  std::size_t begin() const { return all.size() > ring ? all.size() - ring : 0; }
  std::size_t head_end() const { return std::min(all.size(), head); }
  bool kept(std::size_t at) const { return at < head_end() || at >= begin(); }
  std::size_t settled() const {
    if (ended) return all.size();
    return all.size() - gibbous::incomplete_utf8_tail(
                            std::string_view(all).substr(all.size() - std::min(all.size(), ring)));
  }
  std::uint64_t lines(std::size_t until) const {
    return static_cast<std::uint64_t>(std::lower_bound(starts.begin(), starts.end(), until) -
                                      starts.begin());
  }
  std::uint64_t line_at(std::size_t offset) const {
    if (offset == 0) return 0;
    // `starts` has the lines that have begun; after a newline at the end the next one has not.
    const auto after = std::upper_bound(starts.begin(), starts.end(), offset);
    const auto line = static_cast<std::uint64_t>(after - starts.begin()) - 1;
    return line + (offset == all.size() && all.back() == '\n' ? 1 : 0);
  }
  std::optional<std::size_t> line_offset(std::uint64_t number) const {
    if (number >= starts.size()) return std::nullopt;
    return starts[static_cast<std::size_t>(number)];
  }
  void append(std::string_view bytes) {
    for (const char byte : bytes) {
      if (all.empty() || all.back() == '\n') starts.push_back(all.size());
      all += byte;
    }
  }
};

std::string random_chunk(Random& random) {
  static constexpr std::string_view kPieces[] = {
      "x",    "\n",   "line\n", "\xE2\x82\xAC", "\xF0\x9F\x8C\x99",
      "\xE2", "\xFF", "\r",     "\n\n\n",       "some words "};
  std::string chunk;
  const std::size_t kinds = 1 + below(random, std::size(kPieces));
  const std::size_t size = below(random, 3) == 0 ? below(random, 6000) : below(random, 40);
  while (chunk.size() < size) chunk += kPieces[below(random, kinds)];
  return chunk;
}

// Adds bytes in each way: copied, or read into prepared areas that are larger.
void write(Stream& stream, Random& random, std::string_view bytes) {
  if (below(random, 2) == 0) return stream.append(bytes);
  while (!bytes.empty()) {
    const auto areas = stream.prepare(1 + below(random, 5000));
    std::size_t done = 0;
    for (const iovec& area : areas) {
      const std::size_t size = std::min(area.iov_len, bytes.size() - done);
      if (size > 0) std::memcpy(area.iov_base, bytes.data() + done, size);
      done += size;
    }
    stream.commit(done);
    bytes.remove_prefix(done);
  }
}

void check_read(const Stream& stream, const Model& model, std::size_t from, std::size_t max) {
  const Slice slice = stream.read(from, max);
  const std::size_t start = std::min(from, model.all.size());
  std::size_t first = start;
  while (first < model.all.size() && !model.kept(first)) ++first;
  REQUIRE(slice.from == first);
  REQUIRE(slice.gap.has_value() == (first > start));
  if (slice.gap) {
    REQUIRE(slice.gap->from == start);
    REQUIRE(slice.gap->to == first);
  }
  REQUIRE(slice.to - slice.from == slice.bytes.size());
  REQUIRE(slice.bytes.size() <= max);
  REQUIRE(slice.bytes == model.all.substr(first, slice.bytes.size()));
  // A read stops only at max, at a gap, at the end, or before a cut character.
  std::size_t stop = first;
  while (stop < model.all.size() && stop - first < max && model.kept(stop)) ++stop;
  REQUIRE(slice.to <= stop);
  REQUIRE(stop - slice.to < 4);
  const bool more_kept = stop < model.all.size() && model.kept(stop);
  const bool may_go_on = more_kept || (stop == model.all.size() && !model.ended);
  if (slice.to < stop) {
    REQUIRE(may_go_on);
    const std::string_view held = std::string_view(model.all).substr(slice.to, stop - slice.to);
    REQUIRE(gibbous::incomplete_utf8_tail(held) == held.size());
  } else if (may_go_on && !slice.bytes.empty()) {
    const std::size_t cut = gibbous::incomplete_utf8_tail(slice.bytes);
    REQUIRE((cut == 0 || cut == slice.bytes.size()));
  }
}

void check_tail(const Stream& stream, const Model& model, std::uint64_t count, std::size_t max) {
  const Lines lines = stream.tail(count, max);
  const std::size_t end = model.settled();
  REQUIRE(lines.to == end);
  REQUIRE(lines.bytes == model.all.substr(lines.from, end - lines.from));
  REQUIRE(lines.bytes.size() <= max);
  const std::uint64_t total = model.lines(end);
  REQUIRE(lines.first_line + lines.count == total);
  const std::uint64_t asked = total > count ? total - count : 0;
  if (count == 0 || total == 0) {
    REQUIRE(lines.count == 0);
    return;
  }
  const std::size_t asked_at = *model.line_offset(asked);
  const bool whole = model.begin() <= model.head_end();
  const std::size_t kept = std::max(whole ? 0 : model.begin(), end - std::min(end, max));
  if (asked_at >= kept) {
    REQUIRE(lines.from == asked_at);
    REQUIRE_FALSE(lines.gap);
    return;
  }
  REQUIRE(lines.gap);
  REQUIRE(lines.gap->to == lines.from);
  REQUIRE(lines.gap->from ==
          (model.kept(asked_at) ? asked_at : std::min(asked_at, model.head_end())));
  // The first line that begins where bytes may be given, or the end of the last one.
  for (std::uint64_t line = asked; line < total; ++line) {
    const std::size_t at = *model.line_offset(line);
    if (at < kept || at >= end) continue;
    REQUIRE(lines.from == at);
    REQUIRE(lines.first_line == line);
    return;
  }
  REQUIRE(lines.from >= kept);
  REQUIRE(lines.from - kept < 4);
}

void check_lines(const Stream& stream, const Model& model, Random& random) {
  const std::uint64_t total = model.lines(model.all.size());
  REQUIRE(stream.line_count() == total);
  const std::uint64_t number = below(random, static_cast<std::size_t>(total) + 2);
  const auto offset = model.line_offset(number);
  const bool known = number < total && offset && model.kept(*offset);
  REQUIRE(stream.line_offset(number).has_value() == known);
  if (known) REQUIRE(*stream.line_offset(number) == *offset);

  const std::size_t at = below(random, model.all.size() + 1);
  const bool has_line = at == model.all.size() || model.kept(at);
  REQUIRE(stream.line_at(at).has_value() == has_line);
  if (has_line) REQUIRE(*stream.line_at(at) == model.line_at(at));
}

void check_views(const Stream& stream, const Model& model, std::size_t from) {
  Offset at = 0;
  std::string seen;
  std::string expected;
  for (const std::string_view part : stream.views(from, &at)) {
    if (at >= stream.head_end()) at = std::max(at, stream.begin());
    REQUIRE(part == std::string_view(model.all).substr(at, part.size()));
    at += part.size();
    seen += part;
  }
  if (from < std::min(model.head_end(), model.begin())) {
    expected = model.all.substr(from, std::min(model.head_end(), model.begin()) - from);
  }
  expected += model.all.substr(std::max(from, model.begin()));
  REQUIRE(seen == expected);
}

void run_case(unsigned seed) {
  Random random(seed);
  static constexpr std::size_t kRings[] = {1, 7, 100, 2048, 4096, 5000, 20000};
  static constexpr std::size_t kHeads[] = {0, 1, 64, 3000, 30000};
  Model model{.all = {},
              .ring = kRings[below(random, std::size(kRings))],
              .head = kHeads[below(random, std::size(kHeads))]};
  Stream stream(model.ring, model.head);
  INFO("seed " << seed << " ring " << model.ring << " head " << model.head);

  std::size_t cursor = 0;     // of a reader that follows
  std::size_t accounted = 0;  // bytes that it has seen or that were reported as gone
  constexpr int kSteps = 60;
  for (int step = 0; step < kSteps; ++step) {
    const std::string chunk = random_chunk(random);
    write(stream, random, chunk);
    model.append(chunk);
    if (step + 1 == kSteps) {
      stream.set_ended();
      model.ended = true;
    }
    REQUIRE(stream.begin() == model.begin());
    REQUIRE(stream.end() == model.all.size());
    REQUIRE(stream.head_end() == model.head_end());

    check_read(stream, model, below(random, model.all.size() + 10), below(random, 3000));
    check_read(stream, model, below(random, model.all.size() + 10), below(random, 5));
    check_tail(stream, model, below(random, 20), below(random, 3000));
    check_tail(stream, model, below(random, 2000), 1 << 20);
    check_lines(stream, model, random);
    check_views(stream, model, below(random, model.all.size() + 1));

    if (below(random, 3) == 0 || model.ended) {
      for (;;) {
        const Slice slice = stream.read(cursor, 1 + below(random, 4000));
        if (slice.gap) {
          REQUIRE(slice.gap->from == cursor);
          accounted += slice.gap->to - slice.gap->from;
        }
        accounted += slice.bytes.size();
        if (slice.to == cursor) break;
        cursor = slice.to;
      }
      REQUIRE(accounted == cursor);
      REQUIRE(cursor == model.settled());
    }
  }
}

}  // namespace

TEST_CASE("cursors stay correct when output arrives and is evicted") {
  constexpr unsigned kCases = 120;
  for (unsigned seed = 1; seed <= kCases; ++seed) run_case(seed);
}
