#include "runtime/command/arguments.h"

#include <algorithm>

#include "runtime/command/flags.h"

namespace gibbous::command {
namespace {

constexpr int kMaxSubcommandWords = 3;
// No real cluster of letters is longer; a longer one is taken to contain every flag.
constexpr std::size_t kMaxCluster = 256;

bool listed(const std::vector<std::string>& names, std::string_view name) {
  return std::find(names.begin(), names.end(), name) != names.end();
}

// A long option may be abbreviated as long as it stays unambiguous.
bool listed_long(const std::vector<std::string>& names, std::string_view name) {
  if (listed(names, name)) return true;
  if (name.size() < 3) return false;
  for (const std::string& each : names) {
    if (each.size() > name.size() && each.compare(0, name.size(), name) == 0 && each[1] == '-')
      return true;
  }
  return false;
}

class Splitter {
 public:
  Splitter(const std::vector<Value>& argv, const ProgramSpec* spec) : argv_(argv) {
    made_.program = spec;
    made_.spec = spec;
    const auto takes_code = [](const RunsSpec& runs) { return runs.how == RunsSpec::How::kOption; };
    shell_ = spec != nullptr && std::any_of(spec->runs.begin(), spec->runs.end(), takes_code);
  }

  Arguments split() {
    bool ended = false;
    for (std::size_t at = 1; at < argv_.size(); ++at) {
      const std::string& text = argv_[at].text;
      const bool dashes = text == "--" || (shell_ && text == "-");  // sh - FILE
      if (!ended && dashes && argv_[at].literal() && at + 1 < argv_.size()) {
        ended = true;
        made_.after_dashes = static_cast<int>(at) + 1;
        continue;
      }
      const bool option = !ended && text.size() > 1 &&
                          (text[0] == '-' || (shell_ && text[0] == '+')) &&
                          !argv_[at].starts_unknown();
      if (!option) {
        if (take_subcommand(at)) continue;
        made_.operands.push_back(static_cast<int>(at));
        if (made_.program != nullptr && made_.spec->options_first) ended = true;
        continue;
      }
      made_.options.push_back(static_cast<int>(at));
      if (take_value(at, text)) ++at;
    }
    return std::move(made_);
  }

 private:
  // The words of a subcommand come before every other operand.
  bool take_subcommand(std::size_t at) {
    if (made_.program == nullptr || made_.program->subcommands.empty()) return false;
    if (!made_.operands.empty() || words_ == kMaxSubcommandWords) return false;
    if (!argv_[at].literal()) return false;
    const auto& known = made_.program->subcommands;
    const std::string longer =
        made_.subcommand.empty() ? argv_[at].text : made_.subcommand + " " + argv_[at].text;
    const auto found = known.find(longer);
    if (found != known.end()) {
      made_.spec = found->second.get();
    } else if (!made_.subcommand.empty() || !starts_one(longer)) {
      return false;
    }
    made_.subcommand = longer;
    ++words_;
    return true;
  }

  // "remote" when only "remote add" is known.
  bool starts_one(const std::string& words) const {
    const auto& known = made_.program->subcommands;
    const auto next = known.lower_bound(words + " ");
    return next != known.end() && next->first.compare(0, words.size() + 1, words + " ") == 0;
  }

  // Most programs also take their own options after a subcommand (go build -o). Those that do not
  // (git) have options_first.
  bool takes_value(std::string_view name) const {
    if (made_.spec != nullptr && listed_long(made_.spec->values, name)) return true;
    if (made_.program == nullptr || made_.program == made_.spec) return false;
    const bool nothing_said =
        made_.spec == nullptr || (made_.spec->values.empty() && made_.spec->runs.empty());
    const bool behind = nothing_said && !made_.program->options_first;
    return (made_.subcommand.empty() || behind) && listed_long(made_.program->values, name);
  }

  // Returns true if the next word is the value of this option.
  bool take_value(std::size_t at, const std::string& text) {
    const ProgramSpec* spec = made_.spec;
    const bool single = (spec != nullptr && spec->single_dash_long) ||
                        (made_.program != nullptr && made_.program->single_dash_long);
    const std::size_t equals = text.find('=');
    const bool is_long = text[1] == '-' || single;
    if (is_long) {
      const std::string_view name = std::string_view(text).substr(0, equals);
      if (equals != std::string::npos) {
        add(std::string(name), tail_of(argv_[at], equals + 1), at);
        return false;
      }
      if (!takes_value(name) || at + 1 >= argv_.size()) return false;
      add(std::string(name), argv_[at + 1], at + 1);
      return true;
    }
    for (std::size_t letter = 1; letter < std::min(text.size(), kMaxCluster); ++letter) {
      if (text[letter] == '=') return false;
      const std::string name = {'-', text[letter]};
      if (!takes_value(name)) continue;
      if (letter + 1 < text.size()) {
        const std::size_t from = letter + 1 + (text[letter + 1] == '=' ? 1 : 0);
        add(name, tail_of(argv_[at], from), at);
        return false;
      }
      if (at + 1 >= argv_.size()) return false;
      add(name, argv_[at + 1], at + 1);
      return true;
    }
    return false;
  }

