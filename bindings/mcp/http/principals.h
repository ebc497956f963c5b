// Principals: those who have a token of the configuration, and who handles their requests. Loop
// thread only.
#pragma once

#include <string>
#include <string_view>
#include <vector>

namespace gibbous::mcp::http {

class RequestHandler;

class Principals {
 public:
  // `digest`: the SHA-256 of the token, as small hexadecimal digits; it takes the place of an
  // earlier one. `handler` must outlive this, or be removed.
  void put(RequestHandler& handler, std::string digest);
  void remove(const RequestHandler& handler);
  bool empty() const { return entries_.empty(); }
  // Looks at all of them, in a time that does not depend on whose token it is. Null: it is of none.
  RequestHandler* find(std::string_view token) const;

 private:
  struct Entry {
    RequestHandler* handler = nullptr;
    std::string digest;
  };
  std::vector<Entry> entries_;
};

}  // namespace gibbous::mcp::http
