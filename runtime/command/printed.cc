// The output of a command, as far as its words determine it. The output may be code for the next
// command, words for xargs, or the contents of a file that runs later.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxWords = 1024;

}  // namespace

// Returns what the next command of a pipeline reads.
void Analyser::print_output(const SimpleCommand& command, const Arguments& arguments,
                            const Feed& feed) {
  printed_ = {};
  writes_known_text_ = false;
  const ProgramSpec* spec = arguments.spec;
  if (spec == nullptr) return;
  printed_.decodes = spec->decodes && (spec->decodes_when.empty() ||
                                       any_flag(command.argv, arguments, spec->decodes_when));
  const auto redirected = [](const Access& access) {
    return access.redirection && access.kind == AccessKind::kWrite;
  };
  const bool into_file = std::any_of(command.accesses.begin(), command.accesses.end(), redirected);
  if (into_file || command.program == "tee") {
    Feed made = print_text(command, arguments, feed);
    note_written(command, made.text ? made.text->text : made.maybe);
    writes_known_text_ = into_file && made.text && made.text->literal();
    if (!into_file) {
      printed_.words = std::move(made.words);
      printed_.text = std::move(made.text);
      printed_.maybe = std::move(made.maybe);
    }
    return;
  }
  Feed made = print_text(command, arguments, feed);
  printed_.words = std::move(made.words);
  printed_.text = std::move(made.text);
  printed_.maybe = std::move(made.maybe);
}

// Returns the words and the text that a command prints.
Feed Analyser::print_text(const SimpleCommand& command, const Arguments& arguments,
                          const Feed& feed) {
  Feed made;
  const ProgramSpec* spec = arguments.spec;
  if (spec->prints) {
    std::vector<Value> words;
    Value text;
    for (std::size_t at = 1; at < command.argv.size(); ++at) {
      const Value& word = command.argv[at];
      if (words.size() >= kMaxWords) return made;
      const bool first = words.empty() && word.text.size() > 1 && word.text[0] == '-';
      const bool option = first && word.text.find_first_not_of("neE", 1) == std::string::npos;
      const bool silent = word.text == "-n" || is_bash(dialect_);  // dash prints -e
      if (option && silent && command.program != "printf") continue;
      if (first && word.text == "--" && command.program == "printf") continue;
      // Implementations of echo differ in how they treat backslashes and options.
      const bool unclear =
          command.program != "printf" && (option || word.text.find('\\') != std::string::npos);
      words.push_back(unclear ? hole_value(word.text) : word);
      if (words.size() > 1) text.text += ' ';
      if (unclear) {
        text.holes.push_back({Value::Hole::Kind::kUnknown, false,
                              static_cast<std::uint32_t>(text.text.size()),
                              static_cast<std::uint32_t>(text.text.size() + word.text.size())});
        text.text += word.text;
        continue;
      }
      const auto offset = static_cast<std::uint32_t>(text.text.size());
      text.text += word.text;
      for (Value::Hole hole : word.holes) {
        hole.begin += offset;
        hole.end += offset;
        text.holes.push_back(hole);
      }
      if (!spend(word.text.size())) return made;
    }
    if (text.text.find('\\') != std::string::npos) {
      // The text with backslashes interpreted, as echo -e and printf %b do.
      Value plain;
      for (const char each : text.text) {
        plain.text += each;
        if (each == '%') plain.text += each;
      }
      made.maybe = formatted({plain}).text;
    }
    if (command.program == "printf" && !words.empty()) {
      // The format with its arguments filled in, where it is plain.
      text = formatted(words, is_bash(dialect_));
      words.erase(words.begin());
      if (words.empty()) words.push_back(text);
    }
    if (text.has_unknown()) {
      if (made.maybe.empty()) made.maybe = text.text;
    } else if (text.text.find('\\') != std::string::npos && made.maybe.empty()) {
      made.maybe = formatted({text}).text;
    }
    made.words = std::move(words);
    made.text = std::move(text);
    return made;
  }
  if (spec->lists) {
    made.words = listed_below(arguments, command);
    return made;
  }
  // cat and tee pass their input through.
  const bool passes =
      (command.program == "cat" && command.operands.empty() && command.options.empty()) ||
      command.program == "tee";
  if (passes) {
    made.words = feed.words;
    made.text = feed.text;
    made.maybe = feed.maybe;
  }
  return made;
}

}  // namespace gibbous::command
