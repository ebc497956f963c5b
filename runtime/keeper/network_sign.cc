#include "runtime/keeper/network_sign.h"

#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <cstddef>

#include "runtime/base/sha256.h"

namespace gibbous::keeper {
namespace {

struct SignName {
  sockaddr_un address{};
  socklen_t size = 0;
};

// Its first byte is 0: it has no file.
SignName sign_name(const std::string& session, std::size_t place) {
  constexpr std::size_t kDigits = 32;
  const std::string text = "gibbous-network/" + std::to_string(::geteuid()) + "/" +
                           sha256_hex(session).substr(0, kDigits) + "/" + std::to_string(place);
  SignName name;
  name.address.sun_family = AF_UNIX;
  std::copy(text.begin(), text.end(), name.address.sun_path + 1);
  name.size = static_cast<socklen_t>(offsetof(sockaddr_un, sun_path) + 1 + text.size());
  return name;
}

// A datagram socket takes no connection: to connect to one tells whether the name is
// taken.
UniqueFd sign_socket() {
  return UniqueFd(::socket(AF_UNIX, SOCK_DGRAM | SOCK_CLOEXEC | SOCK_NONBLOCK, 0));
}

}  // namespace

NetworkSign NetworkSign::put_up(const std::string& session) {
  NetworkSign sign;
  sign.session_ = session;
  sign.socket_ = session.empty() ? UniqueFd() : sign_socket();
  for (std::size_t place = 0; sign.socket_ && place < kMostSigns; ++place) {
    const SignName name = sign_name(session, place);
    const auto* const address = reinterpret_cast<const sockaddr*>(&name.address);
    if (::bind(sign.socket_.get(), address, name.size) != 0) continue;
    sign.place_ = place;
    break;
  }
  return sign;
}

bool NetworkSign::is_another_up() const {
  for (std::size_t place = 0; !session_.empty() && place < kMostSigns; ++place) {
    if (place == place_) continue;
    const UniqueFd probe = sign_socket();
    const SignName name = sign_name(session_, place);
    const auto* const address = reinterpret_cast<const sockaddr*>(&name.address);
    if (probe && ::connect(probe.get(), address, name.size) == 0) return true;
  }
  return false;
}

}  // namespace gibbous::keeper
