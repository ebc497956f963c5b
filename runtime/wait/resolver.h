// Resolver: resolves a host name to addresses with uv_getaddrinfo. ConnectProbe uses it for names
// that are not literals or "localhost". Loop thread only (libuv asks on a thread of its pool).
#pragma once

#include <functional>
#include <string>
#include <vector>

#include "runtime/wait/address.h"

struct uv_loop_s;
struct uv_getaddrinfo_s;

namespace gibbous {

class OpenHandles;

class Resolver {
 public:
  // Receives the addresses, or none and the reason.
  using OnDone = std::function<void(std::vector<Address>, std::string trouble)>;

  // The loop calls on_done once. The object frees itself after it, or after cancel(). Null when the
  // lookup cannot even begin; `trouble` says why.
  static Resolver* start(uv_loop_s* loop, OpenHandles& handles, const std::string& name,
                         OnDone on_done, std::string& trouble);
  // Prevents on_done.
  void cancel();

 private:
  Resolver(OpenHandles& handles, OnDone on_done);
  ~Resolver();
  void finish(int status, std::vector<Address> addresses);

  OpenHandles& handles_;
  OnDone on_done_;
  uv_getaddrinfo_s* request_;
};

}  // namespace gibbous
