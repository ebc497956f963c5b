// See ask_watch.h.
#include "bindings/host/ask_watch.h"

#include <uv.h>

#include <string_view>
#include <utility>

#include "bindings/host/ask_files.h"
#include "runtime/base/file_system.h"

namespace gibbous::host {

struct AskWatch::Handle {
  uv_fs_event_t event{};
  AskWatch* owner = nullptr;  // null: stopped

  static void on_event(uv_fs_event_t* event, const char* name, int, int) noexcept {
    const auto* handle = static_cast<Handle*>(event->data);
    // Without a name it may be anything.
    const bool is_answer = name == nullptr || std::string_view(name).ends_with(kAnswerSuffix);
    if (is_answer && handle->owner != nullptr) handle->owner->on_answer_();
  }
  static void on_close(uv_handle_t* closed) noexcept { delete static_cast<Handle*>(closed->data); }
};

AskWatch::AskWatch(uv_loop_s* loop, std::function<void()> on_answer)
    : loop_(loop), on_answer_(std::move(on_answer)) {}

AskWatch::~AskWatch() {
  stop();
}

bool AskWatch::start(const std::string& directory) {
  if (handle_ != nullptr) return true;
  if (!file_system_of(directory).reports_changes) return false;
  auto* handle = new Handle;
  handle->owner = this;
  if (uv_fs_event_init(loop_, &handle->event) != 0) {
    delete handle;
    return false;
  }
  handle->event.data = handle;
  handle_ = handle;
  // It keeps no loop alive.
  uv_unref(reinterpret_cast<uv_handle_t*>(&handle->event));
  if (uv_fs_event_start(&handle->event, &Handle::on_event, directory.c_str(), 0) == 0) return true;
  stop();
  return false;
}

void AskWatch::stop() {
  Handle* handle = std::exchange(handle_, nullptr);
  if (handle == nullptr) return;
  handle->owner = nullptr;
  uv_close(reinterpret_cast<uv_handle_t*>(&handle->event), &Handle::on_close);
}

}  // namespace gibbous::host
