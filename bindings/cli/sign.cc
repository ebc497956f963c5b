#include "bindings/cli/sign.h"

#include <fcntl.h>
#include <re2/re2.h>
#include <signal.h>
#include <sys/mman.h>
#include <sys/socket.h>
#include <sys/un.h>
#include <sys/wait.h>
#include <unistd.h>

#include <array>
#include <cerrno>
#include <chrono>
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

// Signs the input as git would: sh -c kSign sign FORMAT WORKSPACE. What a file of the workspace
// says counts for nothing, also where the user's configuration leads there: runs may have written
// it. A key has five minutes for the questions of its agent.
constexpr const char* kSign = R"sh(
tab=$(printf '\t')
refuse() { printf 'gibbous: %s\n' "$*"; exit 1; }
cd "$2" && workspace=$(pwd -P) || refuse "no workspace"
is_outside() { case $(realpath "$1" || echo "$workspace/") in "$workspace"/*) false ;; esac; }
get() {
  for scope in --global --system; do
    line=$(git config $scope --includes --type=path --show-origin --get "$1") || continue
    file=${line%%"$tab"*}
    if is_outside "${file#file:}"; then printf '%s\n' "${line#*"$tab"}"; return; fi
  done
  false
}
[ "$(get gpg.format || echo openpgp)" = "$1" ] || refuse "the user's git does not sign with $1"
case $1 in
ssh) program=$(get gpg.ssh.program || echo ssh-keygen) ;;
x509) program=$(get gpg.x509.program || echo gpgsm) ;;
*) program=$(get gpg.openpgp.program || get gpg.program || echo gpg) ;;
esac
program=$(command -v "$program") && is_outside "$program" || refuse "no program that signs"
key=$(get user.signingkey || { [ "$1" != ssh ] && get user.email; }) || refuse "no user.signingkey"
dir=$(mktemp -d) || refuse "no directory for what is to be signed"
trap 'rm -rf "$dir"' EXIT
cat > "$dir/payload"
case $1-$key in
ssh-key::* | ssh-ssh-*) printf '%s\n' "${key#key::}" > "$dir/key"; key=$dir/key ;;
esac
if [ "$1" = ssh ]; then
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

bool send_all(int socket, std::string_view text) {
  while (!text.empty()) {
    const ssize_t size = ::send(socket, text.data(), text.size(), MSG_NOSIGNAL);
    if (size <= 0) return false;
    text.remove_prefix(static_cast<std::size_t>(size));
  }
  return true;
}

sockaddr_un address_in(const std::string& directory) {
  sockaddr_un address{};
  address.sun_family = AF_UNIX;
  (directory + kSocket).copy(address.sun_path, sizeof address.sun_path - 1);
  return address;
}

// --- Outside ------------------------------------------------------------------------------------

void answer(int peer, const std::string& workspace) {
  ::setsockopt(peer, SOL_SOCKET, SO_RCVTIMEO, &kReadPatience, sizeof kReadPatience);
  const std::string text = read_all(peer);
  const std::size_t line = text.find('\n');
  const std::string format = text.substr(0, line);
  const std::string payload = line == std::string::npos ? "" : text.substr(line + 1);
  if (text.size() > kMostBytes || !is_signable(payload)) {
    (void)send_all(peer, "gibbous: it signs commits and tags of at most 1 MiB\n");
    return;
  }
  const UniqueFd in(::memfd_create("payload", MFD_CLOEXEC));
  const bool written =
      ::write(in.get(), payload.data(), payload.size()) == static_cast<ssize_t>(payload.size());
  ::lseek(in.get(), 0, SEEK_SET);
  const pid_t child = written ? ::fork() : -1;
  if (child == 0) {
    ::dup2(in.get(), STDIN_FILENO);
    ::dup2(peer, STDOUT_FILENO);
    ::execl("/bin/sh", "sh", "-c", kSign, "sign", format.c_str(), workspace.c_str(), nullptr);
    ::_exit(1);
  }
  if (child > 0) ::waitpid(child, nullptr, 0);
}

// One after another, until it is told to end.
ExitCode serve(const std::string& directory, const std::string& workspace) {
  struct sigaction end {};
  end.sa_handler = [](int) {};  // it interrupts accept
  ::sigaction(SIGTERM, &end, nullptr);
  const UniqueFd listener(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
  const sockaddr_un address = address_in(directory + "/");
  const bool listens =
      ::bind(listener.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0 &&
      ::listen(listener.get(), kBacklog) == 0;
  while (listens) {
    const UniqueFd peer(::accept4(listener.get(), nullptr, nullptr, SOCK_CLOEXEC));
    if (!peer && errno != ECONNABORTED) break;
    answer(peer.get(), workspace);
  }
  std::error_code error;
  std::filesystem::remove_all(directory, error);
  return listens ? ExitCode::kDone : ExitCode::kFailed;
}

// --- In the sandbox -----------------------------------------------------------------------------

bool holds_key(const std::string& file) {
  std::string line;
  std::getline(std::ifstream(file), line);
  return line.find("PRIVATE KEY") != std::string::npos;
}

// A test that signs with keys of its own does so by itself: what is hidden here is empty.
bool has_own_key(bool is_ssh, const std::string& key) {
  if (is_ssh) return holds_key(key.ends_with(".pub") ? key.substr(0, key.size() - 4) : key);
  const char* keys = std::getenv("GNUPGHOME");
  const char* home = std::getenv("HOME");
  const std::string around = keys != nullptr ? keys : std::string(home ? home : "") + "/.gnupg";
  std::error_code error;
  return std::filesystem::exists(around + "/private-keys-v1.d", error);
}

std::string ask(const std::string& directory, const std::string& request) {
  const sockaddr_un address = address_in(directory);
  const auto deadline = std::chrono::steady_clock::now() + kConnectPatience;
  for (;;) {
    const UniqueFd socket(::socket(AF_UNIX, SOCK_STREAM | SOCK_CLOEXEC, 0));
    if (::connect(socket.get(), reinterpret_cast<const sockaddr*>(&address), sizeof address) == 0) {
      (void)send_all(socket.get(), request);
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
  const std::string words = argc > 3 ? std::string(argv[1]) + " " + argv[2] : "";
  constexpr int kKeyAt = 6;  // ssh-keygen -Y sign -n git -f KEY [-U] FILE
  const bool signs =
      is_ssh ? words == "-Y sign" && argc > kKeyAt + 1 : words == "--status-fd=2 -bsau";
  if (!signs || has_own_key(is_ssh, is_ssh ? argv[kKeyAt] : "")) {
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
  static const RE2 form = [] {
    const std::string id = "(?:[0-9a-f]{40}|[0-9a-f]{64})\n";
    const std::string who = "[^<>\n\\x00]*<[^<>\n\\x00]*> [0-9]{1,19} [+-][0-9]{4}\n";
    const std::string line = "[^\n\\x00]+\n";
    return RE2("(?:tree " + id + "(?:parent " + id + ")*author " + who + "committer " + who +
                   "(?:encoding " + line + ")?(?:mergetag object " + id + "(?: [^\n\\x00]*\n)*)*|" +
                   "object " + id + "type (?:commit|tree|blob|tag)\ntag " + line + "tagger " + who +
                   ")\n[^\\x00]*",
               RE2::Latin1);
  }();
  return RE2::FullMatch(text, form);
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
