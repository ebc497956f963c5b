// See prompt.h.
#include "bindings/cli/prompt.h"

#include <pwd.h>
#include <termios.h>
#include <unistd.h>

#include <array>
#include <cctype>
#include <cerrno>
#include <optional>
#include <string>
#include <utility>

#include "bindings/cli/terminal.h"
#include "bindings/stdio/question_text.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMaxPrefixBytes = 200;
constexpr std::size_t kMaxAnswerBytes = 4096;  // of a terminal in canonical mode

std::string trimmed_lower(std::string_view line) {
  std::string word;
  for (const char c : line) {
    const auto byte = static_cast<unsigned char>(c);
    if (std::isspace(byte) == 0) word += static_cast<char>(std::tolower(byte));
  }
  return word;
}

AskAnswer denied(std::string reason) {
  AskAnswer answer;
  answer.reason = std::move(reason);
  return answer;
}

// Returns nothing when the word is not an answer.
std::optional<AskAnswer> read_answer(const std::string& word) {
  if (word.empty() || word == "n" || word == "no") return denied("declined by the user");
  AskAnswer answer;
  answer.allow = true;
  if (word == "y" || word == "yes") return answer;
  if (word == "s" || word == "session") {
    answer.remember = AskAnswer::Remember::kSession;
    return answer;
  }
  answer.remember = AskAnswer::Remember::kAlways;
  if (word == "a" || word == "always") return answer;
  answer.about = AskAnswer::About::kPrefix;
  if (word == "p" || word == "prefix") return answer;
  answer.about = AskAnswer::About::kRule;
  if (word == "r" || word == "rule") return answer;
  return std::nullopt;
}

}  // namespace

std::string user_name() {
  const passwd* user = getpwuid(geteuid());
  return user != nullptr ? user->pw_name : "uid " + std::to_string(geteuid());
}

void Prompt::ask(AskRequest request, std::string heading) {
  // The terminal would stop a background job that reads from it.
  if (tcgetpgrp(input_) != getpgrp()) {
    AskAnswer answer;
    answer.no_approver = true;
    request.reply(answer);
    return;
  }
  questions_.push_back({std::move(request), std::move(heading)});
  if (questions_.size() == 1) show();
}

void Prompt::show() {
  // Keys typed before the question was shown are not an answer.
  (void)tcflush(input_, TCIFLUSH);
  const Terminal terminal(output_);
  const AskRequest& request = questions_.front().request;
  std::string text = questions_.front().heading;
  text += terminal.paint(Colour::kYellow, "Approval needed: ");
  text += stdio::question_text(request) + "\n";
  text += terminal.paint(Colour::kBold, "Allow?");
  text += " [y] once, [s]ession, [a]lways this ";
  text += request.command.empty() ? "call" : "command";
  if (!request.prefix.empty()) {
    text += ", always [p]refix " + stdio::printable(request.prefix, kMaxPrefixBytes);
  }
  if (request.may_approve_rules) text += ", always [r]ule";
  text += leaves_ ? ", [n]o, [L]ater: " : ", [N]o: ";
  say(text);
}

void Prompt::on_readable() {
  std::array<char, kMaxAnswerBytes> buffer;
  const ssize_t count = ::read(input_, buffer.data(), buffer.size());
  if (count < 0 && (errno == EINTR || errno == EAGAIN)) return;
  if (!open()) return;
  if (count <= 0) {  // Ctrl-D, or the terminal is gone
    say("\n");
    input_ended_ = true;
    if (leaves_) return leave_all();
    answer(denied("declined by the user"));
    return;
  }
  const std::string word = trimmed_lower({buffer.data(), static_cast<std::size_t>(count)});
  if (leaves_ && (word.empty() || word == "l" || word == "later")) {
    questions_.pop_front();
    if (open()) show();
    return;
  }
  std::optional<AskAnswer> given = read_answer(word);
  using About = AskAnswer::About;
  const AskRequest& asked = questions_.front().request;
  const bool has_prefix = !asked.prefix.empty();
  if (!given || (!asked.may_approve_rules && given->about == About::kRule) ||
      (!has_prefix && given->about == About::kPrefix)) {
    say(std::string("Please answer y, s, a") + (has_prefix ? ", p" : "") +
        (asked.may_approve_rules ? ", r" : "") + (leaves_ ? ", n or l: " : " or n: "));
    return;
  }
  answer(*given);
}

void Prompt::answer(const AskAnswer& answer) {
  const AskRequest request = std::move(questions_.front().request);
  questions_.pop_front();
  AskAnswer given = answer;
  given.who = user_name();
  request.reply(given);
  if (open()) show();
}

void Prompt::withdraw(const std::string& id, const std::string& why) {
  for (auto question = questions_.begin(); question != questions_.end(); ++question) {
    if (question->request.id != id) continue;
    const bool is_shown = question == questions_.begin();
    const AskRequest over = std::move(question->request);
    questions_.erase(question);
    if (!is_shown) return;
    say("\n" + why + "\n");
    if (open()) show();
    return;
  }
}

void Prompt::leave_all() {
  questions_.clear();
}

void Prompt::close() {
  if (!open()) return;
  say("\n");
  for (const Question& each : std::exchange(questions_, {}))
    each.request.answer(false, "cancelled by the user");
}

void Prompt::say(const std::string& text) const {
  // Waits for a terminal that its user has stopped (Ctrl-S).
  for (std::size_t done = 0; done < text.size();) {
    const ssize_t count = ::write(output_, text.data() + done, text.size() - done);
    if (count <= 0 && errno != EINTR) return;
    if (count > 0) done += static_cast<std::size_t>(count);
  }
}

}  // namespace gibbous::cli