  void add(std::string option, Value value, std::size_t argument) {
    made_.values.push_back({std::move(option), std::move(value), static_cast<int>(argument)});
  }

  const std::vector<Value>& argv_;
  Arguments made_;
  bool shell_ = false;  // +x is an option too
  int words_ = 0;
};

bool has_value(const ProgramSpec* spec, const std::string& option) {
  return spec != nullptr && listed(spec->values, option);
}

bool same_option(const std::string& wanted, const std::string& found) {
  if (wanted == found) return true;
  return found.size() >= 3 && wanted.size() > found.size() && wanted[1] == '-' &&
         wanted.compare(0, found.size(), found) == 0;
}

}  // namespace

void append_value(const Value& from, Value* to) {
  const auto offset = static_cast<std::uint32_t>(to->text.size());
  to->text += from.text;
  for (Value::Hole hole : from.holes) {
    hole.begin += offset;
    hole.end += offset;
    to->holes.push_back(hole);
  }
}

Value tail_of(const Value& value, std::size_t from) {
  Value tail = value;
  from = std::min(from, value.text.size());
  tail.text.erase(0, from);
  tail.holes.clear();
  for (Value::Hole hole : value.holes) {
    if (hole.end <= from) continue;
    hole.begin = hole.begin > from ? hole.begin - static_cast<std::uint32_t>(from) : 0;
    hole.end -= static_cast<std::uint32_t>(from);
    tail.holes.push_back(hole);
  }
  return tail;
}

Arguments split_arguments(const std::vector<Value>& argv, const ProgramSpec* spec) {
  return Splitter(argv, spec).split();
}

bool any_flag(const std::vector<Value>& argv, const Arguments& arguments,
              const std::vector<std::string>& flags) {
  for (const std::string& flag : flags) {
    for (const int index : arguments.options) {
      if (is_flag(argv[static_cast<std::size_t>(index)], arguments.spec, flag)) return true;
    }
    if (flag[0] == '-') continue;
    for (const int index : arguments.operands) {  // a word: "install"
      if (argv[static_cast<std::size_t>(index)].text == flag) return true;
    }
  }
  return false;
}

std::vector<Selected> select(const std::vector<Value>& argv, const Arguments& arguments,
                             const std::vector<Selector>& selectors) {
  std::vector<Selected> found;
  const auto& operands = arguments.operands;
  const auto take = [&](std::size_t from, std::size_t to) {
    for (std::size_t at = from; at < to && at < operands.size(); ++at) {
      const auto index = static_cast<std::size_t>(operands[at]);
      found.push_back({argv[index], operands[at]});
    }
  };
  const std::size_t count = operands.size();
  for (const Selector& selector : selectors) {
    switch (selector.kind) {
      case Selector::Kind::kOperands:
        take(0, count);
        break;
      case Selector::Kind::kFirst:
        take(0, 1);
        break;
      case Selector::Kind::kSecond:
        take(1, 2);
        break;
      case Selector::Kind::kRest:
        take(1, count);
        break;
      case Selector::Kind::kLast:
        take(count == 0 ? 0 : count - 1, count);
        break;
      case Selector::Kind::kButLast:
        take(0, count == 0 ? 0 : count - 1);
        break;
      case Selector::Kind::kOptions:
        for (const OptionValue& each : arguments.values) {
          // --exclude abbreviates nothing where it is an option itself.
          const bool whole =
              has_value(arguments.spec, each.option) || has_value(arguments.program, each.option);
          for (const std::string& option : selector.options) {
            if (whole ? option != each.option : !same_option(option, each.option)) continue;
            found.push_back({each.value, each.argument});
            break;
          }
        }
        break;
      case Selector::Kind::kPrefix:
        for (const int index : operands) {
          const Value& value = argv[static_cast<std::size_t>(index)];
          const std::size_t size = selector.prefix.size();
          if (value.text.compare(0, size, selector.prefix) != 0) continue;
          if (!value.holes.empty() && value.holes.front().begin < size) continue;
          found.push_back({tail_of(value, size), index});
        }
        break;
      case Selector::Kind::kWords:
        for (std::size_t at = 1; at < argv.size(); ++at)
          found.push_back({argv[at], static_cast<int>(at)});
        break;
      case Selector::Kind::kUrlNames:
        for (const int index : operands) {
          const Value& value = argv[static_cast<std::size_t>(index)];
          const std::string path = value.text.substr(0, value.text.find_first_of("?#"));
          const std::size_t slash = path.rfind('/');
          if (path.find("://") == std::string::npos || slash == std::string::npos) continue;
          Value name = tail_of(value, slash + 1);
          if (name.literal()) name.text = path.substr(slash + 1);
          if (!name.text.empty()) found.push_back({std::move(name), index});
        }
        break;
      case Selector::Kind::kHere:
        found.push_back({Value{"."}, -1});
        break;
      case Selector::Kind::kAfterDashes:
        for (std::size_t at = static_cast<std::size_t>(arguments.after_dashes);
             arguments.after_dashes >= 0 && at < argv.size(); ++at)
          found.push_back({argv[at], static_cast<int>(at)});
        break;
    }
  }
  return found;
}

}  // namespace gibbous::command
