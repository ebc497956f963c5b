#include "runtime/wait/reach.h"

#include <utility>

namespace gibbous {

void reach(Runs& runs, WaitSpec* spec) {
  for (Condition& condition : spec->conditions) {
    const Run* run = runs.find(condition.run);
    if (condition.kind != ConditionKind::kPort || run == nullptr || !run->spec().execution)
      continue;
    const Execution& execution = *run->spec().execution;
    for (const PortMapping& mapping : execution.ports) {
      if (mapping.port != condition.port || !condition.host.empty()) continue;
      condition.mapped_from = std::exchange(condition.port, mapping.host);
      condition.host = execution.address.empty() ? "127.0.0.1" : execution.address;
      break;
    }
  }
}

}  // namespace gibbous
