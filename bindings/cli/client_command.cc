#include "bindings/cli/client_command.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <spawn.h>
#include <sys/wait.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <chrono>
#include <cstring>

#include "bindings/cli/report.h"
#include "runtime/base/shell_quote.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::cli {
namespace {

using std::chrono::steady_clock;

constexpr std::chrono::seconds kClientLimit{60};
constexpr std::size_t kMaxPrinted = 2000;

CommandLine begin_command(const AgentClient& client, const char* what, const std::string& name) {
  CommandLine words = {client.command, "mcp", what};
  if (client.command_has_scopes) words.insert(words.end(), {"-s", "user"});
  words.push_back(name);
  return words;
}

// What the program prints until it ends; false when it has not ended in time.
bool read_until_end(int from, std::string* printed) {
  const auto until = steady_clock::now() + kClientLimit;
  std::array<char, 4096> bytes{};
  for (;;) {
    const auto left =
        std::chrono::duration_cast<std::chrono::milliseconds>(until - steady_clock::now());
    pollfd event{from, POLLIN, 0};
    if (left.count() <= 0 || ::poll(&event, 1, static_cast<int>(left.count())) == 0) return false;
    const ssize_t count = ::read(from, bytes.data(), bytes.size());
    if (count < 0 && errno == EINTR) continue;
    if (count <= 0) return true;
    printed->append(bytes.data(), static_cast<std::size_t>(count));
    if (printed->size() > kMaxPrinted) printed->erase(0, printed->size() - kMaxPrinted);
  }
}

}  // namespace

CommandLine command_to_add(const AgentClient& client, const ServerEntry& entry) {
  CommandLine words = begin_command(client, "add", entry.name);
  // What follows belongs to the server: for Gemini CLI after the first words of its command.
  const bool after_words = std::string_view(client.command) == "gemini";
  if (!after_words) words.emplace_back("--");
  words.push_back(entry.command);
  bool separated = !after_words;
  for (const std::string& argument : entry.arguments) {
    if (!separated && argument.starts_with('-')) {
      words.emplace_back("--");
      separated = true;
    }
    words.push_back(argument);
  }
  return words;
}

CommandLine command_to_remove(const AgentClient& client, const std::string& name) {
  return begin_command(client, "remove", name);
}

std::string shown_command(const CommandLine& words) {
  std::string text;
  for (const std::string& word : words) text += (text.empty() ? "" : " ") + shell_quote(word);
  return text;
}

Status run_client(const CommandLine& words) {
  if (program_in_path(words.front()).empty()) {
    return Status::error("client_missing", words.front() + " is not in PATH");
  }
  std::array<int, 2> ends{-1, -1};
  if (::pipe2(ends.data(), O_CLOEXEC) != 0) {
    return Status::error("client_failed", std::string("no pipe: ") + std::strerror(errno));
  }
  const UniqueFd from(ends[0]);
  UniqueFd to(ends[1]);
  posix_spawn_file_actions_t actions;
  ::posix_spawn_file_actions_init(&actions);
  ::posix_spawn_file_actions_addopen(&actions, STDIN_FILENO, "/dev/null", O_RDONLY, 0);
  ::posix_spawn_file_actions_adddup2(&actions, to.get(), STDOUT_FILENO);
  ::posix_spawn_file_actions_adddup2(&actions, to.get(), STDERR_FILENO);
  std::vector<char*> argv;
  for (const std::string& word : words) argv.push_back(const_cast<char*>(word.c_str()));
  argv.push_back(nullptr);
  pid_t pid = 0;
  const int error =
      ::posix_spawnp(&pid, words.front().c_str(), &actions, nullptr, argv.data(), environ);
  ::posix_spawn_file_actions_destroy(&actions);
  to.reset();
  if (error != 0) {
    return Status::error("client_failed",
                         "cannot start " + words.front() + ": " + std::strerror(error));
  }
  std::string printed;
  const bool ended = read_until_end(from.get(), &printed);
  if (!ended) ::kill(pid, SIGKILL);
  int status = 0;
  while (::waitpid(pid, &status, 0) < 0 && errno == EINTR) {
  }
  if (ended && WIFEXITED(status) && WEXITSTATUS(status) == 0) return {};
  const std::string how = ended ? "failed: " : "did not end in a minute: ";
  return Status::error("client_failed", shown_command(words) + " " + how + shown_text(printed));
}

}  // namespace gibbous::cli
