#include "runtime/wait/reach.h"

#include <algorithm>
#include <optional>
#include <utility>

#include "runtime/wait/connect_probe.h"
#include "runtime/wait/http_url.h"

namespace gibbous {
namespace {

constexpr char kThisMachine[] = "127.0.0.1";  // where executors publish ports

// An executor's address may be another machine's. Other addresses of this machine mean themselves.
bool names_this_machine(const std::string& host) {
  const std::vector<Address> addresses = known_addresses(host);
  return !addresses.empty() && std::all_of(addresses.begin(), addresses.end(), [](const auto& to) {
    return to == Address::loopback_v4() || to == Address::loopback_v6();
  });
}

struct Reached {
  std::string host;
  int port = 0;
};

std::optional<Reached> reach_port(const Execution& execution, const std::string& host, int port) {
  if (!names_this_machine(host)) return std::nullopt;
  for (const PortMapping& mapping : execution.ports) {
    if (mapping.port != port) continue;
    return Reached{execution.address.empty() ? kThisMachine : execution.address, mapping.host};
  }
  return std::nullopt;
}

void reach_port_condition(const Execution& execution, Condition* condition) {
  const auto reached = reach_port(execution, condition->host, condition->port);
  if (!reached) return;
  condition->mapped_from = std::exchange(condition->port, reached->port);
  condition->host = reached->host;
}

void reach_http_condition(const Execution& execution, Condition* condition) {
  auto url = HttpUrl::parse(condition->url);
  if (!url) return;  // Waits::start reports the error
  const auto reached = reach_port(execution, url->host, url->port);
  if (!reached) return;
  url->host = reached->host;
  url->port = reached->port;
  condition->mapped_url = url->text();
}

}  // namespace

void reach(Runs& runs, WaitSpec* spec) {
  for (Condition& condition : spec->conditions) {
    const Run* run = runs.find(condition.run);
    if (run == nullptr || !run->spec().execution) continue;
    const Execution& execution = *run->spec().execution;
    if (condition.kind == ConditionKind::kPort) reach_port_condition(execution, &condition);
    if (condition.kind == ConditionKind::kHttp) reach_http_condition(execution, &condition);
  }
}

}  // namespace gibbous
