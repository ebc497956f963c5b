// Compound commands: the order of execution, the parts that may not run, and the pipes between
// commands.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr int kMaxTurns = 3;           // loops in loops whose turns are told apart
constexpr std::size_t kNodeCost = 48;  // in bytes of text

// Returns the simple command that `node` is, or ends with.
const Node* last_simple(const Node& node) {
  const Node* at = &node;
  while (!at->children.empty() &&
         (at->kind == Node::Kind::kPipeline || at->kind == Node::Kind::kList ||
          at->kind == Node::Kind::kGroup)) {
    const bool one = at->children.size() == 1 || at->kind == Node::Kind::kList;
    if (!one || (at->kind == Node::Kind::kGroup && !at->redirections.empty())) return nullptr;
    if (at->kind == Node::Kind::kList && at->children.size() > 1 &&
        (at->operators[at->children.size() - 2] != Node::Operator::kSequence ||
         at->operators.back() == Node::Operator::kBackground))
      return nullptr;
    at = at->children.back().get();
  }
  return at->kind == Node::Kind::kSimple ? at : nullptr;
}

// Returns the only simple command of `node`, or null.
const Node* only_simple(const Node& node) {
  const Node* at = &node;
  while (at->children.size() == 1 &&
         (at->kind == Node::Kind::kPipeline || at->kind == Node::Kind::kList)) {
    at = at->children[0].get();
  }
  return at->kind == Node::Kind::kSimple ? at : nullptr;
}

}  // namespace

// A file that cannot be opened keeps a command from running. /dev/null always opens.
bool may_fail(const std::vector<Redirection>& redirections) {
  return std::any_of(redirections.begin(), redirections.end(), [](const Redirection& each) {
    using Op = Redirection::Op;
    if (each.op == Op::kHere || each.op == Op::kHereString) return false;
    const auto& parts = each.target.parts;
    const bool plain = parts.size() == 1 && parts[0].kind == Part::Kind::kText;
    return !plain || (parts[0].text != "/dev/null" && parts[0].text != "1" && parts[0].text != "2");
  });
}

void add_programs(const std::vector<SimpleCommand>& commands, std::size_t from, std::size_t to,
                  std::vector<std::string>* into) {
  for (std::size_t at = from; at < to && into->size() < kMaxNeighbours; ++at) {
    if (!commands[at].program.empty()) into->push_back(commands[at].program);
  }
}

Analyser::Nest::Nest(Analyser& analyser, Nesting::Kind kind, std::string by) : analyser_(analyser) {
  analyser_.nesting_.push_back({kind, std::move(by)});
}

// Returns true for exit, return, break and continue, after which nothing follows an ||.
bool Analyser::leaves(const Node& node) {
  const Node* at = last_simple(node);
  if (at == nullptr || at->words.empty() || at->words.size() > 2 || !at->redirections.empty() ||
      !at->assignments.empty())
    return false;
  for (const Word& word : at->words) {
    if (word.parts.size() != 1 || word.parts[0].kind != Part::Kind::kText) return false;
  }
  const bool number = at->words.size() == 1 || at->words[1].parts[0].text.find_first_not_of(
                                                   "0123456789") == std::string::npos;
  const std::string& name = at->words[0].parts[0].text;
  if (!number || scope_.function(name) != nullptr) return false;
  if (name == "exit") return true;
  if (name == "return") return !active_.empty() && depth_ == active_.back().depth;
  if (name != "break" && name != "continue") return false;
  for (std::size_t each = nesting_.size(); each-- > 0;) {
    const Nesting::Kind kind = nesting_[each].kind;
    if (kind == Nesting::Kind::kLoop) return true;
    if (kind != Nesting::Kind::kCondition) return false;
  }
  return false;
}

// Returns true for one simple command without any commands inside its words.
bool Analyser::is_plain(const Node& node, std::size_t first) const {
  return only_simple(node) != nullptr && facts_.commands.size() == first + 1 &&
         facts_.commands[first].nesting.size() == nesting_.size() &&
         facts_.commands[first].wrappers.size() ==
             (code_base_.empty() ? 0 : code_base_.back().wrappers.size());
}

