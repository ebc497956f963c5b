// Text that may run: output of another command, or a file that the line wrote. Each has a doubt
// already; this looks for plainly harmful commands, so that such a line is denied instead of only
// asked about.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxSuspects = 64;  // in one line

}  // namespace

// Runs `look` under a nesting in which only denials count, and drops the doubts that it raises.
template <typename Look>
void Analyser::suspect_by(const std::string& by, Look look) {
  if (suspects_ >= kMaxSuspects || depth_ >= limits_.depth || full()) return;
  ++suspects_;
  const std::size_t doubts = facts_.doubts.size();
  const Scope::Mark mark = scope_.mark();
  const Feed printed = printed_;
  {
    const Nest nest(*this, Nesting::Kind::kLiteral, by);
    ++depth_;
    look();
    --depth_;
  }
  printed_ = printed;
  scope_.restore(mark);
  const auto dropped = [](const DoubtFact& fact) {
    return fact.doubt != Doubt::kForkBomb && fact.doubt != Doubt::kDecodedCode &&
           fact.doubt != Doubt::kUnjudged;
  };
  const auto from =
      facts_.doubts.begin() + static_cast<std::ptrdiff_t>(std::min(doubts, facts_.doubts.size()));
  facts_.doubts.erase(std::remove_if(from, facts_.doubts.end(), dropped), facts_.doubts.end());
}

void Analyser::suspect(const std::string& text, const std::string& language, Range range,
                       SimpleCommand* command) {
  if (text.empty()) return;
  Value value;
  value.text = text;
  value.range = range;
  value.source = source_;
  const std::string by = command->program;
  suspect_by(by, [&] {
    if (language.empty() || language == kShell) {
      SimpleCommand base;
      base.privileged = command->privileged;
      base.remote = command->remote;
      shell_code(value, base, by, {}, dialects_for(*command));
    } else {
      other_code(value, language, command);
    }
  });
}

// Returns the known output of the commands [from, to).
std::string Analyser::printed_by(std::size_t from, std::size_t to) const {
  std::string text;
  for (std::size_t at = from; at < std::min(to, outputs_.size()); ++at) {
    if (outputs_[at].empty()) continue;
    if (!text.empty() && text.back() != '\n') text += '\n';
    text += outputs_[at];
  }
  return text;
}

// Analyses xargs -I R sh -c R and xargs sh -c with the incoming words.
void Analyser::suspect_words(const SimpleCommand& command, const std::vector<Arg>& inner,
                             const Feed& feed, const SimpleCommand& base) {
  std::string text = feed.text ? feed.text->text : feed.maybe;
  while (!text.empty() && text.back() == '\n') text.pop_back();
  const auto unknown = [](const Arg& arg) { return arg.value.has_unknown(); };
  if (text.empty() || std::none_of(inner.begin(), inner.end(), unknown)) return;
  std::string mark = "{}";
  for (std::size_t at = 1; at < command.argv.size(); ++at) {
    const std::string& option = command.argv[at].text;
    if (option == "-I" && at + 1 < command.argv.size()) mark = command.argv[at + 1].text;
    if (option.size() > 2 && option.rfind("-I", 0) == 0) mark = option.substr(2);
  }
  std::vector<Arg> made = inner;
  bool replaced = false;
  for (Arg& arg : made) {
    const std::size_t at = mark.empty() ? std::string::npos : arg.value.text.find(mark);
    if (at == std::string::npos) continue;
    arg.value.text.replace(at, mark.size(), text);
    arg.value.holes.clear();
    replaced = true;
  }
  if (!replaced) {
    if (!made.empty() && made.back().value.text == "...") made.pop_back();
    Arg arg;
    arg.value.text = text;
    arg.value.quoted = true;
    made.push_back(std::move(arg));
  }
  if (!spend(text.size() * made.size())) return;
  suspect_by(command.program, [&] { run(std::move(made), base, {}); });
}

// Remembers text that a redirection or tee writes into a file.
void Analyser::note_written(const SimpleCommand& command, const std::string& text) {
  if (text.empty()) return;
  for (const Access& access : command.accesses) {
    const bool goes = access.kind == AccessKind::kWrite && !access.path.empty() &&
                      (access.redirection || command.program == "tee");
    if (!goes || (file_texts_.size() >= kMaxSuspects && file_texts_.count(access.path) == 0))
      continue;
    std::string& kept = file_texts_[access.path];
    if (kept.size() + text.size() > limits_.parse.bytes || !spend(text.size())) continue;
    if (!kept.empty() && kept.back() != '\n') kept += '\n';
    kept += text;
  }
}

// Analyses a file that this line wrote and now runs.
void Analyser::suspect_file(const Access& access, const std::string& language,
                            SimpleCommand* command) {
  const auto found = file_texts_.find(access.path);
  if (found == file_texts_.end() || access.path.empty()) return;
  const std::string text = found->second;
  std::string as = language;
  if (text.rfind("#!", 0) == 0) {
    const std::string first = text.substr(0, text.find('\n'));
    for (const char* known : {"python", "perl", "ruby", "node", "php"}) {
      if (first.find(known) != std::string::npos)
        as = known == std::string("node") ? "javascript" : known;
    }
  }
  suspect(text, as, access.range, command);
}

}  // namespace gibbous::command
