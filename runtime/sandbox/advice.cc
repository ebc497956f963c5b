// Words count where the line runs one of the programs, or where a script runs what is not seen and
// the line has no program that shows text: `grep` finds the same words in a log.
#include "runtime/sandbox/advice.h"

#include <algorithm>
#include <array>

#include "runtime/sandbox/complaint.h"

namespace gibbous {
namespace {

// How to go on. kFetch, kOwnLine: outside, as another line.
enum class Exit : std::uint8_t { kSaid, kUser, kFetch, kOwnLine };

struct Row {
  std::string_view programs;  // separated by spaces
  std::string_view words;     // in small letters, separated by '|'; "": the output is empty
  std::string_view hidden;    // in a hidden path of the profile; "": so in every sandbox
  Exit exit;
  std::string_view says;
  bool adds = false;  // to the refusal, also where the program has succeeded
};

constexpr std::array kRows = {
    Row{"git ssh ssh-add scp sftp",
        "permission denied (publickey|host key verification failed|could not read username|"
        "terminal prompts disabled|connection to your authentication agent|connecting to agent",
        "/.ssh", Exit::kFetch, "git and ssh have no keys and passwords here"},
    Row{"git",
        "gpg failed to sign|secret key not available|no secret key|couldn't load public key|"
        "no private key found",
        "/.gnupg", Exit::kSaid,
        "keys that sign are hidden here: allow = [\"sign\"] asks a person, --no-gpg-sign needs "
        "none"},
    Row{"git husky", "/config: read-only file system|/config: device or resource busy", "/.ssh",
        Exit::kSaid,
        "git obeys its configuration outside, too, so that no run changes it unasked, nor installs "
        "hooks as husky does (a branch without --track needs none)",
        true},
    Row{"npm npx pnpm yarn mvn mvnw gradle gradlew pip pip3 uv cargo",
        "code e401|code eneedauth|fetch_401|404  '@|status code: 401|status code 401|"
        "401 unauthorized|http error 401|401 client error|401 error,|no token found",
        "/.netrc", Exit::kUser, "passwords and tokens of registries are hidden here"},
    Row{"aws az gcloud gh helm kubectl terraform",
        "unable to locate credentials|no valid credential sources|please run 'az login'|"
        "active account selected|gh auth login|to the server localhost:8080 was|"
        "no configuration has been provided|kubernetes cluster unreachable",
        "/.aws", Exit::kOwnLine, "its credentials are hidden here"},
    Row{"docker docker-compose podman systemctl busctl loginctl",
        "docker daemon|docker api at unix|failed to connect to bus|to system scope bus",
        "/docker.sock", Exit::kOwnLine, "sockets of services are hidden here"},
    Row{"tmux psql", "error connecting to /|no server running on|.s.pgsql.", "/docker.sock",
        Exit::kUser, "servers of this machine that have a socket are hidden here"},
    Row{"xterm", "open display|missing x server", "/.X11-unix", Exit::kSaid,
        "screens are hidden here: xvfb-run makes one"},
    Row{"chromium google-chrome electron",
        "no usable sandbox|failed to move to new namespace|setuid sandbox|without --no-sandbox", "",
        Exit::kSaid, "a browser cannot make its own sandbox in this one: --no-sandbox starts it"},
    Row{"sudo su doas ping mount umount bwrap unshare firejail",
        "effective uid is not 0|no new privileges|ping: operation not permitted|"
        "ping: socket: operation|must be superuser|mount failed|dmesg(1) may have|"
        "creating new namespace failed|permissions to create|unshare failed: operation",
        "", Exit::kOwnLine, "it needs rights that no program has here"},
    Row{"kill pkill killall fuser",
        "sending signal|killing pid|) - operation not permitted|kill: operation not permitted|"
        "could not kill process|kill eperm",
        "", Exit::kSaid,
        "no signal reaches later runs, or what is outside of the session's sandboxes: end a run by "
        "its id"},
    Row{"gdb strace", "ptrace: operation not permitted|could not attach|attach: ptrace", "",
        Exit::kSaid, "only processes of the same run can be traced here"},
    Row{"qemu-system-x86_64", "could not access kvm", "", Exit::kSaid,
        "a virtual machine needs allow = [\"write:/dev/kvm\"], which asks a person"},
    Row{"lsof ss fuser", "", "", Exit::kSaid,
        "sockets and files of processes outside of this sandbox cannot be seen here"}};

constexpr std::string_view kShowers =
    "cat grep egrep rg ag tail head less more awk sed jq diff echo printf";

// Returns true if one of the programs is the first word of a command, as far as that can be told
// without reading the line.
bool runs_one_of(std::string_view line, std::string_view programs) {
  const auto known = split(programs, " ");
  for (const std::string_view command : split(line, ";|&()`\n")) {
    for (std::string_view word : split(command, " \t\"'")) {
      word.remove_prefix(std::min(word.rfind('/') + 1, word.size()));
      if (std::find(known.begin(), known.end(), word) != known.end()) return true;
      if (word.find('=') == std::string_view::npos && word != "env" && word != "npx") break;
    }
  }
  return false;
}

bool holds(const SandboxSpec& spec, const Row& row) {
  const auto is_in = [&row](const std::string& path) {
    return path.find(row.hidden) != std::string::npos;
  };
  if (spec.signs && row.hidden == "/.gnupg") return false;  // its own words say why
  return row.hidden.empty() || std::any_of(spec.unreadable.begin(), spec.unreadable.end(), is_in);
}

std::string with_way(const Row& row, const EndedProgram& ended) {
  const std::string_view line = ended.line;
  const bool is_alone = line.find_first_of(";|&\n") == std::string_view::npos;
  std::string text(row.says);
  if (row.exit == Exit::kSaid) return text;
  if (row.exit == Exit::kUser || (is_alone && runs_one_of(line, row.programs))) {
    return text + ": the user can run it outside";
  }
  return text + (row.exit == Exit::kFetch && ended.leaves
                     ? ": git fetch, clone or ls-remote runs outside as a line of its own, and git "
                       "merge then ends a pull"
                     : ": as a line of its own it runs outside, once a person or a rule allows it");
}

bool is_silent(std::string_view output) {
  const auto lines = split(output, "\n");
  // ss has a heading.
  return lines.empty() ||
         (lines.size() == 1 && (lines[0].starts_with("Netid") || lines[0].starts_with("State")));
}

}  // namespace

std::vector<Advice> find_advice(const SandboxSpec& spec, const EndedProgram& ended) {
  const bool silent = is_silent(ended.output);
  const bool shows_text = runs_one_of(ended.line, kShowers);
  std::vector<Advice> all;
  for (const Row& row : kRows) {
    const bool runs = runs_one_of(ended.line, row.programs);
    const bool counts =
        row.words.empty() ? silent && runs : (ended.failed || row.adds) && (runs || !shows_text);
    if (!counts || all.size() == kMaxAdvice || !holds(spec, row)) continue;
    if (row.words.empty()) all.push_back({"", with_way(row, ended), false});
    const auto words = split(row.words, "|");
    for (const std::string_view said : split(ended.output, "\n")) {
      if (words.empty() || !holds_any(in_small_letters(said), words)) continue;
      all.push_back(
          {std::string(said.substr(0, kMaxSandboxPathBytes)), with_way(row, ended), row.adds});
      break;
    }
  }
  return all;
}

}  // namespace gibbous