void Analyser::walk(const Node& node, const Feed& feed) {
  constexpr std::size_t kStateCost = 12;  // of a variable that is copied or compared
  if (!spend(kNodeCost + scope_.take_work() * kStateCost)) return;
  if (source_ == 0 && place_.done_bytes > 0 && node.begin != kNoPlace)
    done_ = node.begin < place_.done_bytes;
  switch (node.kind) {
    case Node::Kind::kList:
      return walk_list(node, feed);
    case Node::Kind::kPipeline:
      return walk_pipeline(node, feed);
    case Node::Kind::kSimple:
      return simple(node, feed);
    case Node::Kind::kFunction:
      return define_function(node);
    case Node::Kind::kTest:
      return walk_test(node);
    case Node::Kind::kArithmetic:
      return arithmetic(node.arithmetic);
    case Node::Kind::kSubshell:
    case Node::Kind::kGroup:
    case Node::Kind::kIf:
    case Node::Kind::kWhile:
    case Node::Kind::kFor:
    case Node::Kind::kArithmeticFor:
    case Node::Kind::kCase:
      return walk_compound(node, feed);
  }
}

// a; b && c || d &
void Analyser::walk_list(const Node& node, const Feed& feed) {
  const std::size_t count = node.children.size();
  std::size_t at = 0;
  while (at < count && !full()) {
    // One and-or list: the part after && runs only if everything before it succeeded.
    std::size_t end = at;
    while (end + 1 < count && (node.operators[end] == Node::Operator::kAnd ||
                               node.operators[end] == Node::Operator::kOr))
      ++end;
    const bool background = node.operators[end] == Node::Operator::kBackground;
    if (end == at && !background) {
      const Directory before = scope_.cwd();
      walk(*node.children[at], feed);
      scope_.merge_directory(before);  // the cd may fail
      ++at;
      continue;
    }
    const Scope::Mark before = scope_.mark();
    if (background) nesting_.push_back({Nesting::Kind::kBackground, ""});
    bool open = false;  // since `perhaps`, some parts may not have run
    bool left = false;  // a failure of the first part ends the line
    Scope::Mark perhaps = before;
    for (std::size_t each = at; each <= end; ++each) {
      const bool either = each > at && node.operators[each - 1] == Node::Operator::kOr;
      if (either) {
        // This part runs if an earlier part failed, at whatever point. Unless it leaves, both ways
        // lead to the next part.
        if (leaves(*node.children[each])) {
          const Scope::Mark mark = scope_.mark();
          walk(*node.children[each], feed);
          scope_.restore(mark);
          open = false;
          left = true;
          perhaps = scope_.mark();
          continue;
        }
        scope_.merge(perhaps);
        scope_.merge_directory(before->cwd);  // it may be the first cd that failed
        perhaps = scope_.mark();
      }
      open = open || each > at;
      const Scope::Mark mark = either ? scope_.mark() : Scope::Mark();
      walk(*node.children[each], feed);
      if (each == at) perhaps = scope_.mark();  // the first part runs in any case
      if (either) scope_.merge(mark);
    }
    if (background) {
      nesting_.pop_back();
      scope_.restore(before);
    } else {
      if (open) scope_.merge(perhaps);
      // The first cd may fail, and the next command runs all the same.
      if (!left) scope_.merge_directory(before->cwd);
    }
    at = end + 1;
  }
}

void Analyser::walk_pipeline(const Node& node, const Feed& feed) {
  const std::size_t count = node.children.size();
  if (count == 1) {
    walk(*node.children[0], feed);
    return;
  }
  const Nest nest(*this, Nesting::Kind::kPipeline);
  std::vector<std::size_t> starts;
  Feed input = feed;
  for (std::size_t at = 0; at < count && !full(); ++at) {
    starts.push_back(facts_.commands.size());
    const Scope::Mark mark = scope_.mark();
    printed_ = {};
    walk(*node.children[at], input);
    scope_.restore(mark);
    if (!is_plain(*node.children[at], starts.back())) {
      printed_.words.reset();
      printed_.text.reset();
    }
    Feed next;
    next.piped = true;
    add_programs(facts_.commands, starts.back(), facts_.commands.size(), &next.programs);
    for (const std::string& program : input.programs) {
      if (next.programs.size() < kMaxNeighbours) next.programs.push_back(program);
    }
    next.decodes = input.decodes || printed_.decodes;
    next.words = std::move(printed_.words);
    next.text = std::move(printed_.text);
    input = std::move(next);
  }
  printed_ = std::move(input);
  // Now the readers of each command's output are known.
  std::vector<std::string> readers;
  std::size_t end = facts_.commands.size();
  for (std::size_t at = starts.size(); at-- > 0;) {
    for (std::size_t each = starts[at]; each < end && at + 1 < starts.size(); ++each) {
      auto& feeds = facts_.commands[each].feeds;
      if (feeds.size() < kMaxNeighbours) feeds.insert(feeds.end(), readers.begin(), readers.end());
    }
    std::vector<std::string> nearer;
    add_programs(facts_.commands, starts[at], end, &nearer);
    for (std::string& reader : readers) {
      if (nearer.size() < kMaxNeighbours) nearer.push_back(std::move(reader));
    }
    readers = std::move(nearer);
    end = starts[at];
  }
}

