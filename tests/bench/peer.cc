// See peer.h.
#include "tests/bench/peer.h"

#include <fcntl.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <cstdio>
#include <cstdlib>

#include "tests/bench/harness.h"
#include "tests/support/patient_fork.h"

extern char** environ;

namespace gibbous::bench {

Peer::Peer(const std::vector<std::string>& arguments)
    : Peer(program_directory() + "/gibbous", arguments) {}

Peer::Peer(const std::string& program, const std::vector<std::string>& arguments) {
  std::vector<char*> words = {const_cast<char*>(program.c_str())};
  for (const std::string& word : arguments) words.push_back(const_cast<char*>(word.c_str()));
  words.push_back(nullptr);
  int in[2];
  int out[2];
  if (::pipe2(in, O_CLOEXEC) != 0 || ::pipe2(out, O_CLOEXEC) != 0) std::abort();
  posix_spawn_file_actions_t actions;
  posix_spawn_file_actions_init(&actions);
  posix_spawn_file_actions_adddup2(&actions, in[0], 0);
  posix_spawn_file_actions_adddup2(&actions, out[1], 1);
  const int error = testing::patiently([&] {
    return ::posix_spawn(&pid_, program.c_str(), &actions, nullptr, words.data(), environ);
  });
  if (error != 0) {
    std::perror(program.c_str());
    std::exit(1);
  }
  posix_spawn_file_actions_destroy(&actions);
  ::close(in[0]);
  ::close(out[1]);
  in_ = in[1];
  out_ = out[0];
}

Peer::~Peer() {
  ::close(in_);
  ::waitpid(pid_, nullptr, 0);
  ::close(out_);
}

void Peer::send(const std::string& line) {
  const std::string text = line + "\n";
  if (::write(in_, text.data(), text.size()) != static_cast<ssize_t>(text.size())) std::abort();
}

std::string Peer::receive() {
  constexpr std::size_t kReadBytes = std::size_t{64} << 10;
  for (;;) {
    const std::size_t end = buffer_.find('\n');
    if (end != std::string::npos) {
      std::string line = buffer_.substr(0, end);
      buffer_.erase(0, end + 1);
      return line;
    }
    char bytes[kReadBytes];
    const ssize_t count = ::read(out_, bytes, sizeof bytes);
    if (count <= 0) {
      std::fprintf(stderr, "the program ended unexpectedly\n");
      std::exit(1);
    }
    buffer_.append(bytes, static_cast<std::size_t>(count));
  }
}

std::string Peer::receive_with(const std::string& part) {
  for (;;) {
    std::string line = receive();
    if (line.find(part) != std::string::npos) return line;
  }
}

std::string mcp_request(int id, const std::string& method, const std::string& parameters) {
  return R"({"jsonrpc":"2.0","id":)" + std::to_string(id) + R"(,"method":")" + method +
         R"(","params":{)" + parameters + (parameters.empty() ? "" : ",") +
         R"("_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientCapabilities":{}}}})";
}

}  // namespace gibbous::bench
