// Checks each complaint of a program against the profile: when the profile allows the path,
// something else refused it, such as the file's own mode.
#include "runtime/sandbox/refusal.h"

#include <algorithm>
#include <array>
#include <optional>

#include "runtime/base/path_text.h"
#include "runtime/sandbox/complaint.h"
#include "runtime/sandbox/devices.h"

namespace gibbous {
namespace {

constexpr std::size_t kMaxLineBytes = 4096;

// Words of programs without a network, which do not cover a missing answer.
const std::vector<std::string_view> kNetworkWords = {
    "network is unreachable",
    "network unreachable",
    "enetunreach",
    "could not resolve",
    "couldn't resolve",
    "unable to resolve",
    "cannot resolve host",
    "name resolution",
    "name or service not known",
    "no address associated with hostname",
    "failed to lookup address",
    "nodename nor servname",
    "eai_again",
    "getaddrinfo enotfound",
    "getaddrinfo failed",
    "gaierror",
    "unknownhostexception",
    "connect eperm",
    "listen eperm",
};

// What programs say that look for a server of this machine in a network of the session's own.
const std::vector<std::string_view> kRefusedWords = {"connection refused", "connectionrefused",
                                                     "econnrefused", "couldn't connect to server",
                                                     "can't connect to mysql server"};

// Every program may use these, with any profile; see prepare.cc.
const std::vector<std::string> kFreeDevices = {
    "/dev/null", "/dev/zero", "/dev/full",  "/dev/random", "/dev/urandom", "/dev/tty", "/dev/ptmx",
    "/dev/pts",  "/dev/shm",  "/dev/stdin", "/dev/stdout", "/dev/stderr",  "/dev/fd"};
// Not part of the write tree "/".
const std::vector<std::string> kOwnTrees = {"/dev", "/proc", "/sys"};

bool is_below(std::string_view path, const std::string& tree) {
  return is_within(path, without_slash(tree));
}

bool below_any(std::string_view path, const std::vector<std::string>& trees) {
  return std::any_of(trees.begin(), trees.end(),
                     [path](const std::string& tree) { return is_below(path, tree); });
}

std::string absolute(std::string_view directory, const std::string& word) {
  return normalize_path(word.starts_with('/') ? word : std::string(directory) + "/" + word);
}

class Finder {
 public:
  Finder(const SandboxSpec& spec, std::string_view directory)
      : spec_(spec), directory_(directory) {}

  void look_at(std::string_view line) {
    const std::string small = in_small_letters(line);
    Complaint complaint = read_complaint(line);
    if (spec_.network > SandboxNetwork::kChecked && is_about_network(small, complaint)) {
      add(RefusalKind::kNetwork, "", line);
      return;
    }
    if (spec_.network > SandboxNetwork::kChecked && holds_any(small, kRefusedWords) &&
        !holds_any(small, {"unix ", ".sock"})) {
      add(RefusalKind::kNetwork, "", line, /*may_be_own=*/true);
      return;
    }
    take_npm_path(small, line, complaint);
    for (const std::string& word : complaint.paths) {
      const std::string path = absolute(directory_, word);
      if (const auto kind = explain(path, complaint)) add(*kind, path, line);
    }
    // An error without a path: of all errors, this one comes from the sandbox itself.
    if (complaint.kind == ComplaintKind::kReadOnly && complaint.paths.empty() &&
        !small.starts_with("npm ") && !may_write("/")) {
      add(RefusalKind::kWrite, "", line);
    }
  }

  std::vector<Refusal> found;

 private:
  bool is_about_network(std::string_view small, const Complaint& complaint) const {
    if (holds_any(small, kNetworkWords)) return true;
    if (spec_.network != SandboxNetwork::kOff || !complaint.not_permitted) return false;
    // python names no path when there was none.
    const bool bare = small.find("[errno 1] operation not permitted") != std::string_view::npos &&
                      complaint.paths.empty();
    return bare || small.find("socket") != std::string_view::npos;
  }

