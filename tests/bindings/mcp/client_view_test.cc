// What of an answer a model reads, by client, as it was measured.
#include "bindings/mcp/client_view.h"

#include <string>

#include "tests/support/catch.h"

namespace gibbous::mcp {
namespace {

using Catch::Matchers::Contains;

Json text_result(const std::string& text) {
  return Json{{"content", Json::array({{{"type", "text"}, {"text", text}}})}, {"isError", false}};
}

std::string read_by(ClientView view, const Json& result) {
  return result_as_read(result, view).text;
}

TEST_CASE("a model reads name, description and arguments of a tool") {
  const Json tool = Json::parse(R"({"name":"run","title":"Run","description":"Runs.",
      "inputSchema":{"type":"object"},"outputSchema":{"type":"object"},"annotations":{}})");
  CHECK(tool_as_read(tool, ClientView::kWire) == tool);
  for (const ClientView view : {ClientView::kClaude, ClientView::kCodex}) {
    CHECK(tool_as_read(tool, view) ==
          Json::parse(R"({"name":"run","description":"Runs.","inputSchema":{"type":"object"}})"));
  }
}

TEST_CASE("structured content takes the place of the text, but not on the wire") {
  Json result = text_result("the text");
  result["structuredContent"] = {{"exit_code", 0}};
  CHECK(read_by(ClientView::kWire, result) == "the text");
  CHECK(read_by(ClientView::kClaude, result) == "{\"exit_code\":0}");
  CHECK(read_by(ClientView::kCodex, result) == "{\"exit_code\":0}");
  CHECK(result_as_read(result, ClientView::kClaude).notes.size() == 1);
}

TEST_CASE("Claude Code passes 49,800 characters on, and shows 2 KB of more") {
  const std::string passes(49'800, 'a');
  CHECK(read_by(ClientView::kClaude, text_result(passes)) == passes);
  const ResultAsRead cut = result_as_read(text_result(passes + "a"), ClientView::kClaude);
  CHECK(cut.is_cut);
  CHECK(cut.characters == 49'801);
  CHECK(cut.text == std::string(2'048, 'a'));
  CHECK_THAT(cut.notes.at(0), Contains("49801 characters"));
}

TEST_CASE("Codex keeps head and tail of about 12,000 characters") {
  const std::string passes(12'000, 'a');
  CHECK(read_by(ClientView::kCodex, text_result(passes)) == passes);
  const std::string more = std::string(10'000, 'h') + std::string(10'000, 't');
  const ResultAsRead cut = result_as_read(text_result(more), ClientView::kCodex);
  CHECK(cut.is_cut);
  CHECK(cut.text == std::string(6'000, 'h') + "\n[... 8000 characters left out ...]\n" +
                        std::string(6'000, 't'));
}

TEST_CASE("cuts count characters and never divide one") {
  std::string euros;
  for (int i = 0; i < 20'000; ++i) euros += "\xE2\x82\xAC";
  CHECK(characters_in(euros) == 20'000);
  CHECK_FALSE(result_as_read(text_result(euros), ClientView::kClaude).is_cut);
  const std::string codex = read_by(ClientView::kCodex, text_result(euros));
  CHECK(codex.substr(0, 3) == "\xE2\x82\xAC");
  CHECK(characters_in(codex) == 12'000 + characters_in("\n[... 8000 characters left out ...]\n"));
  const std::string claude = read_by(ClientView::kClaude, text_result(euros + euros + euros));
  CHECK(claude.size() == 2'046);
  CHECK(claude.substr(claude.size() - 3) == "\xE2\x82\xAC");
}

TEST_CASE("blocks that are no text are shown as each client passes them on") {
  const Json result = Json::parse(R"({"content":[{"type":"text","text":"one"},
      {"type":"resource","resource":{"uri":"x:1","text":"inner"}},
      {"type":"resource_link","uri":"x:2","name":"two"},
      {"type":"image","data":"AAAA","mimeType":"image/png"}]})");
  CHECK(read_by(ClientView::kClaude, result) == "one\ninner\nx:2\n[image]");
  CHECK_THAT(read_by(ClientView::kCodex, result),
             Contains("one\n{") && Contains("\"text\":\"inner\"") && Contains("\"uri\":\"x:2\"") &&
                 Contains("\n[image]"));
}

TEST_CASE("only Claude Code tells the model that a call failed") {
  Json result = text_result("no such file");
  result["isError"] = true;
  CHECK_THAT(result_as_read(result, ClientView::kClaude).notes.at(0), Contains("is told"));
  CHECK_THAT(result_as_read(result, ClientView::kCodex).notes.at(0), Contains("is not told"));
  CHECK(result_as_read(result, ClientView::kWire).notes.empty());
}

TEST_CASE("results of any shape are read") {
  for (const char* odd : {R"({})", R"({"content":5})", R"({"content":[5,null,{}]})",
                          R"({"content":[{"type":"text"}],"isError":"yes"})", "[]", "null"}) {
    INFO(odd);
    for (const ClientView view : {ClientView::kWire, ClientView::kClaude, ClientView::kCodex}) {
      CHECK_NOTHROW(result_as_read(Json::parse(odd), view));
      CHECK_NOTHROW(tool_as_read(Json::parse(odd), view));
    }
  }
}

TEST_CASE("clients are known by their names") {
  CHECK(client_view("claude") == ClientView::kClaude);
  CHECK(client_view("codex") == ClientView::kCodex);
  CHECK_FALSE(client_view("cursor"));
}

}  // namespace
}  // namespace gibbous::mcp
