// Reads an argv as getopt would, by a table that holds everything that may stand in it. Nothing is
// guessed: an option that is not listed, or abbreviated, or may come out of an unknown word, is
// not known to read.
#include "runtime/rules/reading.h"

#include <algorithm>
#include <cctype>
#include <string_view>
#include <vector>

#include "runtime/command/arguments.h"
#include "runtime/command/glob.h"
#include "runtime/rules/quote.h"

namespace gibbous::rules {
namespace {

using command::ReadingSpec;
using command::Value;

// A command has few different options; more are not examined.
constexpr std::size_t kMostOptions = 64;

bool names(std::string_view options, std::string_view option) {
  for (std::size_t at = options.find(option); at != std::string_view::npos;
       at = options.find(option, at + 1)) {
    const std::size_t end = at + option.size();
    if (at > 0 && options[at - 1] == ' ' && end < options.size() && options[end] == ' ')
      return true;
  }
  return false;
}

std::string trimmed(const std::string& options) {
  return options.size() < 2 ? options : options.substr(1, options.size() - 2);
}

bool splits(const Value& word) {
  return std::any_of(word.holes.begin(), word.holes.end(), [](const Value::Hole& hole) {
    return hole.splits && hole.kind == Value::Hole::Kind::kUnknown;
  });
}

// <(...) becomes a path.
bool may_become_option(const Value& word) {
  return word.starts_unknown() && word.text.compare(0, 2, "<(") != 0 &&
         word.text.compare(0, 2, ">(") != 0;
}

bool may_be_several(const Value& word) {
  return std::any_of(word.holes.begin(), word.holes.end(), [](const Value::Hole& hole) {
    return hole.splits || hole.kind == Value::Hole::Kind::kGlob;
  });
}

enum class Arity { kUnlisted, kNone, kValue, kAttached };

class Reader {
 public:
  Reader(const std::vector<Value>& argv, const ReadingSpec& program)
      : argv_(argv), program_(program), spec_(&program) {}

  // `starts`: the words start another command, which is judged by itself.
  std::optional<std::string> unread(bool starts) {
    for (at_ = 1; at_ < argv_.size() && !fault_; ++at_) word();
    end_of_words();
    if (!starts) end();
    return std::move(fault_);
  }

 private:
  void fault(std::string what) {
    if (!fault_) fault_ = std::move(what);
  }

  bool is_option(const Value& word) const {
    if (ended_ || word.text.size() < 2 || word.starts_unknown()) return false;
    return word.text[0] == '-' || (spec_->plus && word.text[0] == '+');
  }

  void word() {
    const Value& word = argv_[at_];
    if (!ended_ && !spec_->any_words && (may_become_option(word) || splits(word))) {
      return fault(quote(word.text) + ", which may become an option");
    }
    if (!ended_ && word.literal() && word.text == "--") {
      ended_ = true;
    } else if (is_option(word)) {
      option(word);
    } else if (!subcommand(word)) {
      operand(word);
    }
  }

  // A word before the first operand may belong to the subcommand.
  bool subcommand(const Value& word) {
    if (program_.subcommands.empty() || operands_ > 0 || ended_ || complete_) return false;
    if (!word.literal()) return false;
    const std::string longer = words_.empty() ? word.text : words_ + " " + word.text;
    const auto found = program_.subcommands.find(longer);
    if (found != program_.subcommands.end()) {
      spec_ = found->second.get();
    } else if (!starts_one(longer + " ")) {
      return false;
    }
    named_ = found != program_.subcommands.end();
    words_ = longer;
    return true;
  }

  bool starts_one(const std::string& words) const {
    const auto next = program_.subcommands.lower_bound(words);
    return next != program_.subcommands.end() && next->first.compare(0, words.size(), words) == 0;
  }

  Arity arity(const ReadingSpec& spec, std::string_view name) const {
    if (name == "--help" || name == "--version") return Arity::kNone;
    if (names(spec.flags, name)) return Arity::kNone;
    if (names(spec.values, name)) return Arity::kValue;
    return names(spec.attached, name) ? Arity::kAttached : Arity::kUnlisted;
  }

  Arity arity(std::string_view name) {
    from_ = spec_;
    Arity found = arity(*spec_, name);
    if (found != Arity::kUnlisted || spec_ == &program_ || program_.own_options) return found;
    from_ = &program_;
    return arity(program_, name);
  }

  void see(std::string_view name) {
    if (seen_.size() < kMostOptions) seen_.emplace_back(name);
  }

  void unlisted(std::string_view name) { fault("the option " + quote(std::string(name))); }

  void option(const Value& word) {
    const std::string_view text = word.text;
    const std::size_t known = word.literal() ? text.size() : word.holes.front().begin;
    const std::string_view name = text.substr(0, text.find('='));
    const bool cluster_only = text.substr(0, 2) != "--" && !spec_->single_dash_long;
    if (name.size() > known) {
      if (cluster_only) return cluster(word, known);
      if (spec_->any_words) return;
      return fault(quote(word.text) + ", which may become another option");
    }
    if (const Arity found = arity(name); found != Arity::kUnlisted) {
      see(name);
      if (name.size() < text.size()) {
        value(name, command::tail_of(word, name.size() + 1));
      } else if (found == Arity::kValue) {
        next_word(name);
      }
      return;
    }
    if (!cluster_only) return unlisted(name);
    cluster(word, known);
  }

