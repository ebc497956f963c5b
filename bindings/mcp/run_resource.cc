// See run_resource.h.
#include "bindings/mcp/run_resource.h"

#include "bindings/json/member.h"

namespace gibbous::mcp {
namespace {

constexpr std::string_view kRuns = "gibbous://runs/";
constexpr const char* kMimeType = "text/plain";
constexpr std::size_t kMaxTitleBytes = 120;
constexpr std::size_t kMaxRunIdBytes = 64;

// Cuts at a byte limit, but never within a character, which to_text() would replace by U+FFFD.
std::string title_of(const Json& info) {
  std::string title = text_member(info, "label");
  if (title.empty()) title = text_member(info, "command");
  if (title.size() <= kMaxTitleBytes) return title;
  std::size_t end = kMaxTitleBytes;
  while (end > 0 && (static_cast<unsigned char>(title[end]) & 0xC0U) == 0x80U) --end;
  return title.substr(0, end) + "...";
}

}  // namespace

std::string run_uri(std::string_view run) {
  return std::string(kRuns) + std::string(run);
}

std::optional<std::string> run_of(std::string_view uri) {
  if (uri.substr(0, kRuns.size()) != kRuns) return std::nullopt;
  const std::string_view id = uri.substr(kRuns.size());
  constexpr std::string_view kLetters =
      "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
  const bool good = !id.empty() && id.size() <= kMaxRunIdBytes &&
                    id.find_first_not_of(kLetters) == std::string_view::npos;
  return good ? std::optional<std::string>(id) : std::nullopt;
}

Json describe_run(const Json& info) {
  const std::string id = text_member(info, "id");
  return Json{{"uri", run_uri(id)},
              {"name", id},
              {"title", title_of(info)},
              {"description", "A process, " + text_member(info, "state") + ": its output"},
              {"mimeType", kMimeType}};
}

std::string run_text(const Json& info, const std::string& excerpt) {
  std::string text = "run " + text_member(info, "id") + ": " + text_member(info, "state");
  if (const std::string reason = text_member(info, "reason"); !reason.empty()) {
    text += " (" + reason + ")";
  }
  text += "\ncommand: " + text_member(info, "command") + "\n--- stdout ---\n";
  return text + excerpt;
}

Json run_template() {
  return Json{{"uriTemplate", run_uri("{id}")},
              {"name", "run"},
              {"title", "A process and its output"},
              {"description", "State, command and an excerpt of the output of the process `id`"},
              {"mimeType", kMimeType}};
}

}  // namespace gibbous::mcp
