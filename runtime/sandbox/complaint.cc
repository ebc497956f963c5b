// Programs report errors in many words, but errno has few texts. The path is the text in quotes;
// else the word before or after the errno's text; else a word with slashes.
#include "runtime/sandbox/complaint.h"

#include <algorithm>
#include <array>
#include <cctype>
#include <utility>

#include "runtime/sandbox/paths.h"

namespace gibbous {
namespace {

using Words = std::vector<std::string_view>;

// The strongest first: a line counts as the first kind whose words it has.
const std::array<std::pair<ComplaintKind, Words>, 5> kPhrases = {{
    {ComplaintKind::kReadOnly, {"read-only file system", "readonlyfilesystem", "erofs"}},
    {ComplaintKind::kDenied,
     {"permission denied", "operation not permitted", "eacces", "eperm", "access is denied"}},
    {ComplaintKind::kBusy, {"device or resource busy", "resource busy or locked", "ebusy"}},
    {ComplaintKind::kMissing, {"no such file or directory", "enoent"}},
    {ComplaintKind::kUnconnected, {"connection refused", "econnrefused", "cannot connect to"}},
}};
const Words kNotPermitted = {"operation not permitted", "eperm"};

// Words that occur only when reading fails, and programs that only read.
const Words kReading = {"for reading",     "cannot open directory",
                        "cannot access",   "cannot stat",
                        "scandir",         "cannot read",
                        "can't read",      "unable to read",
                        "could not read",  "failed to read",
                        "error reading",   "reading directory",
                        "read permission", "cannot list"};
const Words kReaders = {"cat",     "head",    "tail",      "grep",  "egrep", "ls",   "find",
                        "du",      "wc",      "od",        "less",  "more",  "diff", "file",
                        "stat",    "rg",      "fd",        "tree",  "cmp",   "xxd",  "sum",
                        "hexdump", "strings", "sha256sum", "md5sum"};
const Words kWriting = {"for writing", "create",    "remove", "unlink",    "rename",  "mkdir",
                        "touch",       "move",      "lock",   "chmod",     "chown",   "delete",
                        "output",      "replac",    "writ",   "symlink",   "save",    "truncat",
                        "append",      "ownership", "rmdir",  "overwrite", "copyfile"};
// The last words of messages that name no path.
const Words kNoNames = {
    "open",       "openat",  "mkdir",      "stat",    "lstat",         "unlink",     "read",
    "write",      "create",  "access",     "connect", "bind",          "listen",     "socket",
    "execute",    "exec",    "execve",     "rename",  "chmod",         "chown",      "chdir",
    "utime",      "close",   "remove",     "rmdir",   "link",          "symlink",    "mount",
    "unshare",    "fork",    "clone",      "ptrace",  "kill",          "failed",     "error",
    "reading",    "writing", "file",       "files",   "directory",     "document",   "denied",
    "fopen",      "target",  "device",     "err",     "here-document", "failure",    "log",
    "output",     "input",   "process",    "command", "temporary",     "it",         "this",
    "that",       "sudo",    "setuid",     "setgid",  "groups",        "user",       "code",
    "message",    "console", "stdin",      "stdout",  "stderr",        "warning",    "fatal",
    "setgroups",  "stream",  "connection", "kind",    "database",      "repository", "resource",
    "descriptor", "name",    "host",       "port",    "data"};
// Where programs are: as the first word of a line, such a path is the speaker.
const Words kProgramTrees = {"/bin/",      "/sbin/",          "/usr/bin/",
                             "/usr/sbin/", "/usr/local/bin/", "/usr/libexec/"};

struct Quotes {
  std::string_view open;
  std::string_view close;
};
// ‘ and ’, “ and ”, « and »; `old' as well.
constexpr std::array<Quotes, 7> kQuotes = {{{"'", "'"},
                                            {"\"", "\""},
                                            {"`", "`"},
                                            {"`", "'"},
                                            {"\xe2\x80\x98", "\xe2\x80\x99"},
                                            {"\xe2\x80\x9c", "\xe2\x80\x9d"},
                                            {"\xc2\xab", "\xc2\xbb"}}};

constexpr std::size_t kMaxNameBytes = 255;
constexpr std::size_t kMaxPathBytes = 4096;
constexpr std::string_view kSpace = " \t\r\v\f";
constexpr std::string_view kAround = ":,;()[]{}<>\"'`!?";

bool is_letter(char character) {
  const auto byte = static_cast<unsigned char>(character);
  constexpr unsigned char kAscii = 0x80;
  return byte >= kAscii || std::isalpha(byte) != 0 || character == '_';
}

bool is_word(char character) {
  return is_letter(character) || std::isdigit(static_cast<unsigned char>(character)) != 0;
}

std::string_view trimmed(std::string_view text, std::string_view around = kSpace) {
  const std::size_t from = text.find_first_not_of(around);
  if (from == std::string_view::npos) return {};
  return text.substr(from, text.find_last_not_of(around) - from + 1);
}

// The place of an errno's text in a line.
struct Span {
  std::size_t from = std::string_view::npos;
  std::size_t to = 0;
};

Span find_phrases(std::string_view small, ComplaintKind kind) {
  Span span;
  for (const auto& [each, phrases] : kPhrases) {
    if (each != kind) continue;
    for (const std::string_view phrase : phrases) {
      const std::size_t first = small.find(phrase);
      if (first == std::string_view::npos) continue;
      span.from = std::min(span.from, first);
      span.to = std::max(span.to, small.rfind(phrase) + phrase.size());
    }
  }
  return span;
}

ComplaintKind kind_of(std::string_view small) {
  for (const auto& [kind, phrases] : kPhrases) {
    if (holds_any(small, phrases)) return kind;
  }
  return ComplaintKind::kNone;
}

std::string_view without_scheme(std::string_view name) {
  for (const std::string_view scheme : {"unix://", "file://"}) {
    if (name.starts_with(scheme)) name.remove_prefix(scheme.size());
  }
  return name;
}

// A URL, an address, a number or a date is not a path.
bool may_be_path(std::string_view name) {
  if (name.empty() || name.size() >= kMaxPathBytes) return false;
  if (name.find("://") != std::string_view::npos || name.starts_with("//")) return false;
  // Cut: pytest does so, and other programs.
  if (name.ends_with("...") || name.ends_with("\xe2\x80\xa6")) return false;
  const bool has_slash = name.find('/') != std::string_view::npos;
  if (name.find('@') < std::min(name.find('/'), name.size())) return false;
  if (!has_slash && name.size() > kMaxNameBytes) return false;
  return name.front() == '/' || std::any_of(name.begin(), name.end(), is_letter);
}

class Reader {
 public:
  Reader(std::string_view line, ComplaintKind kind)
      : line_(line), small_(in_small_letters(line)), span_(find_phrases(small_, kind)) {}

