// Settings of package managers in sandboxed runs: their files hold the company's registry beside
// its tokens. Loop thread only.
#include "bindings/lua/api/api_run_start.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "bindings/lua/call/engine.h"
#include "bindings/lua/policy/policy_program.h"
#include "runtime/base/unique_fd.h"
#include "runtime/paths/mount_types.h"
#include "runtime/paths/walk.h"
#include "runtime/sandbox/paths.h"

namespace gibbous::lua {
namespace {

// Returns nothing for what is no text of a bounded size. Waits for no writer of a FIFO.
std::optional<std::string> text_of(const std::string& path) {
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat info {};
  if (!file || ::fstat(file.get(), &info) != 0 || !S_ISREG(info.st_mode)) return std::nullopt;
  std::string text(kMaxStandInBytes + 1, '\0');
  const ssize_t size = ::read(file.get(), text.data(), text.size());
  if (size < 0 || static_cast<std::size_t>(size) > kMaxStandInBytes) return std::nullopt;
  text.resize(static_cast<std::size_t>(size));
  if (text.find('\0') != std::string::npos) return std::nullopt;
  return text;
}

void show(const std::string& path, const Context& context, const paths::MountTable& mounts,
          SandboxSpec* spec) {
  const bool answers = paths::answers_at_once(path, mounts);
  struct stat info {};
  if (answers && ::lstat(path.c_str(), &info) != 0) return;
  const bool changeable =
      std::any_of(spec->write.begin(), spec->write.end(),
                  [&path](const std::string& tree) { return gibbous::is_within(path, tree); });
  // A run could have made a link that leads to what is hidden from it.
  std::optional<std::string> text;
  if (answers && (!changeable || paths::walk(path, &mounts).real == path)) {
    text = text_of(path);
  }
  auto& hidden = spec->unreadable;
  const bool known = std::find(hidden.begin(), hidden.end(), path) != hidden.end();
  const PolicyProgram::View* view = nullptr;
  if (text) {
    view = &context.engine->current()->policy().view(path, std::move(*text), context.redact);
    if (!view->secret && !known && changeable) return;
  }
  if (!known) hidden.push_back(path);
  if (view == nullptr || !view->shown || view->shown->size() > kMaxStandInBytes ||
      view->shown->find('\0') != std::string::npos) {
    return;
  }
  if (view->secret) spec->left_out.push_back(path);
  spec->stand_ins.push_back(path);
  spec->stand_ins.push_back(*view->shown);
}

}  // namespace

void show_settings(const Context& context, SandboxSpec* spec) {
  if (spec->views.empty()) return;
  const auto mounts = paths::MountTypes::of_process()->now();
  for (const std::string& path : spec->views) show(path, context, *mounts, spec);
}

}  // namespace gibbous::lua
