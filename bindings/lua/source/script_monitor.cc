#include "bindings/lua/source/script_monitor.h"

#include <sys/stat.h>
#include <uv.h>

#include <algorithm>
#include <filesystem>
#include <map>
#include <set>
#include <utility>

#include "bindings/lua/source/directory_hints.h"
#include "bindings/lua/source/snapshot.h"
#include "bindings/lua/vm/state.h"
#include "runtime/base/file_system.h"

namespace gibbous::lua {
namespace {

namespace fs = std::filesystem;

constexpr int kMaxLinks = 40;                 // on the way to one file, as in the kernel
constexpr std::size_t kMaxDirectories = 256;  // the reconcile timer covers the rest

std::uint64_t millis(Millis time) {
  return static_cast<std::uint64_t>(std::max(time, Millis{0}).count());
}

using Places = std::map<std::string, std::set<std::string>>;

// Adds the directory entry of `path`, or its first part that is missing.
void add_entry(fs::path path, Places* into) {
  std::error_code ignored;
  while (path.has_relative_path()) {
    const fs::path dir = path.parent_path();
    if (into->count(dir.native()) > 0 || fs::is_directory(dir, ignored)) {
      (*into)[dir.string()].insert(path.filename().string());
      return;
    }
    path = dir;
  }
}

bool compiles(const std::string& text) {
  auto state = State::create({});
  if (!state) return true;  // the load will report what is wrong
  bool compiled = true;
  const bool ran = (*state)->protect(
      {}, [&](lua_State* lua) { compiled = load_chunk(lua, text, "script"); }, nullptr);
  return ran && compiled;
}

class UvScriptMonitor final : public ScriptMonitor {
 public:
  UvScriptMonitor(uv_loop_s* loop, const Clock& clock, std::function<void()> on_change,
                  MonitorTimes times)
      : loop_(loop),
        clock_(clock),
        on_change_(std::move(on_change)),
        times_(times),
        hints_(loop, [this] { check_soon(); }) {
    settle_ = make_timer();
    reconcile_ = make_timer();
    arm_reconcile();
  }

  void set_files(std::vector<MonitoredFile> files) override {
    if (closing_) return;
    files_.clear();
    for (MonitoredFile& file : files) {
      Entry& entry = files_[file.path] = Entry{std::move(file.hash), {}};
      if (!file.stamp || is_recent(*file.stamp)) continue;
      entry.stamp = *file.stamp;
      entry.looked_at = true;
    }
    broken_until_ = Nanos{0};
    // Starts listening at the first look, which finds whatever changed since the files were read. A
    // command that ends earlier pays neither for reading them again nor for closing an inotify
    // descriptor, which waits up to 20 ms in the kernel.
    listening_ = false;
    check_soon();
  }

  void check_soon() override {
    if (closing_) return;
    const Nanos now = clock_.now();
    if (!pending_) first_hint_ = now;
    pending_ = true;
    const auto waited = std::chrono::duration_cast<Millis>(now - first_hint_);
    const Millis left = times_.settle_most - waited;
    uv_timer_start(settle_, on_settled, millis(std::min(times_.settle, left)), 0);
  }

  void close(std::function<void()> on_closed) override {
    if (closing_) return;
    closing_ = true;
    on_closed_ = std::move(on_closed);
    ++open_handles_;
    close_handle(settle_);
    close_handle(reconcile_);
    hints_.close([this] { on_handle_closed(); });
  }

 private:
  struct Entry {
    std::string hash;
    FileStamp stamp;  // the bytes with that hash
    bool looked_at = false;
  };

  uv_timer_t* make_timer() {
    auto* timer = new uv_timer_t;
    uv_timer_init(loop_, timer);
    adopt_handle(timer);
    return timer;
  }

  template <typename Handle>
  void adopt_handle(Handle* handle) {
    handle->data = this;
    uv_unref(reinterpret_cast<uv_handle_t*>(handle));
    ++open_handles_;
  }
  template <typename Handle>
  void close_handle(Handle* handle) {
    uv_close(reinterpret_cast<uv_handle_t*>(handle), [](uv_handle_t* closed) noexcept {
      auto* self = static_cast<UvScriptMonitor*>(closed->data);
      delete reinterpret_cast<Handle*>(closed);
      self->on_handle_closed();
    });
  }
  void on_handle_closed() {
    if (--open_handles_ > 0 || !closing_) return;
    const auto done = std::move(on_closed_);
    if (done) done();  // may delete this
  }
  static void on_settled(uv_timer_t* timer) noexcept {
    static_cast<UvScriptMonitor*>(timer->data)->compare();
  }
  static void on_reconcile(uv_timer_t* timer) noexcept {
    static_cast<UvScriptMonitor*>(timer->data)->reconcile();
  }
  void rebuild_directories() {
    hints_.clear();
    missing_watches_ = false;
    remote_ = false;
    std::size_t count = 0;
    for (const auto& [dir, names] : places()) {
      remote_ = remote_ || !file_system_of(dir).reports_changes;
      // Without a watch, the reconcile timer still checks.
      if (++count > kMaxDirectories || !hints_.add(dir, names)) missing_watches_ = true;
    }
    arm_reconcile();
  }

  Places places() const {
    std::vector<MonitoredFile> list;
    for (const auto& [path, entry] : files_) list.push_back({path, entry.hash});
    return places_to_monitor(list);
  }

