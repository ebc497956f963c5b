#include "runtime/watch/watch_spec.h"

#include <algorithm>

#include "runtime/output/text.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxQuotedBytes = 80;

bool is_letter(char byte) {
  return (byte >= 'a' && byte <= 'z') || (byte >= 'A' && byte <= 'Z');
}

bool is_event_name(std::string_view name) {
  if (name.empty() || name.size() > kMaxEventNameBytes || !is_letter(name[0])) return false;
  return std::all_of(name.begin(), name.end(), [](char byte) {
    return is_letter(byte) || (byte >= '0' && byte <= '9') || byte == '_' || byte == '.' ||
           byte == '-';
  });
}

std::string quoted(std::string_view text) {
  const bool long_text = text.size() > kMaxQuotedBytes;
  return "\"" + to_utf8(text.substr(0, kMaxQuotedBytes)) + (long_text ? "\"..." : "\"");
}

Status wrong(std::size_t watcher, std::string_view field, const std::string& what) {
  return Status::error("invalid_arguments", watch_field(watcher, field) + what);
}

Status check_context(std::size_t watcher, std::string_view field, unsigned lines) {
  if (lines <= kMaxContextLines) return {};
  return wrong(
      watcher, field,
      "expected 0 to " + std::to_string(kMaxContextLines) + " lines, got " + std::to_string(lines));
}

Status check_spec(std::size_t watcher, const WatchSpec& spec) {
  if (spec.regex.empty()) {
    return wrong(watcher, "regex", "expected a regular expression, got \"\"");
  }
  if (spec.regex.size() > kMaxWatchRegexBytes) {
    return wrong(watcher, "regex",
                 "expected at most " + std::to_string(kMaxWatchRegexBytes) + " bytes, got " +
                     std::to_string(spec.regex.size()));
  }
  if (!is_event_name(spec.event)) {
    return wrong(watcher, "event",
                 "expected a letter and up to " + std::to_string(kMaxEventNameBytes - 1) +
                     " letters, digits, '_', '.' or '-', got " + quoted(spec.event));
  }
  if (Status status = check_context(watcher, "context_before", spec.context_before); !status) {
    return status;
  }
  return check_context(watcher, "context_after", spec.context_after);
}

}  // namespace

const char* to_string(WatchStream stream) {
  switch (stream) {
    case WatchStream::kStdout:
      return "stdout";
    case WatchStream::kStderr:
      return "stderr";
    case WatchStream::kScreen:
      return "screen";
  }
  return "";
}

bool in_scope(WatchScope scope, WatchStream stream) {
  switch (scope) {
    case WatchScope::kBoth:
      return stream != WatchStream::kScreen;
    case WatchScope::kStdout:
      return stream == WatchStream::kStdout;
    case WatchScope::kStderr:
      return stream == WatchStream::kStderr;
    case WatchScope::kScreen:
      return stream == WatchStream::kScreen;
  }
  return false;
}

std::string watch_field(std::size_t watcher, std::string_view field) {
  return "watch[" + std::to_string(watcher) + "]." + std::string(field) + ": ";
}

Status check_watch_specs(const std::vector<WatchSpec>& specs) {
  if (specs.size() > kMaxWatchers) {
    return Status::error("invalid_arguments", "watch: expected at most " +
                                                  std::to_string(kMaxWatchers) + " watchers, got " +
                                                  std::to_string(specs.size()));
  }
  for (std::size_t watcher = 0; watcher < specs.size(); ++watcher) {
    if (Status status = check_spec(watcher, specs[watcher]); !status) return status;
  }
  return {};
}

}  // namespace gibbous