  // "npm ERR! code EROFS", and some lines later "npm ERR! path /usr/lib/x".
  void take_npm_path(std::string_view small, std::string_view line, Complaint& complaint) {
    constexpr int kLinesBetween = 8;
    if (!small.starts_with("npm ")) {
      npm_lines_ = 0;
      return;
    }
    if (complaint.kind != ComplaintKind::kNone) {
      npm_ = complaint.kind;
      npm_lines_ = kLinesBetween;
      return;
    }
    if (npm_lines_ == 0) return;
    --npm_lines_;
    for (const std::string_view name : {" path ", " dest "}) {
      const std::size_t at = small.find(name);
      if (at == std::string_view::npos) continue;
      complaint.kind = npm_;
      complaint.paths.emplace_back(line.substr(at + name.size()));
    }
  }

  bool may_write(const std::string& path) const {
    if (below_any(path, kFreeDevices) || is_graphics_device(path)) return true;
    return std::any_of(spec_.write.begin(), spec_.write.end(), [&](const std::string& tree) {
      return is_below(path, tree) && (tree != "/" || !below_any(path, kOwnTrees));
    });
  }
  // In the session's own directories, only what is shown of the machine's is read-only, such as a
  // home.
  bool is_shown(const std::string& path) const {
    return spec_.own_temporary &&
           std::none_of(spec_.write.begin(), spec_.write.end(), [&](const std::string& tree) {
             return !is_one_of(tree, kTemporaryDirectories) && is_below(path, tree);
           });
  }
  bool may_read(const std::string& path) const {
    return may_write(path) || below_any(path, spec_.read);
  }

  // Returns nothing if the profile allows it.
  std::optional<RefusalKind> explain(const std::string& path, const Complaint& complaint) const {
    const bool hidden = below_any(path, spec_.unreadable);
    const bool fixed = below_any(path, spec_.unwritable) || below_any(path, spec_.occupied);
    switch (complaint.kind) {
      case ComplaintKind::kNone:
        return std::nullopt;
      case ComplaintKind::kMissing: {
        // Hidden directories exist, but are empty.
        const bool itself = holds_any_of(path, spec_.unreadable);
        return hidden && !itself ? std::optional(RefusalKind::kRead) : std::nullopt;
      }
      case ComplaintKind::kUnconnected:
        return hidden ? std::optional(RefusalKind::kRead) : std::nullopt;
      case ComplaintKind::kBusy:
        if (!may_write(path)) return std::nullopt;
        return holds_any_of(path, spec_.unreadable) || holds_any_of(path, spec_.unwritable) ||
                       holds_any_of(path, spec_.pinned) || holds_any_of(path, spec_.occupied)
                   ? std::optional(RefusalKind::kWrite)
                   : std::nullopt;
      case ComplaintKind::kReadOnly:
        return !may_write(path) || fixed || is_shown(path) ? std::optional(RefusalKind::kWrite)
               : hidden                                    ? std::optional(RefusalKind::kRead)
                                                           : std::nullopt;
      case ComplaintKind::kDenied:
        break;
    }
    // The sandbox says EACCES and EROFS. What lacks a right says EPERM, with any path.
    if (complaint.not_permitted) return std::nullopt;
    if (hidden || (!may_read(path) && !complaint.writing)) return RefusalKind::kRead;
    if (complaint.reading || (may_write(path) && !fixed)) return std::nullopt;
    return RefusalKind::kWrite;
  }

  void add(RefusalKind kind, const std::string& path, std::string_view line,
           bool may_be_own = false) {
    for (Refusal& known : found) {
      if (known.kind != kind || known.path != path) continue;
      known.may_be_own = known.may_be_own && may_be_own;
      return;
    }
    if (found.size() < kMaxRefusals) found.push_back({kind, path, std::string(line), may_be_own});
  }

  const SandboxSpec& spec_;
  std::string_view directory_;
  ComplaintKind npm_ = ComplaintKind::kNone;
  int npm_lines_ = 0;
};

}  // namespace

const char* to_string(RefusalKind kind) {
  switch (kind) {
    case RefusalKind::kRead:
      return "read";
    case RefusalKind::kWrite:
      return "write";
    case RefusalKind::kNetwork:
      return "network";
  }
  return "write";
}

std::vector<Refusal> find_refusals(const SandboxSpec& spec, std::string_view directory,
                                   std::string_view output) {
  Finder finder(spec, directory);
  for (std::size_t at = 0; at < output.size();) {
    const std::size_t end = std::min(output.find('\n', at), output.size());
    finder.look_at(output.substr(at, std::min(end - at, kMaxLineBytes)));
    at = end + 1;
  }
  return std::move(finder.found);
}

}  // namespace gibbous
