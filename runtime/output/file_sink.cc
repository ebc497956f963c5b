// FileSink: decides what to write next, and handles the outcome. A running job owns the SinkFile,
// so threads share nothing and the end waits for nothing.
#include "runtime/output/file_sink.h"

#include <uv.h>

#include <algorithm>
#include <string_view>
#include <utility>

namespace gibbous {
namespace {

constexpr std::uint64_t kFinishLookMs = 50;
constexpr std::size_t kMaxSources = 8;
constexpr std::size_t kMaxSourceNameBytes = 64;
constexpr const char* kSlowDisk = "the disk is slower than the output";

}  // namespace

struct FileSink::Job {
  FileSink* sink = nullptr;  // null once the sink has given the job up; loop thread only
  std::unique_ptr<SinkFile> file;
  std::vector<SinkPiece> pieces;
  bool last = false;
  SinkOutcome outcome;

  // Runs on a thread.
  void run() {
    outcome = file->write(pieces);
    if (last) file->close();
  }
  void finished() {
    if (sink != nullptr) sink->on_written(*this);
  }
};

Result<std::unique_ptr<FileSink>> FileSink::create(DiskThreads& threads, const Clock& clock,
                                                   const FileSinkSpec& spec,
                                                   std::vector<FileSinkSource> sources,
                                                   FileSinkListener& listener) {
  if (Status status = check(spec); !status) return status;
  const bool named = std::all_of(sources.begin(), sources.end(), [](const FileSinkSource& source) {
    return !source.name.empty() && source.name.size() <= kMaxSourceNameBytes;
  });
  if (sources.empty() || sources.size() > kMaxSources || !named) {
    return Status::error("invalid_arguments", "sources: expected 1 to " +
                                                  std::to_string(kMaxSources) +
                                                  " streams, each with a short name");
  }
  std::unique_ptr<FileSink> sink(new FileSink(threads, clock, spec, std::move(sources), listener));
  sink->start(sink->next_batch(), /*last=*/false);
  return sink;
}

FileSink::FileSink(DiskThreads& threads, const Clock& clock, const FileSinkSpec& spec,
                   std::vector<FileSinkSource> sources, FileSinkListener& listener)
    : threads_(threads),
      clock_(clock),
      listener_(listener),
      path_(spec.path),
      file_(std::make_unique<SinkFile>(spec)),
      loss_reason_(kSlowDisk) {
  for (FileSinkSource& source : sources) sources_.push_back({std::move(source)});
}

FileSink::~FileSink() {
  on_done_ = nullptr;
  end();
  *alive_ = false;
}

void FileSink::notify(std::size_t) {
  // A batch takes bytes from all streams.
  pump();
}

void FileSink::finish(std::function<void()> on_done) {
  if (finishing_ || ended_) return;
  finishing_ = true;
  on_done_ = std::move(on_done);
  finish_by_ = clock_.now() + kSinkFinishLimit;
  watch_finish();
  pump();
}

void FileSink::pump() {
  if (job_ != nullptr || ended_) return;
  if (outage_ && !finishing_ && clock_.now() < retry_at_) return;
  if (status_.full || (finishing_ && clock_.now() >= finish_by_)) drop_rest();
  std::vector<SinkPiece> pieces = next_batch();
  if (pieces.empty() && !finishing_) return;
  const bool last = finishing_ && all_taken(pieces);
  start(std::move(pieces), last);
}

std::vector<SinkPiece> FileSink::next_batch() {
  std::vector<SinkPiece> pieces;
  std::size_t left = kSinkBatchBytes;
  for (std::size_t i = 0; i < sources_.size(); ++i) {
    Source& source = sources_[i];
    Slice slice = next_slice(source, left / (sources_.size() - i));
    if (slice.gap) {
      const std::uint64_t lost = slice.gap->to - slice.gap->from;
      status_.lost_bytes += lost;
      source.unnoted += lost;
    }
    source.next = slice.from;
    if (source.unnoted > 0) {
      pieces.push_back({"[gibbous: " + std::to_string(source.unnoted) + " bytes of " +
                            source.of.name + " were not written: " + loss_reason_ + "]\n",
                        i, source.unnoted});
    }
    if (slice.bytes.empty()) continue;
    left -= slice.bytes.size();
    pieces.push_back({std::move(slice.bytes), i, 0});
  }
  return pieces;
}

Slice FileSink::next_slice(const Source& source, std::size_t max) const {
  const Stream& stream = *source.of.stream;
  Slice slice = stream.read(source.next, max);
  if (finishing_ && slice.bytes.empty() && slice.to < stream.end()) {
    // Includes the beginning of a character whose rest never came.
    for (const std::string_view part : stream.views(slice.to, &slice.from)) slice.bytes += part;
  }
  if (sources_.size() > 1 && slice.from + slice.bytes.size() < stream.end()) {
    // Another stream's bytes come next, and should follow a whole line.
    const std::size_t newline = slice.bytes.rfind('\n');
    if (newline != std::string::npos) slice.bytes.resize(newline + 1);
  }
  return slice;
}

bool FileSink::all_taken(const std::vector<SinkPiece>& pieces) const {
  std::uint64_t bytes = 0;
  for (const SinkPiece& piece : pieces) bytes += piece.lost > 0 ? 0 : piece.bytes.size();
  return bytes == not_written();
}

std::uint64_t FileSink::not_written() const {
  std::uint64_t bytes = 0;
  for (const Source& source : sources_) bytes += source.of.stream->end() - source.next;
  return bytes;
}

void FileSink::start(std::vector<SinkPiece> pieces, bool last) {
  auto job = std::make_shared<Job>();
  job->sink = this;
  job->file = std::move(file_);
  job->pieces = std::move(pieces);
  job->last = last;
  job_ = job.get();
  threads_.run([job] { job->run(); }, [job] { job->finished(); });
}

void FileSink::on_written(Job& job) {
  job_ = nullptr;
  file_ = std::move(job.file);
  count(job);
  const Status& outcome = job.outcome.status;
  const bool was_outage = outage_;
  outage_ = !outcome;
  status_.error = outcome.message();
  std::string message;
  if (outage_) {
    retry_at_ = clock_.now() + kSinkRetryInterval;
    loss_reason_ = outcome.message();
    message = "The output of the run is not written: " + outcome.message() + "; " +
              std::to_string(not_written() + status_.lost_bytes) +
              " bytes are missing in the file so far.";
  } else if (std::none_of(sources_.begin(), sources_.end(),
                          [](const Source& source) { return source.unnoted > 0; })) {
    loss_reason_ = kSlowDisk;
  }
  if (finishing_ && (outage_ || job.last)) {
    // That was the last attempt, so the rest is dropped.
    drop_rest();
    forget_notes();
    if (file_) file_->close();
    end();
  } else if (!outage_) {
    pump();
  }

  const std::shared_ptr<const bool> alive = alive_;
  if (outage_ && !was_outage) listener_.on_sink_error(message);
  if (*alive && !outage_ && was_outage) listener_.on_sink_recovered();
  if (*alive) listener_.on_sink_progress();
  if (!*alive) return;
  if (!ended_ || !on_done_) return;
  const auto on_done = std::move(on_done_);
  on_done();
}

void FileSink::count(const Job& job) {
  std::size_t left = job.outcome.taken;
  for (const SinkPiece& piece : job.pieces) {
    Source& source = sources_[piece.source];
    const std::size_t taken = std::min(left, piece.bytes.size());
    left -= taken;
    if (piece.lost == 0) {
      source.next += taken;
      status_.written_bytes += taken;
    } else if (taken == piece.bytes.size()) {
      source.unnoted -= piece.lost;
    }
  }
  status_.full = job.outcome.full;
  status_.files = job.outcome.files;
}

void FileSink::drop_rest() {
  for (Source& source : sources_) {
    const std::uint64_t rest = source.of.stream->end() - source.next;
    source.next += rest;
    source.unnoted += rest;
    status_.lost_bytes += rest;
  }
  if (status_.full) forget_notes();  // the last line of the file covers all that follows
}

void FileSink::forget_notes() {
  for (Source& source : sources_) source.unnoted = 0;
}

// A job that hangs on the disk cannot be ended, so a timer notices it.
void FileSink::watch_finish() {
  timer_ = new uv_timer_t;
  timer_->data = this;
  static_cast<void>(uv_timer_init(threads_.loop(), timer_));
  static_cast<void>(uv_timer_start(
      timer_,
      [](uv_timer_t* timer) noexcept { static_cast<FileSink*>(timer->data)->on_finish_tick(); },
      kFinishLookMs, kFinishLookMs));
}

void FileSink::on_finish_tick() {
  if (job_ == nullptr || clock_.now() < finish_by_) return;
  // Between jobs pump() enforces the limit and can still note it in the file, so it gets a little
  // longer.
  if (clock_.now() < finish_by_ + std::chrono::milliseconds(kFinishLookMs)) return;
  drop_rest();
  status_.error = "cannot write to " + path_ + ": the disk does not answer";
  end();
  if (!on_done_) return;
  const auto on_done = std::move(on_done_);
  on_done();
}

// Detaches everything that could still call back.
void FileSink::end() {
  ended_ = true;
  if (job_ != nullptr) std::exchange(job_, nullptr)->sink = nullptr;
  if (timer_ == nullptr) return;
  uv_close(reinterpret_cast<uv_handle_t*>(std::exchange(timer_, nullptr)),
           [](uv_handle_t* handle) noexcept { delete reinterpret_cast<uv_timer_t*>(handle); });
}

}  // namespace gibbous
