#include "bindings/lua/policy/policy_guard.h"

#include <algorithm>
#include <utility>
#include <vector>

namespace gibbous::lua {
namespace {

const std::vector<std::string> kNetworkOrder = {"on", "checked", "loopback", "off"};

std::size_t strictness(const Json& sandbox) {
  const std::string network = sandbox.value("network", "on");
  const auto found = std::find(kNetworkOrder.begin(), kNetworkOrder.end(), network);
  return static_cast<std::size_t>(found - kNetworkOrder.begin());
}

// Whether a path is one of these directories or below one, as they are written.
bool is_below_any(const std::string& path, const Json& directories) {
  return std::any_of(directories.begin(), directories.end(), [&path](const Json& each) {
    std::string directory = each.get<std::string>();
    while (!directory.empty() && directory.back() == '/') directory.pop_back();
    return directory.empty() || path == directory || path.starts_with(directory + "/");
  });
}

// What is below a directory of both lists.
Json granted_by_both(const Json& one, const Json& other) {
  Json both = Json::array();
  for (const auto& [from, in] : {std::pair(&one, &other), std::pair(&other, &one)}) {
    for (const Json& path : *from) {
      const bool is_new = std::find(both.begin(), both.end(), path) == both.end();
      if (is_new && is_below_any(path.get<std::string>(), *in)) both.push_back(path);
    }
  }
  return both;
}

Json in_either(const Json& one, const Json& other) {
  Json all = one;
  for (const Json& each : other) {
    if (std::find(all.begin(), all.end(), each) == all.end()) all.push_back(each);
  }
  return all;
}

Json list_of(const Json& sandbox, const char* name) {
  const auto found = sandbox.find(name);
  return found != sandbox.end() && found->is_array() ? *found : Json::array();
}

}  // namespace

Json stricter_sandbox(const Json& one, const Json& other) {
  if (!one.is_object()) return other;
  if (!other.is_object() || one == other) return one;
  Json both = one;
  const std::string first = one.value("profile", "");
  const std::string second = other.value("profile", "");
  if (first != second) both["profile"] = first + "+" + second;
  for (const char* name : {"read", "write", "opened", "layered", "visible", "views"}) {
    both[name] = granted_by_both(list_of(one, name), list_of(other, name));
  }
  for (const char* name : {"unreadable", "unwritable", "pinned", "occupied"}) {
    both[name] = in_either(list_of(one, name), list_of(other, name));
  }
  const std::size_t network = std::max(strictness(one), strictness(other));
  // A network that is not known is an error of the profile, which is said where it is used.
  both["network"] = network < kNetworkOrder.size()
                        ? Json(kNetworkOrder[network])
                        : (strictness(one) == network ? one["network"] : other["network"]);
  both["min_landlock_abi"] =
      std::max(one.value("min_landlock_abi", 0), other.value("min_landlock_abi", 0));
  if (other.value("copied", false)) both["copied"] = true;
  if (!other.value("signs", false)) both.erase("signs");
  if (other.value("temporary", "") == "session") both["temporary"] = "session";
  // Ports lead out of a network of one's own; where one has none of these, the other's count.
  const bool one_has = strictness(one) > 0;
  const bool other_has = strictness(other) > 0;
  Json ports = Json::array();
  for (const Json& port : list_of(one_has ? one : other, "host_ports")) {
    const Json in_other = list_of(other, "host_ports");
    const bool counts = !one_has || !other_has ||
                        std::find(in_other.begin(), in_other.end(), port) != in_other.end();
    if (counts) ports.push_back(port);
  }
  both.erase("host_ports");
  if (both["network"] != "off" && !ports.empty()) both["host_ports"] = std::move(ports);
  return both;
}

void tighten(Verdict* verdict, Verdict guard, const std::string& name) {
  const auto add_asks = [&] {
    for (const std::string& id : guard.asks) verdict->asks.push_back(name + ":" + id);
  };
  if (guard.decision > verdict->decision) {
    if (guard.decision != Verdict::Decision::kAsk) verdict->asks.clear();
    verdict->decision = guard.decision;
    verdict->rule = name + ":" + guard.rule;
    verdict->reason = std::move(guard.reason);
    verdict->file = std::move(guard.file);
    verdict->line = guard.line;
    if (verdict->judgement == nullptr) verdict->judgement = guard.judgement;
    add_asks();
  } else if (guard.decision == Verdict::Decision::kAsk &&
             verdict->decision == Verdict::Decision::kAsk) {
    add_asks();
  }
  if (verdict->decision == Verdict::Decision::kDeny) return;
  verdict->sandbox = stricter_sandbox(verdict->whole_sandbox(), guard.whole_sandbox());
  if (!guard.limits.is_object()) return;
  if (!verdict->limits.is_object()) verdict->limits = Json::object();
  for (const auto& [limit, value] : guard.limits.items()) {
    const auto found = verdict->limits.find(limit);
    if (found == verdict->limits.end() || value < *found) verdict->limits[limit] = value;
  }
}

}  // namespace gibbous::lua
