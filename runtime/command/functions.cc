// Functions, which are walked where they are called, and what runs later: traps, when the line
// ends, and functions that are never called, at any time.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxFunctionDepth = 32;
constexpr std::size_t kCallCost = 512;
constexpr std::size_t kLaterCost = 4096;  // in bytes of text

}  // namespace

void Analyser::define_function(const Node& node) {
  if (node.children.empty()) return;
  const Function::Body body{node.children[0].get(), source_};
  scope_.define(node.name, body);
  later([this, body, name = node.name] {
    if (walked_bodies_.contains(body.node)) return;
    const Scope::Mark mark = scope_.mark();
    scope_.forget_all();
    scope_.enter({scope_.cwd().paths, true});
    scope_.define(name, body);
    call_function(name, {}, SimpleCommand{}, {});
    scope_.restore(mark);
  });
  std::vector<Access> accesses;
  apply_redirections(node.redirections, {}, &accesses);
  note_redirections(std::move(accesses));
  if (!all_ascii(node.name)) doubt(Doubt::kEncoding, node.name);
}

void Analyser::later(std::function<void()> walk) {
  if (done_ || later_.size() >= limits_.commands) return;
  later_.push_back({std::move(walk), nesting_, code_base_, source_, dialect_, depth_});
}

void Analyser::run_later() {
  for (std::size_t at = 0; at < later_.size() && spend(kLaterCost); ++at) {
    const Later each = later_[at];  // what it walks may add another
    nesting_ = each.nesting;
    code_base_ = each.code_base;
    source_ = each.source;
    dialect_ = each.dialect;
    depth_ = each.depth;
    each.walk();
  }
}

bool Analyser::call_function(const std::string& name, const std::vector<Value>& argv,
                             const SimpleCommand& base, const Feed& feed) {
  const Function* found = scope_.function(name);
  if (found == nullptr) return false;
  const Function function = *found;
  const auto active = std::find_if(active_.begin(), active_.end(), [&](const Active& each) {
    return each.name == name && std::any_of(function.bodies.begin(), function.bodies.end(),
                                            [&](const auto& one) { return one.node == each.body; });
  });
  if (active != active_.end()) {
    for (const Value& word : argv) flow(kPositional, word);
    const bool at_once = std::any_of(
        nesting_.begin() + static_cast<std::ptrdiff_t>(active->nesting), nesting_.end(),
        [](const Nesting& each) {
          return each.kind == Nesting::Kind::kPipeline || each.kind == Nesting::Kind::kBackground;
        });
    // It runs with any words, and in any state that the first call left.
    doubt(at_once ? Doubt::kForkBomb : Doubt::kUnparsed, name);
    return true;
  }
  if (active_.size() >= kMaxFunctionDepth) {
    spend(limits_.code_bytes * 64);
    return true;
  }
  if (!spend(kCallCost)) return true;
  const auto positional = scope_.positional();
  const Scope::Mark mark = scope_.mark();
  note_redirections(base.accesses);
  for (const Function::Body& body : function.bodies) {
    if (full()) break;
    const Scope::Mark one = scope_.mark();
    walked_bodies_.insert(body.node);
    active_.push_back({name, body.node, nesting_.size() + 1, depth_ + 1, {}});
    set_positional(argv, std::min<std::size_t>(argv.size(), 1));
    if (argv.empty()) scope_.set_positional(std::nullopt);
    const int source = std::exchange(source_, body.source);
    ++depth_;
    {
      const Nest nest(*this, Nesting::Kind::kFunction, name);
      walk(*body.node, feed);
    }
    --depth_;
    source_ = source;
    for (const std::string& local : active_.back().locals) scope_.forget(local);
    active_.pop_back();
    if (function.bodies.size() > 1) scope_.merge(one);
  }
  scope_.set_positional(positional);
  if (!function.certain) scope_.merge(mark);
  return true;
}

}  // namespace gibbous::command
