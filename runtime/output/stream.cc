// Stream: answers reads. ring.h knows where the bytes lie and where the lines begin.
#include "runtime/output/stream.h"

#include <algorithm>
#include <cstring>
#include <utility>

#include "runtime/output/ring.h"
#include "runtime/output/secret_mask.h"
#include "runtime/output/text.h"
#include "runtime/output/utf8.h"

namespace gibbous {

struct Stream::Impl : Ring {
  using Ring::Ring;

  // Returns the last offset at which the newest bytes can be cut without splitting a UTF-8
  // sequence.
  Offset settled_end(bool ended) const {
    if (ended) return end();
    char last[kMaxUtf8Bytes - 1];
    const auto size = static_cast<std::size_t>(std::min<Offset>(end() - begin(), sizeof last));
    for (std::size_t i = 0; i < size; ++i) last[i] = at(end() - size + i);
    return end() - incomplete_utf8_tail({last, size});
  }

  SecretMask mask;
  std::string held;              // back by the mask
  std::array<iovec, 2> areas{};  // of the last prepare(), with room for what is held
};

namespace {

// Leaves out the first `bytes` of the areas.
std::array<iovec, 2> without_first(std::array<iovec, 2> areas, std::size_t bytes) {
  for (iovec& area : areas) {
    const std::size_t skipped = std::min(area.iov_len, bytes);
    area.iov_base = static_cast<char*>(area.iov_base) + skipped;
    area.iov_len -= skipped;
    bytes -= skipped;
  }
  if (areas[0].iov_len == 0) std::swap(areas[0], areas[1]);
  return areas;
}

void copy_out(const std::array<iovec, 2>& areas, std::size_t bytes, std::string* to) {
  for (const iovec& area : areas) {
    const std::size_t size = std::min(area.iov_len, bytes);
    to->append(static_cast<const char*>(area.iov_base), size);
    bytes -= size;
  }
}

void copy_in(std::string_view bytes, const std::array<iovec, 2>& areas) {
  for (const iovec& area : areas) {
    const std::size_t size = std::min(area.iov_len, bytes.size());
    if (size > 0) std::memcpy(area.iov_base, bytes.data(), size);
    bytes.remove_prefix(size);
  }
}

}  // namespace

Stream::Stream(std::size_t ring_bytes, std::size_t head_bytes)
    : impl_(std::make_unique<Impl>(ring_bytes, head_bytes)) {}
Stream::~Stream() = default;
Stream::Stream(Stream&&) noexcept = default;
Stream& Stream::operator=(Stream&&) noexcept = default;

std::array<iovec, 2> Stream::prepare(std::size_t want) {
  if (impl_->mask.empty()) return impl_->prepare(want);
  impl_->areas = impl_->prepare(want + impl_->held.size());
  // A small ring may have no more room than for what is held.
  if (impl_->areas[0].iov_len + impl_->areas[1].iov_len <= impl_->held.size()) {
    release();
    impl_->areas = impl_->prepare(want);
  }
  return without_first(impl_->areas, impl_->held.size());
}

void Stream::commit(std::size_t bytes) {
  Impl& impl = *impl_;
  if (impl.mask.empty()) return impl.commit(bytes);
  std::string all = std::move(impl.held);
  copy_out(without_first(impl.areas, all.size()), bytes, &all);
  const std::size_t held = impl.mask.apply(&all);
  impl.held = all.substr(all.size() - held);
  all.erase(all.size() - held);
  copy_in(all, impl.areas);
  impl.commit(all.size());
}

void Stream::mask(const std::vector<std::string>& secrets) {
  impl_->mask = SecretMask(secrets);
}

std::size_t Stream::held() const {
  return impl_->held.size();
}

void Stream::release() {
  append(std::exchange(impl_->held, {}));
}

void Stream::set_ended() {
  release();
  ended_ = true;
}

void Stream::append(std::string_view bytes) {
  while (!bytes.empty()) {
    std::size_t copied = 0;
    for (const iovec& area : impl_->prepare(bytes.size())) {
      const std::size_t size = std::min(area.iov_len, bytes.size() - copied);
      if (size > 0) std::memcpy(area.iov_base, bytes.data() + copied, size);
      copied += size;
    }
    impl_->commit(copied);
    bytes.remove_prefix(copied);
  }
}

Offset Stream::begin() const {
  return impl_->begin();
}
Offset Stream::end() const {
  return impl_->end();
}
Offset Stream::head_end() const {
  return impl_->head_end();
}
std::uint64_t Stream::line_count() const {
  return impl_->lines_until(impl_->end());
}
std::size_t Stream::memory() const {
  return impl_->memory();
}

Slice Stream::read(Offset from, std::size_t max) const {
  Slice slice;
  const Impl& impl = *impl_;
  if (from >= impl.end()) {
    slice.from = slice.to = impl.end();
    return slice;
  }
  const Span span = impl.span_from(from);
  if (span.from > from) slice.gap = Gap{from, span.from};
  slice.from = span.from;
  slice.to = std::min(span.to, span.from + std::min<Offset>(max, span.to - span.from));
  impl.copy(slice.from, slice.to, slice.bytes);
  // Later bytes may complete a sequence, but not after the end or before a gap.
  const bool cut_by_max = slice.to < span.to;
  const bool more_may_come = slice.to == impl.end() && !ended_;
  if (!cut_by_max && !more_may_come) return slice;
  const std::size_t cut = incomplete_utf8_tail(slice.bytes);
  if (cut == 0 || (cut == slice.bytes.size() && cut_by_max)) return slice;
  slice.bytes.resize(slice.bytes.size() - cut);
  slice.to -= cut;
  return slice;
}

std::vector<std::string_view> Stream::views(Offset from, Offset* first) const {
  const Span span = impl_->span_from(std::min(from, impl_->end()));
  if (first != nullptr) *first = span.from;
  std::vector<std::string_view> parts;
  const auto add = [&parts](std::string_view part) { parts.push_back(part); };
  impl_->each_part(span.from, span.to, add);
  if (span.to < impl_->end()) impl_->each_part(impl_->begin(), impl_->end(), add);
  return parts;
}

Lines Stream::tail(std::uint64_t lines, std::size_t max_bytes) const {
  const Impl& impl = *impl_;
  Lines result;
  result.to = impl.settled_end(ended_);
  const std::uint64_t total = impl.lines_until(result.to);
  result.from = result.to;
  result.first_line = total;
  if (lines == 0 || total == 0) return result;

  const std::uint64_t asked = total > lines ? total - lines : 0;
  const std::optional<Offset> asked_at = impl.line_offset(asked);
  // Everything that may be returned is contiguous with the end.
  const Offset kept = impl.whole() ? 0 : impl.begin();
  const Offset lowest = std::max(kept, result.to - std::min<Offset>(max_bytes, result.to));
  if (asked_at && *asked_at >= lowest) {
    result.from = *asked_at;
    result.first_line = asked;
  } else {
    const std::optional<Offset> start = impl.line_start(lowest, result.to);
    if (start) {
      result.from = *start;
    } else {
      // Not even the last line fits: return its end, from a whole character on.
      result.from = lowest;
      for (std::size_t i = 1; i < kMaxUtf8Bytes && result.from < result.to; ++i) {
        if (!is_utf8_continuation(impl.at(result.from))) break;
        ++result.from;
      }
    }
    if (result.from < result.to) {
      result.first_line = start ? impl.newlines_until(result.from) : total - 1;
    }
    // The beginning of an evicted line is unknown, but it was after the head.
    result.gap = Gap{asked_at.value_or(impl.head_end()), result.from};
  }
  result.count = total - result.first_line;
  impl.copy(result.from, result.to, result.bytes);
  return result;
}

std::optional<Offset> Stream::line_offset(std::uint64_t number) const {
  if (number >= line_count()) return std::nullopt;
  const std::optional<Offset> offset = impl_->line_offset(number);
  // The newline before the line may be the last byte of the head, and the line itself gone.
  if (offset && *offset >= head_end() && *offset < begin()) return std::nullopt;
  return offset;
}

std::optional<std::uint64_t> Stream::line_at(Offset offset) const {
  const Impl& impl = *impl_;
  if (offset > impl.end()) return std::nullopt;
  if (offset >= impl.head_end() && offset < impl.begin()) return std::nullopt;
  return impl.newlines_until(offset);
}

}  // namespace gibbous
