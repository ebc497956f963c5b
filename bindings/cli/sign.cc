#include "bindings/cli/sign.h"

#include <fcntl.h>
#include <regex.h>
#include <signal.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <chrono>
#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iostream>
#include <string_view>
#include <thread>

#include "runtime/base/unique_fd.h"

namespace gibbous::cli {
namespace {

constexpr std::size_t kMostBytes = std::size_t{1} << 20;
constexpr std::chrono::seconds kConnectPatience{10};  // for one that has just been started
constexpr timeval kReadPatience{10, 0};
constexpr int kBacklog = 64;
constexpr const char* kSocket = "socket";
constexpr std::string_view kSignature = "-----BEGIN ";

// Signs the input as git would, in $format, from the workspace. What a file of the workspace
// says counts for nothing, also where the user's configuration leads there: runs may have written
// it. A key has five minutes for the questions of its agent.
constexpr const char* kSign = R"sh(
tab=$(printf '\t')
refuse() { printf 'gibbous: %s\n' "$*"; exit 1; }
workspace=$(pwd -P)
is_outside() { case $(realpath "$1" || echo "$workspace/") in "$workspace"/*) false ;; esac; }
get() {
  for scope in --global --system; do
    line=$(git config $scope --includes --type=path --show-origin --get "$1") || continue
    file=${line%%"$tab"*}
    if is_outside "${file#file:}"; then printf '%s\n' "${line#*"$tab"}"; return; fi
  done
  false
}
[ "$(get gpg.format || echo openpgp)" = "$format" ] ||
  refuse "the user's git does not sign with $format"
case $format in
ssh) program=$(get gpg.ssh.program || echo ssh-keygen) ;;
x509) program=$(get gpg.x509.program || echo gpgsm) ;;
*) program=$(get gpg.openpgp.program || get gpg.program || echo gpg) ;;
esac
program=$(command -v "$program") && is_outside "$program" || refuse "no program that signs"
key=$(get user.signingkey || { [ "$format" != ssh ] && get user.email; }) ||
  refuse "no user.signingkey"
dir=$(mktemp -d) || refuse "no directory for what is to be signed"
trap 'rm -rf "$dir"' EXIT
cat > "$dir/payload"
case $format-$key in
ssh-key::* | ssh-ssh-*) printf '%s\n' "${key#key::}" > "$dir/key"; key=$dir/key ;;
esac
if [ "$format" = ssh ]; then
  timeout 300 "$program" -Y sign -n git -f "$key" "$dir/payload" > "$dir/said" 2>&1
else
  timeout 300 "$program" --status-fd=2 -bsau "$key" \
    < "$dir/payload" > "$dir/payload.sig" 2> "$dir/said"
fi && cat "$dir/payload.sig" || refuse "$(cat "$dir/said")"
)sh";

// "" for what comes too slowly; more than kMostBytes of what is larger.
std::string read_all(int fd) {
  std::string text;
  std::array<char, 1 << 16> bytes{};
  ssize_t size = 1;
  while (size > 0 && text.size() <= kMostBytes) {
    size = ::read(fd, bytes.data(), bytes.size());
    if (size > 0) text.append(bytes.data(), static_cast<std::size_t>(size));
  }
  return size < 0 ? "" : text;
}

void send_all(int socket, std::string_view text) {
  ssize_t size = 0;
  while (!text.empty() && (size = ::write(socket, text.data(), text.size())) > 0) {
    text.remove_prefix(static_cast<std::size_t>(size));
  }
}

sockaddr_un address_in(const std::string& directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (directory + kSocket).copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// --- Outside ------------------------------------------------------------------------------------

void answer(int peer) {
  ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &kReadPatience, sizeof kReadPatience);
  const std::string text = read_all(peer);
  const std::string format = text.substr(0, text.find('\n'));
  const std::string payload = text.substr(std::min(format.size() + 1, text.size()));
  const bool is_known = format == "ssh" || format == "openpgp" || format == "x509";
  if (!is_known || text.size() > kMostBytes || !is_signable(payload)) {
    return send_all(peer, "gibbous: it signs commits and tags of at most 1 MiB\n");
  }
  ::dup2(peer, STDOUT_FILENO);  // of the shell
  if (FILE* shell = ::popen(("format=" + format + kSign).c_str(), "we")) {
    (void)std::fwrite(payload.data(), 1, payload.size(), shell);
    ::pclose(shell);
  }
  ::dup2(STDERR_FILENO, STDOUT_FILENO);
}

// One after another, until it is told to end.
ExitCode serve(const std::string& directory, const char* workspace) {
  struct sigaction end {};
  end.sa_handler = [](int) {};  // it interrupts accept
  ::sigaction(SIGTERM, &end, nullptr);
  ::signal(SIGPIPE, SIG_IGN);
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_in(directory + "/");
  const bool listens =
      ::chdir(workspace) == 0 &&
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(listener.get(), kBacklog) == 0;
  while (listens) {
    const UniqueFd peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer && errno != ECONNABORTED) break;
    answer(peer.get());
  }
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  return listens ? ExitCode::kDone : ExitCode::kFailed;
}

// --- In the sandbox -----------------------------------------------------------------------------

std::string ask(const std::string& directory, const std::string& request) {
  const sockaddr_un address = address_in(directory);
  const auto deadline = std::chrono::steady_clock::now() + kConnectPatience;
  for (;;) {
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      send_all(socket.get(), request);
      ::shutdown(socket.get(), SHUT_WR);
      return read_all(socket.get());
    }
    if (std::chrono::steady_clock::now() > deadline) break;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return "gibbous: nothing signs here any more\n";
}

ExitCode sign_as(const std::string& name, const std::string& directory, int argc, char** argv) {
  const bool is_ssh = name == "ssh-keygen";
  ::signal(SIGPIPE, SIG_IGN);
  const std::string words = argc > 3 ? std::string(argv[1]) + " " + argv[2] : "";
  if (words != (is_ssh ? "-Y sign" : "--status-fd=2 -bsau")) {
    ::execvp(name.c_str(), argv);
    std::perror(name.c_str());
    return ExitCode::kFailed;
  }
  const std::string file = argv[argc - 1];
  const UniqueFd in(is_ssh ? ::open(file.c_str(), O_RDONLY | O_CLOEXEC) : ::dup(STDIN_FILENO));
  const std::string format = is_ssh ? "ssh" : name == "gpg" ? "openpgp" : "x509";
  const std::string said = ask(directory, format + "\n" + read_all(in.get()));
  if (!said.starts_with(kSignature)) {
    std::cerr << said;
    return ExitCode::kFailed;
  }
  if (is_ssh) {
    std::ofstream(file + ".sig") << said;
  } else {
    std::cout << said;
    std::cerr << "\n[GNUPG:] SIG_CREATED \n";  // git looks for it
  }
  return ExitCode::kDone;
}

}  // namespace

bool is_signable(const std::string& text) {
  constexpr std::size_t kMostHead = std::size_t{64} << 10;
  const std::string id = "([0-9a-f]{40}|[0-9a-f]{64})\n";
  const std::string who = "[^<>\n]*<[^<>\n]*> [0-9]{1,19} [+-][0-9]{4}\n";
  const std::string form = "^(tree " + id + "(parent " + id + ")*author " + who + "committer " +
                           who + "(encoding [^\n]+\n)?(mergetag object " + id +
                           "( [^\n]*\n)*)*|object " + id +
                           "type (commit|tree|blob|tag)\ntag [^\n]+\ntagger " + who + ")\n$";
  const std::size_t end = text.find("\n\n");
  if (end > kMostHead || text.find('\0') != std::string::npos) return false;
  regex_t regex;
  if (::regcomp(&regex, form.c_str(), REG_EXTENDED | REG_NOSUB) != 0) return false;
  const bool fits = ::regexec(&regex, text.substr(0, end + 2).c_str(), 0, nullptr, 0) == 0;
  ::regfree(&regex);
  return fits;
}

std::optional<ExitCode> run_sign(int argc, char** argv) {
  const std::string self = argc > 0 ? argv[0] : "";
  const std::string name = self.substr(self.rfind('/') + 1);
  if (name == "gpg" || name == "gpgsm" || name == "ssh-keygen") {
    return sign_as(name, self.substr(0, self.size() - name.size()), argc, argv);
  }
  if (argc == 4 && std::string_view(argv[1]) == "sign") return serve(argv[2], argv[3]);
  return std::nullopt;
}

}  // namespace gibbous::cli
