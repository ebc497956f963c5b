// Function definitions, which are walked where they are called. Traps run when the line ends, and
// functions that are never called may run at any time.
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {

void Analyser::define_function(const Node& node) {
  if (node.children.empty()) return;
  const Function::Body body{node.children[0].get(), source_};
  scope_.define(node.name, body);
  definitions_.push_back({node.name, body, nesting_, code_base_, dialect_, depth_});
  std::vector<Access> accesses;
  apply_redirections(node.redirections, {}, &accesses);
  note_redirections(std::move(accesses), node.range);
  if (!all_ascii(node.name)) doubt(Doubt::kEncoding, node.range, node.name);
}

// A trap runs with the values that its variables have last.
void Analyser::run_traps() {
  constexpr std::size_t kTrapCost = 4096;  // in bytes of text
  for (std::size_t at = 0; at < traps_.size() && spend(kTrapCost); ++at) {
    const Trap trap = traps_[at];
    nesting_ = trap.nesting;
    source_ = trap.source;
    dialect_ = trap.dialect;
    shell_code(trap.text, trap.command, "trap", {});
  }
  nesting_.clear();
}

// A script that sources this code, or a trap, may call a function that is not called here.
void Analyser::call_uncalled() {
  if (definitions_.empty()) return;
  const Scope::Mark begin = scope_.mark();
  scope_.blur();
  const auto nesting = std::exchange(nesting_, {});
  const auto base = std::exchange(code_base_, {});
  for (std::size_t at = 0; at < definitions_.size() && !full(); ++at) {
    if (walked_bodies_.count(definitions_[at].body.node) > 0) continue;
    const Definition definition = definitions_[at];
    nesting_ = definition.nesting;
    code_base_ = definition.code_base;
    dialect_ = definition.dialect;
    // What it evaluates may define another, and that one another.
    const int depth = std::exchange(depth_, definition.depth);
    const Scope::Mark mark = scope_.mark();
    scope_.define(definition.name, definition.body);
    call_function(definition.name, {}, SimpleCommand{}, {});
    scope_.restore(mark);
    depth_ = depth;
  }
  nesting_ = nesting;
  code_base_ = base;
  scope_.restore(begin);
}

}  // namespace gibbous::command
