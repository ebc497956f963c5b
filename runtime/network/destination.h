// Where an address of a program leads. Keeper only.
#pragma once

#include <netinet/in.h>
#include <sys/socket.h>

#include <cstdint>
#include <optional>
#include <string>

namespace gibbous::network {

// Addresses of IPv4 are kept as ::ffff:a.b.c.d.
struct Destination {
  in6_addr address{};
  std::uint16_t port = 0;

  // Nothing for an address of another family, or one that is too short. 0.0.0.0 and :: become
  // 127.0.0.1 and ::1 in `address`, too: what is judged is what is connected to.
  static std::optional<Destination> read(sockaddr_storage& address, socklen_t size);
  // 127.0.0.1 or ::1.
  static Destination loopback(std::uint16_t port, bool v6);
  bool is_loopback() const;
  // Link-local, to many machines, or where clouds give credentials away.
  bool is_never_reached() const;
  // Whether what listens at an address may get what is sent to this one.
  bool leads_to(const std::string& listening) const;
  std::string text() const;  // "127.0.0.1:80", "[::1]:80"
};

// Whether /etc/resolv.conf names it, and the port is that of name servers.
bool is_name_server(const Destination& destination);

}  // namespace gibbous::network
