// See tool_result.h.
#include "bindings/mcp/tool_result.h"

#include <utility>
#include <vector>

#include "bindings/mcp/event_line.h"

namespace gibbous::mcp {
namespace {

// The code and the data of an error are for programs; models read the text.
constexpr const char* kMetaErrorCode = "gibbous/errorCode";
constexpr const char* kMetaErrorData = "gibbous/errorData";

Json text_content(const std::string& text) {
  Json content = Json::array();
  // Model APIs reject an empty text block, but accept a result without blocks.
  if (!text.empty()) content.push_back(Json{{"type", "text"}, {"text", text}});
  return content;
}

// Returns the blocks of the result; `text` is all that it has when it has none.
Json content_of(const CallResult& result, const std::string& text) {
  if (result.content.empty()) return text_content(text);
  Parsed parsed = parse_json(result.content);
  return parsed.value.is_array() ? std::move(parsed.value) : text_content(text);
}

// Adds the events since the agent's last turn to the text, and to structuredContent where there is
// some.
void add_backlog(const std::vector<std::string>& events, Json* body) {
  std::vector<Json> list;
  for (const std::string& event : events) {
    Parsed parsed = parse_json(event);
    if (parsed.failure == ParseFailure::kNone) list.push_back(std::move(parsed.value));
  }
  std::string text = event_lines(list);
  if (text.empty()) return;
  text.pop_back();
  (*body)["content"].push_back(Json{{"type", "text"}, {"text", text}});
  const auto structured = body->find("structuredContent");
  if (structured != body->end() && !structured->contains("events")) {
    (*structured)["events"] = Json(std::move(list));
  }
}

Json error_result(const std::string& text, const std::string& code) {
  Json body{{"content", text_content(text)}, {"isError", true}};
  if (!code.empty()) body["_meta"][kMetaErrorCode] = code;
  return body;
}

// Parses the data, which can be megabytes: only for a result that is sent with it. Null when there
// is none.
Json data_of(const CallResult& result) {
  if (result.data.empty()) return nullptr;
  Parsed parsed = parse_json(result.data);
  return parsed.failure == ParseFailure::kNone ? std::move(parsed.value) : Json();
}

}  // namespace

std::string error_text(const CallResult& result) {
  std::string text = result.message.empty() ? result.text : result.message;
  if (text.empty()) text = "The tool failed: " + result.code;
  // The model that wrote the script needs to see where it failed.
  if (result.traceback.starts_with(text)) return result.traceback;
  if (text.find(result.traceback) == std::string::npos) text += "\n" + result.traceback;
  return text;
}

Json tool_result(const CallResult& result, bool structured) {
  if (!result.ok) {
    Json body = error_result(error_text(result), result.code);
    if (!result.content.empty()) body["content"] = content_of(result, error_text(result));
    Json data = data_of(result);
    if (data.is_object() && !data.empty()) body["_meta"][kMetaErrorData] = std::move(data);
    add_backlog(result.backlog, &body);
    return body;
  }
  Json body{{"isError", false}};
  body["content"] = content_of(result, result.text.empty() ? result.data : result.text);
  if (structured || result.structured) {
    Json data = data_of(result);
    // Legacy clients accept objects only.
    if (data.is_object()) body["structuredContent"] = std::move(data);
  }
  add_backlog(result.backlog, &body);
  return body;
}

Json oversized_result(const std::string& tool, std::size_t bytes, std::size_t limit,
                      const std::string& who) {
  return error_result("The result of " + tool + " is " + std::to_string(bytes) +
                          " bytes long and was not sent, because " + who + " accept " +
                          std::to_string(limit) +
                          " at most. Ask for less: fewer lines, or a smaller "
                          "part of the output.",
                      "result_too_large");
}

}  // namespace gibbous::mcp