  // -rnE, -n5, -U3
  void cluster(const Value& word, std::size_t known) {
    const std::string_view text = word.text;
    for (std::size_t letter = 1; letter < text.size(); ++letter) {
      if (letter >= known) {
        if (spec_->any_words) return;
        return fault(quote(word.text) + ", which may become another option");
      }
      if (spec_->digits && std::isdigit(static_cast<unsigned char>(text[letter])) != 0) continue;
      const char name[] = {text[0], text[letter], '\0'};
      const Arity found = arity(name);
      if (found == Arity::kUnlisted) return unlisted(name);
      see(name);
      if (found == Arity::kNone) continue;
      if (letter + 1 < text.size()) {
        return value(name, command::tail_of(word, letter + 1));
      }
      if (found == Arity::kValue) next_word(name);
      return;
    }
  }

  void next_word(std::string_view name) {
    if (at_ + 1 >= argv_.size()) return;
    ++at_;
    if (splits(argv_[at_]) && !spec_->any_words) {
      return fault(quote(argv_[at_].text) + ", which may become an option");
    }
    value(name, argv_[at_]);
  }

  void value(std::string_view name, const Value& written) {
    for (const ReadingSpec::Only& only : from_->only) {
      if (!names(only.options, name)) continue;
      const bool fits = std::any_of(
          only.globs.begin(), only.globs.end(),
          [&](const std::string& glob) { return command::glob_matches(glob, written); });
      if (!fits) fault("the option " + quote(std::string(name)) + " with " + quote(written.text));
    }
  }

  void operand(const Value& word) {
    ++operands_;
    complete_ = true;
    ended_ = ended_ || spec_->options_first;
    if (spec_->most_operands >= 0 && operands_ > static_cast<std::size_t>(spec_->most_operands)) {
      return fault("the operand " + quote(word.text));
    }
    if (spec_->most_operands >= 0 && may_be_several(word)) {
      return fault(quote(word.text) + ", which may become several words");
    }
    const auto fits = [&](const std::string& glob) { return command::glob_matches(glob, word); };
    const auto may_fit = [&](const std::string& glob) {
      return command::glob_may_match(glob, word);
    };
    const std::vector<std::string>& wanted = spec_->operand;
    const std::vector<std::string>& unwanted = spec_->not_operand;
    const bool listed = wanted.empty() || std::any_of(wanted.begin(), wanted.end(), fits);
    if (!listed || std::any_of(unwanted.begin(), unwanted.end(), may_fit)) {
      fault("the operand " + quote(word.text));
    }
  }

  bool saw_one_of(std::string_view options) const {
    return std::any_of(seen_.begin(), seen_.end(),
                       [&](const std::string& each) { return names(options, each); });
  }

  void end_of_words() {
    if (!program_.subcommands.empty() && !named_) {
      if (!words_.empty()) return fault("the subcommand " + quote(words_));
      if (operands_ > 0) return fault("its subcommand");
      if (!program_.alone) return fault("it without a subcommand");
    }
  }

  void end() {
    if (!spec_->needs.empty() && !saw_one_of(spec_->needs)) {
      return fault("it without one of " + trimmed(spec_->needs));
    }
    if (operands_ > 0 && !spec_->needs_for_operands.empty() &&
        !saw_one_of(spec_->needs_for_operands)) {
      fault("operands without one of " + trimmed(spec_->needs_for_operands));
    }
  }

  const std::vector<Value>& argv_;
  const ReadingSpec& program_;
  const ReadingSpec* spec_;            // of the subcommand, as far as it is read
  const ReadingSpec* from_ = nullptr;  // the one that lists the last option
  std::size_t at_ = 0;
  std::size_t operands_ = 0;
  bool ended_ = false;     // there was a --
  bool complete_ = false;  // there was an operand behind the subcommand
  bool named_ = false;     // the words so far are a whole subcommand
  std::string words_;
  std::vector<std::string> seen_;  // options
  std::optional<std::string> fault_;
};

const ReadingSpec* spec_of(const command::Knowledge& knowledge, const std::string& program) {
  return knowledge.reading.find(program);
}

bool is_harmless(const std::string& variable, const ReadingSpec& spec,
                 const command::Knowledge& knowledge) {
  if (spec.sets_variables) return !knowledge.configures(variable);
  const std::vector<std::string>& globs = knowledge.reading_variables.harmless;
  return std::any_of(globs.begin(), globs.end(), [&](const std::string& glob) {
    return command::glob_matches(glob, std::string_view(variable));
  });
}

}  // namespace

std::optional<std::string> unread(const command::SimpleCommand& command,
                                  const command::Knowledge& knowledge) {
  for (const auto& words : command.started_by) {
    const std::string_view written = words->front().text;
    const std::string name(written.substr(written.rfind('/') + 1));
    const ReadingSpec* spec = words->front().literal() ? spec_of(knowledge, name) : nullptr;
    if (spec == nullptr) return "the program " + quote(name);
    if (auto found = Reader(*words, *spec).unread(true)) return name + " with " + *found;
  }
  const ReadingSpec* spec = spec_of(knowledge, command.program);
  if (spec == nullptr) return "the program " + quote(command.program);
  for (const command::NamedValue& each : command.assignments) {
    if (!is_harmless(each.name, *spec, knowledge)) return "the variable " + quote(each.name);
  }
  return Reader(command.argv, *spec).unread(false);
}

}  // namespace gibbous::rules
