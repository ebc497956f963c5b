#include "bindings/mcp/client_view.h"

#include <algorithm>
#include <utility>

#include "bindings/json/member.h"
#include "bindings/json/text.h"

namespace gibbous::mcp {
namespace {

// Claude Code passed a text of 49,800 characters, and replaced one of 50,000 by a preview of 2 KB
// and the path of a file.
constexpr std::size_t kClaudeMost = 49'800;
constexpr std::size_t kClaudePreview = 2'048;
// Codex passed 5,000 characters, and cut 20,000 and more to about 12,000, of head and tail.
constexpr std::size_t kCodexMost = 12'000;

bool begins_character(char byte) {
  return (static_cast<unsigned char>(byte) & 0xC0U) != 0x80U;
}

// Returns where the character with this number begins, or the end.
std::size_t place_of(std::string_view text, std::size_t character) {
  std::size_t at = 0;
  for (; at < text.size(); ++at) {
    if (!begins_character(text[at])) continue;
    if (character == 0) return at;
    --character;
  }
  return at;
}

std::string block_text(const Json& block, ClientView view) {
  const std::string* type = find_text(block, "type");
  if (type == nullptr) return to_text(block);
  if (*type == "text") {
    const std::string* text = find_text(block, "text");
    return text == nullptr ? "" : *text;
  }
  if (*type == "image" || *type == "audio") return "[" + *type + "]";
  // Measured: a link and an embedded resource are text in Claude Code, and JSON in Codex.
  if (view == ClientView::kClaude && *type == "resource") {
    const auto resource = block.find("resource");
    const std::string* text = resource == block.end() ? nullptr : find_text(*resource, "text");
    if (text != nullptr) return *text;
  }
  if (view == ClientView::kClaude && *type == "resource_link") {
    const std::string* uri = find_text(block, "uri");
    if (uri != nullptr) return *uri;
  }
  return to_text(block);
}

std::string text_of(const Json& result, ClientView view, ResultAsRead* read) {
  const auto structured = result.find("structuredContent");
  if (view != ClientView::kWire && structured != result.end()) {
    read->notes.emplace_back(
        "The model reads the JSON of structuredContent; the text is not passed on.");
    return to_text(*structured);
  }
  std::string text;
  const auto content = result.find("content");
  if (content == result.end() || !content->is_array()) return text;
  for (const Json& block : *content) {
    if (!text.empty()) text += "\n";
    text += block_text(block, view);
  }
  return text;
}

std::string count_of(std::size_t characters) {
  return std::to_string(characters) + " characters";
}

void cut_as_claude(ResultAsRead* read) {
  if (read->characters <= kClaudeMost) return;
  read->is_cut = true;
  read->text.resize(std::min(read->text.size(), kClaudePreview));
  while (!read->text.empty() && !begins_character(read->text.back())) read->text.pop_back();
  if (!read->text.empty() && static_cast<unsigned char>(read->text.back()) >= 0xC0U) {
    read->text.pop_back();
  }
  read->notes.push_back("Of " + count_of(read->characters) +
                        " the model reads the first 2 KB, and "
                        "the path of a file that has all: above " +
                        count_of(kClaudeMost) + " Claude Code shows a preview.");
}

void cut_as_codex(ResultAsRead* read) {
  if (read->characters <= kCodexMost) return;
  read->is_cut = true;
  const std::size_t half = kCodexMost / 2;
  const std::size_t left_out = read->characters - kCodexMost;
  const std::string head = read->text.substr(0, place_of(read->text, half));
  const std::string tail = read->text.substr(place_of(read->text, read->characters - half));
  read->text = head + "\n[... " + count_of(left_out) + " left out ...]\n" + tail;
  read->notes.push_back("Of " + count_of(read->characters) +
                        " the model reads about 12000, from the beginning and the end.");
}

}  // namespace

std::optional<ClientView> client_view(std::string_view name) {
  if (name == "claude") return ClientView::kClaude;
  if (name == "codex") return ClientView::kCodex;
  return std::nullopt;
}

Json tool_as_read(const Json& tool, ClientView view) {
  if (view == ClientView::kWire) return tool;
  Json read = Json::object();
  for (const char* member : {"name", "description", "inputSchema"}) {
    const auto found = tool.find(member);
    if (found != tool.end()) read[member] = *found;
  }
  return read;
}

std::size_t characters_in(std::string_view text) {
  return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), begins_character));
}

ResultAsRead result_as_read(const Json& result, ClientView view) {
  ResultAsRead read;
  read.text = text_of(result, view, &read);
  read.characters = characters_in(read.text);
  const auto error = result.find("isError");
  const bool failed = error != result.end() && error->is_boolean() && error->get<bool>();
  if (view == ClientView::kClaude) cut_as_claude(&read);
  if (view == ClientView::kCodex) {
    cut_as_codex(&read);
    if (failed)
      read.notes.emplace_back("The model is not told that the call failed, but by the text.");
  }
  if (view == ClientView::kClaude && failed) {
    read.notes.emplace_back("The model is told that the call failed.");
  }
  return read;
}

}  // namespace gibbous::mcp
