#include "bindings/lua/call/in_order.h"

#include <utility>

namespace gibbous::lua {

void InOrder::run(const std::string& session, Step step) {
  Line& line = (*lines_)[session];
  line.steps.push_back(std::move(step));
  if (line.steps.size() > 1) return;
  line.is_over = true;  // there is no step before it
  line.steps.push_front(nullptr);
  advance(lines_, session);
}

// Goes on while steps are done at once, so that many of them take no deep stack.
void InOrder::advance(const std::shared_ptr<Lines>& lines, const std::string& session) {
  const auto found = lines->find(session);
  if (found == lines->end() || std::exchange(found->second.in_loop, true)) return;
  Line& line = found->second;
  while (line.is_over) {
    line.steps.pop_front();
    if (line.steps.empty()) {
      lines->erase(found);
      return;
    }
    line.is_over = false;
    const Step step = line.steps.front();
    step([weak = std::weak_ptr<Lines>(lines), session] {
      const auto alive = weak.lock();
      if (!alive) return;
      const auto own = alive->find(session);
      if (own == alive->end()) return;
      own->second.is_over = true;
      advance(alive, session);
    });
  }
  line.in_loop = false;
}

}  // namespace gibbous::lua
