// Conversation: a `gibbous session` under test.
#include "tests/support/conversation.h"

#include <stdexcept>
#include <utility>

#include "tests/support/loop.h"

namespace gibbous::testing {
namespace {

ProgramSpec session_spec(const std::vector<std::string>& arguments,
                         std::map<std::string, std::string> env) {
  ProgramSpec spec;
  spec.argv = {command_path(), "session"};
  spec.argv.insert(spec.argv.end(), arguments.begin(), arguments.end());
  spec.env = std::move(env);
  return spec;
}

template <typename Wanted>
std::optional<Json> take(std::vector<Json>& lines, const Wanted& wanted) {
  for (auto line = lines.begin(); line != lines.end(); ++line) {
    if (!wanted(*line)) continue;
    Json found = std::move(*line);
    lines.erase(line);
    return found;
  }
  return std::nullopt;
}

}  // namespace

std::string command_path() {
  return program_directory() + "/gibbous";
}

Conversation::Conversation(const std::vector<std::string>& arguments,
                           std::map<std::string, std::string> env)
    : program_(session_spec(arguments, std::move(env))) {}

Json Conversation::read() {
  const std::optional<std::string> line = program_.read_line();
  if (!line) throw std::runtime_error("no further line; stderr: " + program_.stderr_text());
  return Json::parse(*line);
}

Json Conversation::call(const std::string& tool, const Json& args, const std::string& session) {
  const int id = ++last_id_;
  Json request = {{"id", id}, {"tool", tool}, {"args", args}};
  if (!session.empty()) request["session"] = session;
  send(request);
  return answer(id);
}

Json Conversation::answer(const Json& id) {
  const auto wanted = [&id](const Json& line) {
    return line.contains("id") && line["id"] == id && !line.contains("progress");
  };
  if (std::optional<Json> known = take(others_, wanted)) return *known;
  for (;;) {
    Json line = read();
    if (wanted(line)) return line;
    others_.push_back(std::move(line));
  }
}

Json Conversation::next() {
  if (others_.empty()) return read();
  Json line = std::move(others_.front());
  others_.erase(others_.begin());
  return line;
}

Json Conversation::next_with(const std::string& member) {
  const auto wanted = [&member](const Json& line) { return line.contains(member); };
  if (std::optional<Json> known = take(others_, wanted)) return *known;
  for (;;) {
    Json line = read();
    if (wanted(line)) return line;
    others_.push_back(std::move(line));
  }
}

Json Conversation::event(const std::string& name) {
  const auto wanted = [&name](const Json& line) {
    return line.contains("event") && line["event"]["event"] == name;
  };
  if (std::optional<Json> known = take(others_, wanted)) return (*known)["event"];
  for (;;) {
    Json line = read();
    if (wanted(line)) return line["event"];
    others_.push_back(std::move(line));
  }
}

}  // namespace gibbous::testing
