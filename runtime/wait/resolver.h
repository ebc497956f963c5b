// Resolver: a host name into addresses, through uv_getaddrinfo. Used by ConnectProbe for names that
// are not literals or "localhost". Loop thread only (libuv asks on a thread of its pool).
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
  // The addresses, or none and why.
  using OnDone = std::function<void(std::vector<Address>, std::string trouble)>;

  // on_done comes from the loop, once. The object frees itself after it, or after cancel(). Null
  // when the question cannot even be asked; `trouble` says why.
  static Resolver* start(uv_loop_s* loop, OpenHandles& handles, const std::string& name,
                         OnDone on_done, std::string& trouble);
  // on_done does not come any more.
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