void Analyser::walk_compound(const Node& node, const Feed& outer) {
  std::vector<Access> accesses;
  const Feed feed = apply_redirections(node.redirections, outer, &accesses);
  note_redirections(std::move(accesses));
  const Scope::Mark mark = scope_.mark();
  if (node.kind == Node::Kind::kSubshell) {
    const Nest nest(*this, Nesting::Kind::kSubshell);
    walk(*node.children[0], feed);
    scope_.restore(mark);
  } else if (node.kind == Node::Kind::kGroup) {
    walk(*node.children[0], feed);
  } else if (node.kind == Node::Kind::kIf || node.kind == Node::Kind::kCase) {
    walk_branches(node, feed);
  } else {
    walk_loop(node, feed);
  }
  if (may_fail(node.redirections)) scope_.merge(mark);
}

// if and case. The condition of an if runs in any case.
void Analyser::walk_branches(const Node& node, const Feed& feed) {
  const Nest nest(*this, Nesting::Kind::kCondition);
  for (const Word& word : node.words) (void)one(word);
  for (const auto& patterns : node.patterns)
    for (const Word& word : patterns) (void)one(word);
  for (std::size_t at = 0; at < node.children.size(); ++at) {
    const Scope::Mark branch = scope_.mark();
    walk(*node.children[at], feed);
    if (at > 0 || node.kind == Node::Kind::kCase) scope_.merge(branch);
  }
}

void Analyser::walk_loop(const Node& node, const Feed& feed) {
  const Nest nest(*this, Nesting::Kind::kLoop);
  facts_.assigns = true;
  arithmetic(node.arithmetic);
  const Scope::Mark mark = scope_.mark();
  if (node.kind == Node::Kind::kFor) {
    scope_.forget("REPLY");  // select sets it
    Variable variable;
    if (node.has_words) {
      for (const Word& word : node.words) {
        for (Arg& arg : fields(word)) {
          flow(node.name, arg.value);
          variable.values.push_back(std::move(arg.value));
        }
      }
    } else {
      flow(node.name, std::string(kPositional));
      if (scope_.positional()) {
        variable.values = *scope_.positional();
      } else {
        variable.unknown = true;
      }
    }
    // A word that splits gives unknown values.
    const std::size_t all = std::erase_if(variable.values, [](const Value& value) {
      const auto splits = [](const Value::Hole& hole) { return hole.splits; };
      return std::any_of(value.holes.begin(), value.holes.end(), splits) && value.starts_unknown();
    });
    variable.unknown = variable.unknown || all > 0 || variable.values.size() > kMaxValues;
    if (variable.values.size() > kMaxValues) variable.values.resize(kMaxValues);
    if (is_name(node.name)) scope_.set(node.name, std::move(variable));
  }
  const auto turn = [&] {
    for (const auto& child : node.children) walk(*child, feed);
    if (node.kind == Node::Kind::kArithmeticFor) arithmetic(node.arithmetic);
  };
  // A turn begins with the state that another one left.
  const Scope::Mark begin = scope_.mark();
  ++turns_;
  turn();
  if (scope_.merge(begin)) {
    if (turns_ > kMaxTurns) {
      scope_.forget_all();
      scope_.enter({scope_.cwd().paths, true});
    }
    turn();
  }
  --turns_;
  scope_.merge(mark);
}

void Analyser::walk_test(const Node& node) {
  facts_.assigns = true;  // -eq evaluates: [[ PATH=1 -eq 1 ]]
  bool pattern = false;   // after =~
  for (const Word& word : node.words) {
    const Value value = one(word);
    flow("BASH_REMATCH", value);
    pattern = pattern || value.text == "=~";
  }
  if (pattern) scope_.forget("BASH_REMATCH");
}

}  // namespace gibbous::command
