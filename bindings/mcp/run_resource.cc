// See run_resource.h.
#include "bindings/mcp/run_resource.h"

#include <algorithm>
#include <charconv>
#include <iterator>

#include "bindings/json/member.h"
#include "runtime/base/cut_line.h"

namespace gibbous::mcp {
namespace {

constexpr std::string_view kRuns = "gibbous://runs/";
constexpr const char* kMimeType = "text/plain";
constexpr const char* kTemplates[] = {
    "gibbous://runs/{id}", "gibbous://runs/{id}/{stream}{?cursor}", "gibbous://runs/{id}/events"};
constexpr std::size_t kMaxTitleBytes = 120;
constexpr std::size_t kMaxRunIdBytes = 64;

constexpr std::string_view kIdLetters =
    "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ0123456789-_";
constexpr RunPart kParts[] = {RunPart::kSummary, RunPart::kStdout, RunPart::kStderr,
                              RunPart::kEvents};

bool is_stream(RunPart part) {
  return part == RunPart::kStdout || part == RunPart::kStderr;
}

std::string_view path_of(RunPart part) {
  switch (part) {
    case RunPart::kSummary:
      return "";
    case RunPart::kStdout:
      return "/stdout";
    case RunPart::kStderr:
      return "/stderr";
    case RunPart::kEvents:
      return "/events";
  }
  return "";
}

// Reads `?cursor=N`.
std::optional<std::uint64_t> cursor_of(std::string_view query) {
  constexpr std::string_view kName = "?cursor=";
  if (query.substr(0, kName.size()) != kName) return std::nullopt;
  query.remove_prefix(kName.size());
  std::uint64_t cursor = 0;
  const char* end = query.data() + query.size();
  const auto [last, error] = std::from_chars(query.data(), end, cursor);
  return error == std::errc() && last == end ? std::optional(cursor) : std::nullopt;
}

std::string title_of(const Json& info) {
  const std::string label = text_member(info, "label");
  return cut_line(label.empty() ? text_member(info, "command") : label, kMaxTitleBytes);
}

}  // namespace

std::string run_uri(std::string_view run, RunPart part) {
  return std::string(kRuns) + std::string(run) + std::string(path_of(part));
}

std::optional<RunAddress> run_address_of(std::string_view uri) {
  if (uri.substr(0, kRuns.size()) != kRuns) return std::nullopt;
  uri.remove_prefix(kRuns.size());
  const std::size_t end = std::min(uri.find_first_not_of(kIdLetters), uri.size());
  if (end == 0 || end > kMaxRunIdBytes) return std::nullopt;
  RunAddress address;
  address.run = uri.substr(0, end);
  uri.remove_prefix(end);
  const std::size_t query = std::min(uri.find('?'), uri.size());
  const auto* part = std::find_if(std::begin(kParts), std::end(kParts), [&](RunPart each) {
    return path_of(each) == uri.substr(0, query);
  });
  if (part == std::end(kParts)) return std::nullopt;
  address.part = *part;
  if (query == uri.size()) return address;
  if (!is_stream(address.part)) return std::nullopt;
  address.cursor = cursor_of(uri.substr(query));
  return address.cursor ? std::optional(address) : std::nullopt;
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

Json run_output(const std::string& uri, const OutputBytes& output) {
  std::string_view text = output.bytes;
  // A cursor in the middle of a character leaves its rest out.
  std::size_t rest = 0;
  while (rest < text.size() && (static_cast<unsigned char>(text[rest]) & 0xC0U) == 0x80U) ++rest;
  text.remove_prefix(rest);
  return Json{{"uri", uri},
              {"mimeType", kMimeType},
              {"text", std::string(text)},
              {"_meta",
               {{"gibbous/from", output.from + rest},
                {"gibbous/next", output.next},
                {"gibbous/ended", output.ended}}}};
}

Json run_templates() {
  const auto described = [](const char* uri, const char* name, const char* title,
                            const char* description, const char* mime_type) {
    return Json{{"uriTemplate", uri},
                {"name", name},
                {"title", title},
                {"description", description},
                {"mimeType", mime_type}};
  };
  return Json::array(
      {described(kTemplates[0], "run", "A process and its output",
                 "State, command and an excerpt of the output of the process `id`", kMimeType),
       described(
           kTemplates[1], "run_output", "The output of a process",
           "What the process `id` wrote to `stream` (stdout or stderr), from the byte `cursor` "
           "on; without it, the end",
           kMimeType),
       described(kTemplates[2], "run_events", "What happened to a process",
                 "States, readiness, limits and matches of watchers of the process `id`",
                 "application/json")});
}

bool is_run_template(std::string_view uri) {
  return std::find(std::begin(kTemplates), std::end(kTemplates), uri) != std::end(kTemplates);
}

}  // namespace gibbous::mcp