  std::vector<std::string> paths(bool within_quotes = false) {
    if (span_.from == std::string_view::npos) return {};
    take_ruby();
    if (paths_.empty() && !within_quotes) take_quoted();
    if (!paths_.empty()) return std::move(paths_);
    take_after();
    if (paths_.empty()) take_before();
    if (paths_.empty()) take_slashed(line_.substr(first_word_end()), true);
    return std::move(paths_);
  }

 private:
  void add(std::string_view name) {
    constexpr std::size_t kMaxPaths = 16;
    const std::string path(without_scheme(name));
    const bool known = std::find(paths_.begin(), paths_.end(), path) != paths_.end();
    if (may_be_path(path) && !known && paths_.size() < kMaxPaths) paths_.push_back(path);
  }

  void take_quoted() {
    const bool is_data = trimmed(line_).starts_with("{");
    for (std::size_t at = 0; at < line_.size();) {
      const auto [text, end] = quoted_at(at);
      if (end == 0) {
        ++at;
        continue;
      }
      at = end;
      const ComplaintKind kind = kind_of(in_small_letters(text));
      if (kind != ComplaintKind::kNone) {
        for (const std::string& path : Reader(text, kind).paths(true)) add(path);
      } else if (!is_data || text.find('/') != std::string_view::npos) {
        add(text);
      }
    }
  }

  // Returns the text quoted from `at` on, and where that ends; 0: nothing is quoted.
  std::pair<std::string_view, std::size_t> quoted_at(std::size_t at) {
    if (at > 0 && is_word(line_[at - 1])) return {};
    std::pair<std::string_view, std::size_t> found;
    for (std::size_t i = 0; i < kQuotes.size(); ++i) {
      const Quotes& quotes = kQuotes[i];
      if (no_more_[i] || !line_.substr(at).starts_with(quotes.open)) continue;
      const std::size_t from = at + quotes.open.size();
      std::size_t close = from;
      while ((close = line_.find(quotes.close, close)) != std::string_view::npos) {
        const std::size_t end = close + quotes.close.size();
        if (end >= line_.size() || !is_word(line_[end])) break;
        close = end;
      }
      if (close == std::string_view::npos) {
        no_more_[i] = true;
      } else if (found.second == 0 || close < from + found.first.size()) {
        found = {line_.substr(from, close - from), close + quotes.close.size()};
      }
    }
    return found;
  }

  // "in `initialize': Permission denied @ rb_sysopen - out.txt (Errno::EACCES)"
  void take_ruby() {
    constexpr std::string_view kBefore = " - ";
    std::string_view rest = line_.substr(std::min(line_.find(" @ "), line_.size()));
    if (!rest.starts_with(" @ rb_") && !rest.starts_with(" @ dir_")) return;
    rest.remove_prefix(std::min(rest.find(kBefore), rest.size()));
    rest.remove_prefix(std::min(kBefore.size(), rest.size()));
    add(rest.substr(0, rest.rfind(" (")));
  }

