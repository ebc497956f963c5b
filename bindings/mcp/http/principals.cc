// See principals.h.
#include "bindings/mcp/http/principals.h"

#include <algorithm>
#include <utility>

#include "bindings/mcp/http/access.h"
#include "runtime/base/sha256.h"

namespace gibbous::mcp::http {

void Principals::put(RequestHandler& handler, std::string digest) {
  remove(handler);
  entries_.push_back({&handler, std::move(digest)});
}

void Principals::remove(const RequestHandler& handler) {
  const auto is_its = [&handler](const Entry& each) { return each.handler == &handler; };
  entries_.erase(std::remove_if(entries_.begin(), entries_.end(), is_its), entries_.end());
}

RequestHandler* Principals::find(std::string_view token) const {
  if (entries_.empty()) return nullptr;
  const std::string digest = sha256_hex(token);
  RequestHandler* found = nullptr;
  for (const Entry& each : entries_) {
    if (equal_in_constant_time(digest, each.digest)) found = each.handler;
  }
  return found;
}

}  // namespace gibbous::mcp::http
