// Address: an IPv4 or IPv6 address without a port, as probes compare and connect to it. Plain
// value; pure except is_local(), any thread.
#pragma once

#include <array>
#include <cstdint>
#include <optional>
#include <string>

struct sockaddr;
struct sockaddr_storage;

namespace gibbous {

struct Address {
  bool v6 = false;
  std::array<std::uint8_t, 16> bytes{};  // network order; IPv4: the first four
  std::uint32_t scope = 0;               // IPv6 link-local: the interface

  static Address loopback_v4();
  static Address loopback_v6();
  // "127.0.0.1", "::1", "fe80::1%eth0"; an IPv4 address written as IPv6 ("::ffff:1.2.3.4") is IPv4.
  static std::optional<Address> parse(const std::string& text);
  static std::optional<Address> from(const sockaddr* address);

  std::string text() const;
  bool is_unspecified() const;  // 0.0.0.0, ::
  bool is_loopback() const;     // 127.0.0.0/8, ::1
  bool is_local() const;        // belongs to this machine: a socket can be bound to it
  void fill(sockaddr_storage& storage, int port) const;

  bool operator==(const Address&) const = default;
};

}  // namespace gibbous
