#include "bindings/host/ended_row.h"

#include <memory>
#include <mutex>
#include <string>
#include <utility>

#include "bindings/host/redaction.h"
#include "bindings/json/text.h"

namespace gibbous::host {
namespace {

std::string redacted_json(const std::string& given, const Redaction& redaction) {
  if (given.empty()) return given;
  Json value = Json::parse(given, nullptr, false);
  if (value.is_discarded()) return "";
  redaction.redact_strings(value);
  return to_text(value);
}

std::string redacted_meta(Json meta, const Redaction& redaction) {
  for (const char* name : {"start", "queued"}) meta.erase(name);
  for (const char* name : {"label", "cwd"}) {
    if (const auto found = meta.find(name); found != meta.end()) redaction.redact_strings(*found);
  }
  if (const auto argv = meta.find("argv"); argv != meta.end()) {
    *argv = redaction.redact_words(*argv);
  }
  return to_text(meta);
}

}  // namespace

RedactRun row_redactor() {
  struct Shared {
    std::mutex mutex;
    Redactions redactions;
  };
  return [shared = std::make_shared<Shared>()](RunRecord& run) {
    const Json meta = parse_object(run.meta_json, kMaxJournalTextBytes);
    Redaction redaction;
    {
      const std::lock_guard lock(shared->mutex);
      redaction = shared->redactions.of(run, meta);
    }
    run.command = redaction.redact(run.command);
    run.error_message = redaction.redact(run.error_message);
    run.watch_json = redacted_json(run.watch_json, redaction);
    if (!meta.empty()) {
      run.meta_json = redacted_meta(meta, redaction);
    } else if (redaction.hides_all()) {
      // Text that cannot be read stays unreadable, so that views redact everything.
      run.meta_json = kMask;
    }
  };
}

}  // namespace gibbous::host