  // "zsh: permission denied: out.txt"
  void take_after() {
    std::string_view rest = line_.substr(span_.to);
    if (!rest.starts_with(": ")) return;
    rest = trimmed(rest.substr(1));
    take_slashed(rest, false);
    const bool one_word = rest.find_first_of(kSpace) == std::string_view::npos;
    if (paths_.empty() && one_word) add_last(rest);
  }

  // "open /etc/x: read-only file system", "out.txt (Permission denied)", "tar: x: Cannot open: …"
  void take_before() {
    std::string_view rest = trimmed(line_.substr(0, span_.from));
    if (rest.empty() || std::string_view(":(-").find(rest.back()) == std::string_view::npos) return;
    rest.remove_suffix(1);
    constexpr int kMaxSegments = 3;
    for (int i = 0; i < kMaxSegments && paths_.empty() && !rest.empty(); ++i) {
      rest = trimmed(rest);
      const std::size_t colon = rest.rfind(": ");
      const bool first = colon == std::string_view::npos;
      const std::string_view segment = trimmed(first ? rest : rest.substr(colon + 1));
      rest = first ? std::string_view{} : rest.substr(0, colon);
      const bool one_word = segment.find_first_of(kSpace) == std::string_view::npos;
      if (first && one_word && is_program(segment)) return;
      take_slashed(segment, false);
      if (paths_.empty() && !(first && one_word && segment.find('.') == std::string_view::npos)) {
        add_last(segment);
      }
    }
  }

  static bool is_program(std::string_view word) {
    return std::any_of(kProgramTrees.begin(), kProgramTrees.end(),
                       [word](std::string_view tree) { return word.starts_with(tree); });
  }

  void add_last(std::string_view segment) {
    const Words words = split(segment, kSpace);
    if (words.empty()) return;
    const std::string_view word = trimmed(words.back(), kAround);
    if (!is_one_of(in_small_letters(word), kNoNames)) add(word);
  }

  // `sure`: accept only what can hardly be anything else, because it may be anywhere.
  void take_slashed(std::string_view text, bool sure) {
    for (std::string_view word : split(text, kSpace)) {
      word = trimmed(word, kAround);
      // "fopen(/etc/x)", "path=/etc/x"
      const std::size_t start =
          word.rfind("(/") == std::string_view::npos ? word.rfind("=/") : word.rfind("(/");
      if (start != std::string_view::npos) word.remove_prefix(start + 1);
      if (sure && word.size() > 1 && word.back() == '.' && is_word(word[word.size() - 2])) {
        word.remove_suffix(1);
      }
      if (word.find('/') == std::string_view::npos || word == "/") continue;
      if (!sure || word.front() == '/' || word.starts_with("./") || word.starts_with("../") ||
          word.starts_with("unix:///")) {
        add(word);
      }
    }
  }

  // Removes a program's name at the start, with its colon.
  std::size_t first_word_end() const {
    const std::size_t end = line_.find_first_of(kSpace);
    return end != std::string_view::npos && end > 0 && line_[end - 1] == ':' ? end : 0;
  }

  std::string_view line_;
  std::string small_;
  Span span_;
  std::array<bool, kQuotes.size()> no_more_{};
  std::vector<std::string> paths_;
};

bool is_reader(std::string_view small) {
  std::string_view program = small.substr(0, std::min(small.find(':'), small.size()));
  program.remove_prefix(std::min(program.rfind('/') + 1, program.size()));
  return is_one_of(program, kReaders);
}

}  // namespace

std::vector<std::string_view> split(std::string_view text, std::string_view separators) {
  Words parts;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find_first_of(separators, at), text.size());
    if (end > at) parts.push_back(text.substr(at, end - at));
    at = end + 1;
  }
  return parts;
}

std::string in_small_letters(std::string_view text) {
  std::string small(text);
  for (char& character : small) {
    character = static_cast<char>(std::tolower(static_cast<unsigned char>(character)));
  }
  return small;
}

bool holds_any(std::string_view text, const std::vector<std::string_view>& words) {
  return std::any_of(words.begin(), words.end(), [text](std::string_view word) {
    return text.find(word) != std::string_view::npos;
  });
}

Complaint read_complaint(std::string_view line) {
  Complaint complaint;
  const std::string small = in_small_letters(line);
  complaint.kind = kind_of(small);
  if (complaint.kind == ComplaintKind::kNone) return complaint;
  complaint.not_permitted =
      complaint.kind == ComplaintKind::kDenied && holds_any(small, kNotPermitted);
  complaint.reading = is_reader(small) || holds_any(small, kReading);
  complaint.writing = !complaint.reading && holds_any(small, kWriting);
  complaint.paths = Reader(line, complaint.kind).paths();
  return complaint;
}

}  // namespace gibbous
