// One uv_getaddrinfo_t per lookup. A request that a pool thread has begun cannot be cancelled: the
// object then lives on without its callback until libuv answers.
#include "runtime/wait/resolver.h"

#include <netdb.h>
#include <sys/socket.h>
#include <uv.h>

#include <utility>

#include "runtime/base/open_handles.h"

namespace gibbous {

Resolver::Resolver(OpenHandles& handles, OnDone on_done)
    : handles_(handles), on_done_(std::move(on_done)), request_(new uv_getaddrinfo_t) {
  request_->data = this;
}

Resolver::~Resolver() {
  delete request_;
}

Resolver* Resolver::start(uv_loop_s* loop, OpenHandles& handles, const std::string& name,
                          OnDone on_done, std::string& trouble) {
  auto* resolver = new Resolver(handles, std::move(on_done));
  addrinfo hints{};
  hints.ai_socktype = SOCK_STREAM;
  const auto on_answer = [](uv_getaddrinfo_t* request, int status, addrinfo* list) noexcept {
    std::vector<Address> addresses;
    for (const addrinfo* entry = list; entry != nullptr; entry = entry->ai_next) {
      if (auto address = Address::from(entry->ai_addr)) addresses.push_back(*address);
    }
    uv_freeaddrinfo(list);
    static_cast<Resolver*>(request->data)->finish(status, std::move(addresses));
  };
  const int error =
      uv_getaddrinfo(loop, resolver->request_, on_answer, name.c_str(), nullptr, &hints);
  if (error != 0) {
    trouble = uv_strerror(error);
    delete resolver;
    return nullptr;
  }
  handles.opened();
  return resolver;
}

void Resolver::cancel() {
  on_done_ = nullptr;
  uv_cancel(reinterpret_cast<uv_req_t*>(request_));
}

void Resolver::finish(int status, std::vector<Address> addresses) {
  const OnDone on_done = std::move(on_done_);
  OpenHandles& handles = handles_;
  delete this;
  if (on_done) on_done(std::move(addresses), status == 0 ? "" : uv_strerror(status));
  handles.closed();
}

}  // namespace gibbous
