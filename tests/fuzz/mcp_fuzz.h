// What any bytes on the input of `gibbous mcp` must not break: framing, parsing, both eras, calls
// that end in every way. Called by the fuzzer (mcp_fuzz.cc) and by a test with random and mutated
// input.
#pragma once

#include <stdexcept>
#include <string>
#include <string_view>

#include "bindings/stdio/line_splitter.h"
#include "tests/bindings/mcp/fake_backend.h"

namespace gibbous::mcp {

// Throws when something that always holds did not.
inline void feed_bytes_from_a_client(std::string_view bytes) {
  constexpr std::size_t kLineLimit = 4096;
  Fixture fixture;
  stdio::LineSplitter splitter({[&fixture](std::string_view line) { fixture.server.receive(line); },
                                [&fixture] { fixture.server.receive_oversized(kLineLimit); }},
                               kLineLimit);
  // Pieces of a length that the input itself chooses.
  const std::size_t piece = bytes.empty() ? 1 : 1 + static_cast<unsigned char>(bytes.front());
  for (std::size_t at = 0; at < bytes.size(); at += piece) {
    splitter.feed(bytes.substr(at, piece));
    // The policy asks about every call; each reports progress, then every second one fails, and is
    // forgotten afterwards.
    for (const auto& [id, call] : fixture.backend.calls) {
      AskRequest question;
      question.call = id;
      question.arguments = call.request.arguments;
      question.reply = [](const AskAnswer&) { return true; };
      fixture.server.on_ask(std::move(question));
    }
    for (auto& [id, call] : fixture.backend.calls) {
      if (call.progress) call.progress(Progress{1.5, 2.0, "step"});
      CallResult result;
      result.ok = id % 2 == 0;
      result.text = call.request.arguments;
      result.data = call.request.arguments;
      result.code = "failed";
      call.done(std::move(result));
    }
    fixture.backend.calls.clear();
  }
  splitter.finish();
  fixture.server.on_event(Event{"tools_changed", "", "{}"});
  fixture.server.shut_down();
  for (const std::string& line : fixture.sink.lines) {
    if (line.find('\n') != std::string::npos) throw std::runtime_error("a newline in a message");
    const Json message = Json::parse(line, nullptr, /*allow_exceptions=*/false);
    if (message.is_discarded()) throw std::runtime_error("a message that is no JSON");
    if (message.value("jsonrpc", "") != "2.0") throw std::runtime_error("no JSON-RPC");
    const bool answers = message.contains("result") || message.contains("error");
    if (answers == message.contains("method"))
      throw std::runtime_error("neither one nor the other");
    if (message.contains("id") && !is_id(message["id"])) throw std::runtime_error("a wrong id");
  }
}

}  // namespace gibbous::mcp
