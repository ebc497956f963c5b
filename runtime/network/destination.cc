#include "runtime/network/destination.h"

#include <arpa/inet.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <cstring>
#include <fstream>
#include <sstream>

namespace gibbous::network {
namespace {

constexpr std::uint16_t kDomainPort = 53;
constexpr std::size_t kMaxResolverLines = 256;
constexpr std::size_t kMappedBytes = 12;  // before the IPv4 address
constexpr const char* kMapped = "::ffff:";

std::optional<in6_addr> parse_address(const std::string& text) {
  const std::string name = text.substr(0, text.find('%'));
  in6_addr address{};
  if (::inet_pton(AF_INET6, name.c_str(), &address) == 1 ||
      ::inet_pton(AF_INET6, (kMapped + name).c_str(), &address) == 1) {
    return address;
  }
  return std::nullopt;
}

struct Block {
  const char* first;
  unsigned bits;  // that count

  bool holds(const in6_addr& other) const {
    constexpr unsigned kByteBits = 8;
    const in6_addr own = parse_address(first).value_or(in6_addr{});
    const unsigned whole = bits / kByteBits;
    const unsigned rest = kByteBits - bits % kByteBits;
    return std::memcmp(&own, &other, whole) == 0 &&
           (rest == kByteBits || (own.s6_addr[whole] ^ other.s6_addr[whole]) >> rest == 0);
  }
};

constexpr unsigned kMappedBits = 96;
constexpr Block kLoopback{"127.0.0.0", kMappedBits + 8};
constexpr std::array kNeverReached = {
    Block{"169.254.0.0", kMappedBits + 16}, Block{"fe80::", 10},
    // to many machines, and to what listens for that on this one
    Block{"224.0.0.0", kMappedBits + 4}, Block{"ff00::", 8},
    // where clouds answer, outside of those: Amazon, Google, Azure, Alibaba, Oracle
    Block{"fd00:ec2::", 32}, Block{"fd20:ce::254", 128}, Block{"168.63.129.16", kMappedBits + 32},
    Block{"100.100.100.200", kMappedBits + 32}, Block{"192.0.0.192", kMappedBits + 32}};

bool is_any(const in6_addr& address) {
  return IN6_IS_ADDR_UNSPECIFIED(&address) || Block{"0.0.0.0", kMappedBits + 32}.holds(address);
}

}  // namespace

std::optional<Destination> Destination::read(sockaddr_storage& address, socklen_t size) {
  constexpr socklen_t kV6Bytes = offsetof(sockaddr_in6, sin6_scope_id);
  Destination destination;
  if (address.ss_family == AF_INET && size >= sizeof(sockaddr_in)) {
    auto& in = reinterpret_cast<sockaddr_in&>(address);
    if (in.sin_addr.s_addr == INADDR_ANY) in.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    destination.address = *parse_address("0.0.0.0");
    std::memcpy(&destination.address.s6_addr[kMappedBytes], &in.sin_addr, sizeof in.sin_addr);
    destination.port = ntohs(in.sin_port);
    return destination;
  }
  if (address.ss_family != AF_INET6 || size < kV6Bytes) return std::nullopt;
  auto& in = reinterpret_cast<sockaddr_in6&>(address);
  if (is_any(in.sin6_addr)) {
    in.sin6_addr =
        IN6_IS_ADDR_V4MAPPED(&in.sin6_addr) ? *parse_address("127.0.0.1") : in6addr_loopback;
  }
  destination.address = in.sin6_addr;
  destination.port = ntohs(in.sin6_port);
  return destination;
}

Destination Destination::loopback(std::uint16_t port, bool v6) {
  return {v6 ? in6addr_loopback : *parse_address("127.0.0.1"), port};
}

bool Destination::is_loopback() const {
  return IN6_IS_ADDR_LOOPBACK(&address) || kLoopback.holds(address);
}

bool Destination::is_never_reached() const {
  return std::any_of(kNeverReached.begin(), kNeverReached.end(),
                     [this](const Block& block) { return block.holds(address); });
}

bool Destination::leads_to(const std::string& listening) const {
  const auto other = parse_address(listening);
  return !other || is_any(*other) || IN6_ARE_ADDR_EQUAL(&*other, &address);
}

std::string Destination::text() const {
  std::array<char, INET6_ADDRSTRLEN> name{};
  ::inet_ntop(AF_INET6, &address, name.data(), name.size());
  const std::string text = name.data();
  const bool v4 = IN6_IS_ADDR_V4MAPPED(&address);
  return (v4 ? text.substr(std::strlen(kMapped)) : "[" + text + "]") + ":" + std::to_string(port);
}

bool is_name_server(const Destination& destination) {
  if (destination.port != kDomainPort) return false;
  std::ifstream file("/etc/resolv.conf");
  std::string line;
  for (std::size_t lines = 0; lines < kMaxResolverLines && std::getline(file, line); ++lines) {
    std::istringstream words(line);
    std::string key;
    std::string name;
    if (!(words >> key >> name) || key != "nameserver") continue;
    const auto address = parse_address(name);
    if (address && IN6_ARE_ADDR_EQUAL(&*address, &destination.address)) return true;
  }
  return false;
}

}  // namespace gibbous::network
