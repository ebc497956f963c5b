#include "runtime/paths/helper.h"

#include <poll.h>
#include <sys/socket.h>

#include <cerrno>
#include <span>
#include <vector>

#include "runtime/paths/question.h"

namespace gibbous::paths {
namespace {

constexpr int kIdleMillis = 30'000;

}  // namespace

int serve(UniqueFd socket) {
  std::vector<char> packet(kMaxQuestionBytes);
  while (true) {
    pollfd readable{socket.get(), POLLIN, 0};
    const int ready = ::poll(&readable, 1, kIdleMillis);
    if (ready < 0 && errno == EINTR) continue;
    if (ready <= 0) return 0;
    const ssize_t size = ::recv(socket.get(), packet.data(), packet.size(), MSG_DONTWAIT);
    if (size < 0 && (errno == EINTR || errno == EAGAIN)) continue;
    if (size <= 0) return 0;
    const auto question =
        decode_question(std::span<const char>(packet.data(), static_cast<std::size_t>(size)));
    if (!question) return 1;
    const std::string reply = encode(answer(*question));
    if (::send(socket.get(), reply.data(), reply.size(), MSG_NOSIGNAL) < 0) return 1;
  }
}

}  // namespace gibbous::paths
