// See questions.h.
#include "bindings/inspect/top/questions.h"

#include <algorithm>
#include <string_view>
#include <utility>

#include "bindings/inspect/figures.h"
#include "bindings/stdio/ask_choices.h"
#include "bindings/stdio/question_text.h"
#include "runtime/output/utf8.h"

namespace gibbous::top {
namespace {

constexpr std::size_t kMaxWhatBytes = 300;
constexpr std::int64_t kMillis = 1'000;

// The key of a choice: the first letter of `gibbous call`'s prompt.
char key_of(const stdio::AskChoice& choice) {
  if (choice.value == "once") return 'y';
  if (choice.value == "deny") return 'n';
  return choice.value.front();
}

std::string what(const AskRequest& ask) {
  const std::string& text = !ask.command.empty() ? ask.command : ask.subject;
  return stdio::printable(text.empty() ? ask.tool : text, kMaxWhatBytes);
}

std::string age(const OpenAsk& ask, std::int64_t now) {
  return inspect::duration_text(now - ask.opened * kMillis);
}

// Cuts a line into rows, between characters.
void wrap(std::string_view line, std::size_t columns, std::vector<std::string>& rows) {
  std::string row;
  std::size_t used = 0;
  for (const char c : line) {
    if (!is_utf8_continuation(c) && used++ == columns) {
      rows.push_back(std::exchange(row, {}));
      used = 1;
    }
    row += c;
  }
  rows.push_back(std::move(row));
}

}  // namespace

const OpenAsk* Questions::current() const {
  const auto found = std::find_if(asks_.begin(), asks_.end(),
                                  [this](const OpenAsk& each) { return each.ask.id == shown_; });
  return found == asks_.end() ? nullptr : &*found;
}

std::string Questions::take(std::vector<OpenAsk> asks) {
  asks_ = std::move(asks);
  if (shown_.empty() || current() != nullptr) return "";
  return "question " + std::exchange(shown_, {}) + " is over: it was answered elsewhere, or ended";
}

void Questions::show() {
  if (!asks_.empty()) shown_ = asks_.front().ask.id;
}

void Questions::next() {
  const OpenAsk* at = current();
  if (at == nullptr) return show();
  const std::size_t place = static_cast<std::size_t>(at - asks_.data());
  shown_ = asks_[(place + 1) % asks_.size()].ask.id;
}

std::string Questions::press(const Key& key) {
  if (key.kind == Key::Kind::kEscape) shown_.clear();
  if (key.kind != Key::Kind::kCharacter) return "";
  if (key.character == 'q') shown_.clear();
  if (key.character == '?') next();
  const OpenAsk* open = current();
  if (open == nullptr) return "";
  for (const stdio::AskChoice& choice : stdio::choices_of(open->ask)) {
    if (key_of(choice) != key.character) continue;
    const std::string id = std::exchange(shown_, {});
    return answer_ ? answer_(id, choice.means) : "questions cannot be answered here";
  }
  return "";
}

std::vector<std::string> Questions::brief(std::size_t rows, std::int64_t now) const {
  std::vector<std::string> lines;
  for (const OpenAsk& each : asks_) {
    if (lines.size() == rows) break;
    lines.push_back("? " + age(each, now) + "  " + what(each.ask) + "  (" +
                    stdio::printable(each.ask.rule, kMaxWhatBytes) + ")");
  }
  return lines;
}

std::vector<std::string> Questions::whole(std::size_t rows, std::size_t columns,
                                          std::int64_t now) const {
  std::vector<std::string> lines;
  const OpenAsk* open = current();
  if (open == nullptr) return lines;
  std::string text =
      "Question " + open->ask.id + " of " +
      stdio::printable(open->ask.session.empty() ? open->ask.workspace : open->ask.session,
                       kMaxWhatBytes) +
      " (" + stdio::printable(open->host, kMaxWhatBytes) + "), " + age(*open, now) + "\n\n" +
      stdio::question_text(open->ask) +
      "\nWorkspace: " + stdio::printable(open->ask.workspace, kMaxWhatBytes) + "\n";
  for (const stdio::AskChoice& choice : stdio::choices_of(open->ask)) {
    text += "\n  " + std::string(1, key_of(choice)) + "  " + choice.title;
  }
  std::string_view rest = text;
  for (std::size_t end = 0; end != std::string_view::npos;) {
    end = rest.find('\n');
    wrap(rest.substr(0, end), std::max<std::size_t>(columns, 1), lines);
    if (end != std::string_view::npos) rest.remove_prefix(end + 1);
  }
  if (lines.size() > rows && rows > 0) {
    lines.resize(rows);
    lines.back() = "... it is longer: gibbous asks show " + open->ask.id;
  }
  return lines;
}

std::string Questions::keys() const {
  std::string text = "answer: ";
  const OpenAsk* open = current();
  if (open == nullptr) return "";
  for (const stdio::AskChoice& choice : stdio::choices_of(open->ask)) {
    text += std::string(1, key_of(choice)) + " " + choice.value + "  ";
  }
  return text + (asks_.size() > 1 ? "? next  " : "") + "q later";
}

}  // namespace gibbous::top
