// FileSink: copies one or more streams into a file, as fast as the disk allows. It has no queue: it
// reads the streams at its own pace, and notes in the file what a ring has lost meanwhile. The code
// that starts a run makes it, and the loop notifies it of new bytes. Loop thread only; a
// thread does everything that may wait for the disk, one job at a time.
#pragma once

#include <cstddef>
#include <cstdint>
#include <functional>
#include <memory>
#include <string>
#include <vector>

#include "gibbous/status.h"
#include "runtime/base/clock.h"
#include "runtime/output/disk_threads.h"
#include "runtime/output/sink_file.h"
#include "runtime/output/stream.h"

struct uv_timer_s;

namespace gibbous {

inline constexpr std::size_t kSinkBatchBytes = std::size_t{1} << 20;
inline constexpr std::chrono::seconds kSinkRetryInterval{1};
inline constexpr std::chrono::seconds kSinkFinishLimit{2};

// The stream must live until the sink has finished or is deleted.
struct FileSinkSource {
  const Stream* stream = nullptr;
  std::string name;  // such as "stdout", for the lines about lost bytes
};

struct FileSinkStatus {
  std::uint64_t written_bytes = 0;  // of the streams, without our own lines
  std::uint64_t lost_bytes = 0;     // that will never be written
  std::uint32_t files = 0;          // the file and its rotated files
  bool full = false;                // the quota is used up
  std::string error;                // "" if the last attempt succeeded
};

// Either method may delete the sink.
class FileSinkListener {
 public:
  virtual ~FileSinkListener() = default;
  // Called once for each outage. When new output comes, the sink tries again, at most once a
  // second.
  virtual void on_sink_error(const std::string& message) = 0;
  virtual void on_sink_recovered() = 0;
  // Called after each write, successful or not.
  virtual void on_sink_progress() {}
};

class FileSink {
 public:
  // Checks the spec. The file is opened soon after, and the listener receives any error, then and
  // later. Bytes already in the streams are copied too.
  static Result<std::unique_ptr<FileSink>> create(DiskThreads& threads, const Clock& clock,
                                                  const FileSinkSpec& spec,
                                                  std::vector<FileSinkSource> sources,
                                                  FileSinkListener& listener);
  // Allowed at any time; a write in progress may still complete. An idle sink may outlive its
  // threads.
  ~FileSink();
  FileSink(const FileSink&) = delete;
  FileSink& operator=(const FileSink&) = delete;

  // Call when a source's stream has new bytes or has ended.
  void notify(std::size_t source);
  // Call once, when no more will come: writes the rest, for at most two seconds, and closes. The
  // loop calls on_done, which may delete the sink.
  void finish(std::function<void()> on_done);

  const FileSinkStatus& status() const { return status_; }
  // Returns true if every byte of the streams so far is written or lost.
  bool caught_up() const { return status_.full || not_written() == 0; }

 private:
  struct Source {
    FileSinkSource of;
    Offset next = 0;            // the first byte that is not written
    std::uint64_t unnoted = 0;  // lost bytes that the file does not mention yet
  };
  struct Job;

  FileSink(DiskThreads& threads, const Clock& clock, const FileSinkSpec& spec,
           std::vector<FileSinkSource> sources, FileSinkListener& listener);
  void pump();
  std::vector<SinkPiece> next_batch();
  Slice next_slice(const Source& source, std::size_t max) const;
  bool all_taken(const std::vector<SinkPiece>& pieces) const;
  void start(std::vector<SinkPiece> pieces, bool last);
  void on_written(Job& job);
  void count(const Job& job);
  void drop_rest();
  void forget_notes();
  void watch_finish();
  void on_finish_tick();
  void end();
  std::uint64_t not_written() const;

  DiskThreads& threads_;
  const Clock& clock_;
  std::vector<Source> sources_;
  FileSinkListener& listener_;
  std::string path_;
  std::unique_ptr<SinkFile> file_;  // null while a job has it
  Job* job_ = nullptr;              // in flight; its thread keeps it
  FileSinkStatus status_;
  std::string loss_reason_;
  bool outage_ = false;
  Nanos retry_at_{0};
  bool finishing_ = false;
  bool ended_ = false;
  Nanos finish_by_{0};
  std::function<void()> on_done_;
  uv_timer_s* timer_ = nullptr;  // while finishing; freed in its close callback
  // False after deletion; checked after each call of the listener.
  std::shared_ptr<bool> alive_ = std::make_shared<bool>(true);
};

}  // namespace gibbous
