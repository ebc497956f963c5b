// See ask_notice.h.
#include "bindings/host/ask_notice.h"

#include <memory>
#include <utility>

#include "bindings/host/ask_record.h"
#include "bindings/host/places.h"
#include "bindings/json/text.h"
#include "runtime/output/text.h"

namespace gibbous::host {
namespace {

constexpr std::size_t kMostCommands = 4;  // at the same time
constexpr Millis kCommandLimit{10'000};
constexpr std::size_t kMostShownBytes = 300;  // of what a command says about its failure
constexpr const char* kCommandDirectory = "/";

// The last line, which says why in most programs.
std::string last_words(const Run& run) {
  const Stream& errors = run.stream(StreamId::kStderr);
  const Offset end = errors.end();
  const Offset from = end > kMostShownBytes ? end - kMostShownBytes : 0;
  std::string text = to_utf8(errors.read(from, kMostShownBytes).bytes);
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const std::size_t line = text.rfind('\n');
  if (line != std::string::npos) text.erase(0, line + 1);
  return text.empty() ? "" : ": " + text;
}

}  // namespace

AskNotice::AskNotice(lua::AskSettings settings, Runs& runs, Waits& waits,
                     std::function<void(const OpenAsk&, const std::string& message)> emit)
    : settings_(std::move(settings)), runs_(runs), waits_(waits), emit_(std::move(emit)) {
  runs_.add_observer(this);
}

AskNotice::~AskNotice() {
  runs_.remove_observer(this);
}

void AskNotice::tell(const OpenAsk& ask) {
  const OrderedJson fields = {{"event", "ask_opened"}, {"ask", ask_fields(ask)}};
  const std::string text = to_text(fields) + "\n";
  if (!settings_.command.empty()) start_command(ask, text);
  if (!settings_.webhook.empty()) post(ask, text);
}

void AskNotice::start_command(const OpenAsk& ask, const std::string& text) {
  if (running_.size() >= kMostCommands) {
    return emit_(ask, "asks.notify.command: " + std::to_string(kMostCommands) +
                          " commands still run, so it was not started");
  }
  RunSpec spec;
  spec.internal = true;
  spec.argv = settings_.command;
  spec.cwd = kCommandDirectory;
  spec.stdin_pipe = true;
  spec.timeout = kCommandLimit;
  spec.inherited_env =
      std::make_shared<const std::vector<std::string>>(host::inherited_environment());
  auto started =
      runs_.start(std::move(spec), [&runs = runs_, text](Run& run, const Status& status) {
        if (!status) return;
        runs.write(run, text, [](const Status&) {});  // it need not read
        runs.close_stdin(run);
      });
  if (!started) return emit_(ask, "asks.notify.command: " + started.status().message());
  running_[(*started)->id()] = ask;
}

void AskNotice::on_state(Run& run) {
  if (!run.ended()) return;
  const auto notice = running_.extract(run.id());
  if (notice.empty() || run.state() == RunState::kCompleted) return;
  emit_(notice.mapped(), "asks.notify.command: " + run.reason() + last_words(run));
}

void AskNotice::post(const OpenAsk& ask, const std::string& text) {
  const auto url = HttpUrl::parse(settings_.webhook);  // the configuration was checked
  if (!url) return emit_(ask, "asks.notify.webhook: " + url.status().message());
  waits_.post(*url, text,
              [this, alive = std::weak_ptr<const int>(lifetime_), ask](const std::string& trouble) {
                if (alive.expired() || trouble.empty()) return;
                emit_(ask, "asks.notify.webhook: " + trouble);
              });
}

}  // namespace gibbous::host
