// Programs say it in many words, but errno has few: a line that holds one of those is searched for
// paths, and each path is asked of the profile.
#include "runtime/sandbox/refusal.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <filesystem>

namespace gibbous {
namespace {

constexpr std::size_t kMaxLineBytes = 4096;

constexpr std::array<std::string_view, 6> kFileWords = {"permission denied",
                                                        "read-only file system",
                                                        "operation not permitted",
                                                        "eacces",
                                                        "erofs",
                                                        "eperm"};
constexpr std::array<std::string_view, 7> kNetworkWords = {
    "network is unreachable",    "could not resolve", "name resolution",
    "name or service not known", "getaddrinfo",       "socket",
    "network unreachable"};

std::string lower(std::string_view text) {
  std::string small(text);
  for (char& character : small) {
    character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
  return small;
}

template <std::size_t N>
bool holds_any(std::string_view text, const std::array<std::string_view, N>& words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

bool is_below(std::string_view path, std::string_view tree) {
  while (tree.size() > 1 && tree.back() == '/') tree.remove_suffix(1);
  if (tree == "/") return true;
  return path.starts_with(tree) && (path.size() == tree.size() || path[tree.size()] == '/');
}

bool below_any(std::string_view path, const std::vector<std::string>& trees) {
  return std::any_of(trees.begin(), trees.end(),
                     [path](const std::string& tree) { return is_below(path, tree); });
}

// What may be a path: quoted words whole, other words without the punctuation around them.
std::vector<std::string> words_of(std::string_view line) {
  constexpr std::string_view kQuotes = "'\"`";
  std::vector<std::string> words;
  std::string word;
  char quote = 0;
  const auto finish = [&words, &word](bool quoted) {
    constexpr std::string_view kAround = ":,;()[]{}";
    std::string_view trimmed = word;
    while (!quoted && !trimmed.empty() && kAround.find(trimmed.back()) != std::string_view::npos) {
      trimmed.remove_suffix(1);
    }
    while (!quoted && !trimmed.empty() && kAround.find(trimmed.front()) != std::string_view::npos) {
      trimmed.remove_prefix(1);
    }
    if (!trimmed.empty()) words.emplace_back(trimmed);
    word.clear();
  };
  for (const char character : line) {
    if (quote != 0) {
      if (character == quote) {
        finish(true);
        quote = 0;
      } else {
        word += character;
      }
    } else if (kQuotes.find(character) != std::string_view::npos) {
      finish(false);
      quote = character;
    } else if (std::isspace(static_cast<unsigned char>(character)) != 0) {
      finish(false);
    } else {
      word += character;
    }
  }
  finish(false);
  return words;
}

std::string absolute(std::string_view directory, const std::string& word) {
  const std::filesystem::path path(word);
  return (path.is_absolute() ? path : std::filesystem::path(directory) / path)
      .lexically_normal()
      .string();
}

// Only a word with a '/' or a '.' can be told from the others.
bool may_be_path(const std::string& word) {
  return word.find_first_of("/.") != std::string::npos && word.find("://") == std::string::npos;
}

class Finder {
 public:
  Finder(const SandboxSpec& spec, std::string_view directory)
      : spec_(spec), directory_(directory) {}

  void look_at(std::string_view line) {
    const std::string small = lower(line);
    const bool about_files = holds_any(small, kFileWords);
    if (spec_.network != SandboxNetwork::kOn && holds_any(small, kNetworkWords)) {
      add(RefusalKind::kNetwork, "", line);
    }
    if (!about_files) return;
    for (const std::string& word : words_of(line)) {
      if (!may_be_path(word)) continue;
      const std::string path = absolute(directory_, word);
      if (below_any(path, spec_.unreadable)) {
        add(RefusalKind::kRead, path, line);
      } else if (!below_any(path, spec_.write) || below_any(path, spec_.unwritable)) {
        add(RefusalKind::kWrite, path, line);
      }
    }
  }

  std::vector<Refusal> found;

 private:
  void add(RefusalKind kind, const std::string& path, std::string_view line) {
    const bool known = std::any_of(found.begin(), found.end(), [&](const Refusal& refusal) {
      return refusal.kind == kind && refusal.path == path;
    });
    if (!known && found.size() < kMaxRefusals) found.push_back({kind, path, std::string(line)});
  }

  const SandboxSpec& spec_;
  std::string_view directory_;
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
