// IngestImpl: the tick, the quota, and the end.
#include "runtime/output/ingest.h"

#include <algorithm>
#include <cassert>
#include <utility>

namespace gibbous {
namespace {

constexpr std::chrono::nanoseconds kNotArmed = std::chrono::nanoseconds::max();
// Readers that are due within this time of others are served with them.
constexpr std::chrono::nanoseconds kTogether = std::chrono::microseconds{20};
// How much all bulky streams together may take in one turn of the loop, and the minimum for each of
// them.
constexpr std::size_t kTurnBytes = std::size_t{1} << 20;
constexpr std::size_t kLeastShareBytes = std::size_t{64} << 10;
constexpr std::size_t kLeastQuotaShareBytes = std::size_t{16} << 10;

}  // namespace

std::unique_ptr<Ingest> Ingest::create(uv_loop_t* loop) {
  return std::make_unique<IngestImpl>(loop);
}

IngestImpl::IngestImpl(uv_loop_t* loop) : loop_(loop), tick_(loop, *this) {}

IngestImpl::~IngestImpl() {
  assert(is_closed_);
}

Reader* IngestImpl::read(UniqueFd fd, Stream& stream, ReaderListener& listener) {
  auto reader = std::make_unique<ReaderImpl>(*this, std::move(fd), stream, listener);
  reader->index_ = readers_.size();
  readers_.push_back(reader.get());
  reader->start(loop_);
  return reader.release();  // its close callback ends in remove()
}

std::size_t IngestImpl::allowance() const {
  const std::size_t share =
      std::max(kLeastShareBytes, kTurnBytes / std::max<std::size_t>(bulky_, 1));
  // Something is read in each turn, whatever else it was for.
  const bool in_time = until_ == kNotArmed || taken_ == 0 || clock_now() < until_;
  if (!in_time) return 0;
  if (quota_ == 0) return share;
  if (taken_ >= quota_) return 0;
  const std::size_t quota_share = std::max(kLeastQuotaShareBytes, quota_ / contenders_);
  return std::min({share, quota_share, quota_ - taken_});
}

void IngestImpl::set_quota(std::size_t bytes, std::chrono::nanoseconds until) {
  quota_ = bytes;
  until_ = until;
  taken_ = 0;
  // Readers that got nothing come first now; the loop serves them in the order of their requests.
  const std::vector<ReaderImpl*> starved = std::exchange(starved_, {});
  const std::vector<ReaderImpl*> served = std::exchange(served_, {});
  contenders_ = std::max<std::size_t>(starved.size() + served.size(), 1);
  for (ReaderImpl* reader : starved) reader->wait_for_more();
  for (ReaderImpl* reader : served) reader->wait_for_more();
}

std::chrono::nanoseconds IngestImpl::clock_now() {
  return std::chrono::nanoseconds{static_cast<std::int64_t>(uv_hrtime())};
}

void IngestImpl::add_ticking(ReaderImpl& reader) {
  const std::chrono::nanoseconds now = clock_now();
  reader.due_ = now + reader.pace_.interval();
  ticking_.push_back(&reader);
  // A running tick arms the next one when it has served all.
  if (!in_tick_ && reader.due_ < armed_for_) arm(reader.due_, now);
}

void IngestImpl::arm(std::chrono::nanoseconds due, std::chrono::nanoseconds now) {
  armed_for_ = due;
  tick_.arm(due - now);
}

void IngestImpl::on_tick() {
  in_tick_ = true;
  const std::chrono::nanoseconds served = clock_now() + kTogether;
  ticked_.swap(ticking_);
  // A reader that is closed meanwhile lives until its close callback; one that keeps ticking adds
  // itself again.
  for (ReaderImpl* reader : ticked_) {
    if (reader->state_ != ReaderImpl::State::kTicking) continue;
    reader->due_ > served ? ticking_.push_back(reader) : reader->on_tick();
  }
  ticked_.clear();
  in_tick_ = false;
  if (closing_) return;
  std::chrono::nanoseconds next = kNotArmed;
  for (const ReaderImpl* reader : ticking_) next = std::min(next, reader->due_);
  if (next != kNotArmed) return arm(next, clock_now());
  armed_for_ = kNotArmed;
  tick_.disarm();
}

void IngestImpl::forget(ReaderImpl& reader) {
  std::erase(ticking_, &reader);
  std::erase(starved_, &reader);
  std::erase(served_, &reader);
}

void IngestImpl::close(std::function<void()> on_closed) {
  assert(!closing_);
  closing_ = true;
  on_closed_ = std::move(on_closed);
  for (ReaderImpl* reader : readers_) reader->close();
  tick_.close();
}

void IngestImpl::on_tick_closed() {
  tick_is_closed_ = true;
  finish_if_closed();
}

// The reader's close callback calls it when nothing uses the reader any more.
void IngestImpl::remove(ReaderImpl& reader) {
  readers_[reader.index_] = readers_.back();
  readers_[reader.index_]->index_ = reader.index_;
  readers_.pop_back();
  delete &reader;
  finish_if_closed();
}

void IngestImpl::finish_if_closed() {
  if (!tick_is_closed_ || !readers_.empty()) return;
  is_closed_ = true;
  // The callback may delete this.
  if (const auto on_closed = std::exchange(on_closed_, nullptr)) on_closed();
}

}  // namespace gibbous