  void arm_reconcile() {
    const Millis watched = missing_watches_ ? times_.reconcile_unwatched : times_.reconcile_watched;
    const Millis interval = remote_ ? times_.reconcile_remote : watched;
    uv_timer_start(reconcile_, on_reconcile, millis(interval), millis(interval));
  }

  void reconcile() {
    for (const auto& [path, entry] : files_) {
      if (!entry.looked_at || !(FileStamp::of(path) == entry.stamp)) return check_soon();
    }
  }

  // The hints have ended: compare the files.
  void compare() {
    pending_ = false;
    // Before the files are looked at, so that a change after that is told: what the watches told
    // before is lost with them.
    if (!listening_ || has_lost_directory()) rebuild_directories();
    listening_ = true;
    bool changed = false;
    bool half_written = false;
    for (auto& [path, entry] : files_) {
      const FileStamp stamp = FileStamp::of(path);
      if (entry.looked_at && stamp == entry.stamp) continue;
      std::string text;
      const std::string hash = hash_of_file(path, &text);
      if (hash == entry.hash) {
        // chmod, touch, or the same content written again, unless it changed while it was read.
        entry.looked_at = FileStamp::of(path) == stamp;
        entry.stamp = stamp;
        continue;
      }
      changed = true;
      half_written = half_written || (is_fresh(stamp) && !compiles(text));
    }
    if (!changed) {
      broken_until_ = Nanos{0};
      return;
    }
    if (half_written) {
      const Nanos now = clock_.now();
      if (broken_until_ == Nanos{0}) broken_until_ = now + times_.half_written;
      if (now < broken_until_) {
        const auto left = std::chrono::ceil<Millis>(broken_until_ - now);
        uv_timer_start(settle_, on_settled, millis(left), 0);
        return;
      }
    }
    // Whatever on_change does, this change is reported only once.
    for (auto& [path, entry] : files_) adopt(path, &entry);
    broken_until_ = Nanos{0};
    on_change_();
  }

  static void adopt(const std::string& path, Entry* entry) {
    const FileStamp stamp = FileStamp::of(path);
    if (entry->looked_at && stamp == entry->stamp) return;
    entry->hash = hash_of_file(path);
    entry->stamp = stamp;
    entry->looked_at = true;
  }

  // A directory may have appeared, or have been removed and created again.
  bool has_lost_directory() const {
    const Places all = places();
    return std::any_of(all.begin(), all.end(), [this](const auto& place) {
      return !hints_.has(place.first, place.second);
    });
  }

  // Within one tick of the file system's clock, a file may change twice and have the same stamp.
  bool is_recent(const FileStamp& stamp) const {
    constexpr Nanos kTicks = std::chrono::seconds(2);
    return stamp.exists && clock_.wall() - Nanos{stamp.changed_ns} < kTicks;
  }

  bool is_fresh(const FileStamp& stamp) const {
    const Nanos age = clock_.wall() - Nanos{stamp.changed_ns};
    return stamp.exists && age < times_.half_written + times_.settle;
  }

  uv_loop_s* loop_;
  const Clock& clock_;
  std::function<void()> on_change_;
  MonitorTimes times_;
  std::map<std::string, Entry> files_;
  DirectoryHints hints_;
  uv_timer_t* settle_ = nullptr;
  uv_timer_t* reconcile_ = nullptr;
  std::function<void()> on_closed_;
  int open_handles_ = 0;
  Nanos first_hint_{0};
  bool pending_ = false;
  bool listening_ = false;       // hints_ belong to files_
  bool missing_watches_ = true;  // of some directories
  bool remote_ = false;          // others may change files without an event here
  Nanos broken_until_{0};        // until then, a file that does not compile may still be incomplete
  bool closing_ = false;
};

}  // namespace

Places places_to_monitor(const std::vector<MonitoredFile>& files) {
  Places found;
  // Most files share their directories.
  std::map<std::string, bool> links;
  const auto is_link = [&links](const fs::path& path) {
    const auto [known, is_new] = links.emplace(path.native(), false);
    std::error_code ignored;
    if (is_new) known->second = fs::is_symlink(path, ignored);
    return known->second;
  };
  for (const MonitoredFile& file : files) {
    std::error_code failed;
    fs::path path = fs::absolute(file.path, failed).lexically_normal();
    add_entry(path, &found);
    // At every link on the way the file can be exchanged (ConfigMaps swap a directory link).
    fs::path walked;
    int followed = 0;
    for (auto part = path.begin(); part != path.end() && followed < kMaxLinks;) {
      walked /= *part++;
      std::error_code ignored;
      if (!is_link(walked)) continue;
      const fs::path target = fs::read_symlink(walked, ignored);
      if (ignored) break;
      add_entry(walked, &found);
      fs::path next = target.is_absolute() ? target : walked.parent_path() / target;
      for (; part != path.end(); ++part) next /= *part;
      path = next.lexically_normal();
      add_entry(path, &found);
      walked.clear();
      part = path.begin();
      ++followed;
    }
  }
  return found;
}

std::unique_ptr<ScriptMonitor> ScriptMonitor::create(uv_loop_s* loop, const Clock& clock,
                                                     std::function<void()> on_change,
                                                     MonitorTimes times) {
  return std::make_unique<UvScriptMonitor>(loop, clock, std::move(on_change), times);
}

}  // namespace gibbous::lua
