// Splits a shell line into words, roughly: quotes, blanks and command separators are enough to see
// which word is the value of which option. Quoted words may be code themselves (sh -c '…') and are
// searched again, a few levels deep.
#include <algorithm>
#include <array>
#include <cstdint>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>
#include <vector>

#include "runtime/audit/secret_span.h"

namespace gibbous {
namespace {

constexpr int kMaxDepth = 4;
constexpr std::size_t kNone = std::string_view::npos;

// An option that is a password for these programs, although its name does not say so.
struct Option {
  std::string_view programs;  // between blanks
  std::string_view needs;     // a word that must be there too: "login"; "" for none
  std::string_view flag;
  bool separate;       // -p x
  bool attached;       // -px, --user=x
  char behind = '\0';  // the secret begins behind this: name:secret
};

constexpr std::array<Option, 24> kOptions = {{
    {" mysql mysqldump mysqladmin mysqlimport mysqlshow mariadb mariadb-dump mariadb-admin mycli ",
     "", "-p", false, true},
    {" sshpass ", "", "-p", true, true},
    {" redis-cli valkey-cli ", "", "-a", true, false},
    {" mongo mongosh mongodump mongorestore mongoexport mongoimport ", "", "-p", true, true},
    {" curl ", "", "-u", true, true, ':'},
    {" curl ", "", "-U", true, true, ':'},
    {" curl ", "", "--user", true, true, ':'},
    {" curl ", "", "--proxy-user", true, true, ':'},
    {" http https xh xhs ", "", "-a", true, true, ':'},
    {" http https xh xhs ", "", "--auth", true, true, ':'},
    {" docker podman nerdctl buildah skopeo helm oras crane az oc ", "login", "-p", true, true},
    {" twine ", "upload", "-p", true, true},
    {" smbclient rpcclient ", "", "-U", true, true, '%'},
    {" ldapsearch ldapmodify ldapadd ldapdelete ldapwhoami ldappasswd ", "", "-w", true, true},
    {" sqlcmd bcp ", "", "-P", true, true},
    {" mosquitto_pub mosquitto_sub ", "", "-P", true, true},
    {" unzip zip ", "", "-P", true, true},
    {" 7z 7za 7zz 7zr rar unrar ", "", "-p", false, true},
    {" gh ", "secret", "-b", true, true},
    {" gh ", "secret", "--body", true, true},
    {" openssl ", "", "-k", true, false},
    {" openssl ", "", "-K", true, false},
    {" lftp ", "", "-u", true, true, ','},
    {" lftp ", "", "--user", true, true, ','},
}};

// What a word may mean in a command: bits of kOptions.
struct Meaning {
  std::uint32_t options = 0;  // of this program
  std::uint32_t needs = 0;    // that need this word
};

Meaning meaning_of_word(std::string_view word) {
  static const auto known = [] {
    std::unordered_map<std::string_view, Meaning> made;
    for (std::size_t which = 0; which < kOptions.size(); ++which) {
      const std::uint32_t bit = 1U << which;
      std::string_view left = kOptions[which].programs.substr(1);
      while (!left.empty()) {
        const std::size_t end = left.find(' ');
        made[left.substr(0, end)].options |= bit;
        left.remove_prefix(end + 1);
      }
      if (!kOptions[which].needs.empty()) made[kOptions[which].needs].needs |= bit;
    }
    return made;
  }();
  const auto found = known.find(word);
  return found == known.end() ? Meaning() : found->second;
}

bool is_name(std::string_view text) {
  return std::all_of(text.begin(), text.end(),
                     [](char c) { return is_alnum(c) || c == '-' || c == '_' || c == '.'; });
}

struct Word {
  std::size_t begin = 0;
  std::size_t end = 0;
  std::vector<SecretSpan> pieces;  // quoted ones, without their quotes
};

class Words {
 public:
  Words(std::string_view text, SecretSpans& spans) : text_(text), spans_(spans) {}

  // `escaped`: inside "…", where a quote is written \".
  void scan(std::size_t begin, std::size_t end, bool escaped, int depth) {
    State state;
    for (std::size_t at = begin; at < end;) {
      const char c = text_[at];
      if (is_blank(c) || c == '\r' || c == '<' || c == '>') {
        ++at;
      } else if (c == '\\' && at + 1 < end && text_[at + 1] == '\n') {
        at += 2;
      } else if (is_separator(c)) {
        state = State();
        ++at;
      } else {
        const Word word = read_word(at, end, escaped);
        at = word.end;
        const bool is_code = look_at(word, state);
        if (depth < kMaxDepth && is_code) {
          for (const SecretSpan& piece : word.pieces) {
            scan(piece.begin, piece.end, text_[piece.begin - 1] == '"', depth + 1);
          }
        }
      }
    }
  }

 private:
  // The state of one simple command.
  struct State {
    std::uint32_t options = 0;  // bits: the programs that were named
    std::uint32_t needs = 0;    // bits: the other words that were named
    bool sets = false;          // `set NAME VALUE` is possible
    bool code_follows = false;  // after -c, eval
    bool value_follows = false;
    bool is_doubtful = false;  // whether that value may be missing
    char behind = '\0';
  };

  static bool is_separator(char c) {
    return c == ';' || c == '&' || c == '|' || c == '\n' || c == '(' || c == ')' || c == '`';
  }

  Word read_word(std::size_t begin, std::size_t end, bool escaped) const {
    Word word;
    word.begin = begin;
    std::size_t at = begin;
    while (at < end) {
      const char c = text_[at];
      if (is_space(c) || is_separator(c) || c == '<' || c == '>') break;
      const bool escaped_quote = escaped && c == '\\' && at + 1 < end && text_[at + 1] == '"';
      if (c == '\\' && !escaped_quote) {
        at += 2;
      } else if (escaped_quote || is_quote(c)) {
        const std::size_t opening = escaped_quote ? 2 : 1;
        const std::size_t closing = closing_quote(at + opening, end, text_.substr(at, opening));
        word.pieces.push_back({at + opening, closing});
        at = closing + opening;
      } else {
        ++at;
      }
    }
    word.end = std::min(at, end);
    return word;
  }

  std::size_t closing_quote(std::size_t at, std::size_t end, std::string_view mark) const {
    for (; at < end; ++at) {
      if (text_.substr(at, mark.size()) == mark) return at;
      if (mark == "\"" && text_[at] == '\\') ++at;
    }
    return end;
  }

  // Returns true when its quoted text is to be searched as code.
  bool look_at(const Word& word, State& state) {
    const auto [begin, end] = without_quotes(text_, {word.begin, word.end});
    const std::string_view content = text_.substr(begin, end - begin);
    const bool is_quoted = begin > word.begin;
    const bool is_code = std::exchange(state.code_follows, false) && is_quoted;
    const bool is_option = content.starts_with('-') && content.size() > 1;

    if (std::exchange(state.value_follows, false) && (!is_option || is_quoted)) {
      // These name a secret that is stored elsewhere: --secret id=x,src=file
      if (!content.starts_with("id=") && !content.starts_with("type=")) {
        if (!state.is_doubtful || is_secret_behind_maybe(content)) take(begin, end, state.behind);
        return false;
      }
    }
    if (!is_code && assignment(content, begin, end)) return false;
    if (is_option) {
      option(content, begin, end, !is_quoted, state);
    } else if (!is_code) {
      plain_word(content, state);
    }
    return content.find_first_of(" \t\n") != kNone || is_code;
  }

  // NAME=value, --name=value, as far as the word goes.
  bool assignment(std::string_view content, std::size_t begin, std::size_t end) {
    const std::size_t equals = content.find('=');
    if (equals == kNone) return false;
    std::string_view name = content.substr(0, equals);
    if (name.ends_with('+')) name.remove_suffix(1);
    if (!is_name(name) || meaning_of_name(name) != NameMeans::kSecret) return false;
    take(begin + equals + 1, end);
    return true;
  }

  void option(std::string_view content, std::size_t begin, std::size_t end, bool is_bare,
              State& state) {
    const bool is_long = content.starts_with("--");
    for (std::size_t which = 0; state.options >> which != 0; ++which) {
      const Option& option = kOptions[which];
      if ((state.options >> which & 1U) == 0 || !content.starts_with(option.flag)) continue;
      if (!option.needs.empty() && (state.needs >> which & 1U) == 0) continue;
      const std::size_t behind = option.flag.size();
      if (content.size() == behind) {
        state.value_follows = option.separate;
        state.behind = option.behind;
        state.is_doubtful = false;
        return;
      }
      if (!option.attached || (is_long && content[behind] != '=')) continue;
      take(begin + behind + (is_long ? 1 : 0), end, option.behind);
      return;
    }
    constexpr std::size_t kLeastCodeFlag = 2;
    // -c, -lc, -ec: what follows is code for a shell.
    state.code_follows = !is_long && content.size() >= kLeastCodeFlag && content.back() == 'c' &&
                         std::all_of(content.begin() + 1, content.end(), is_letter);
    const std::string_view name = content.substr(is_long ? 2 : 1);
    constexpr std::size_t kLeastName = 4;
    if (!is_bare || name.size() < kLeastName || (name == "pass" && !is_long)) return;
    if (!is_name(name)) return;
    const NameMeans meaning = meaning_of_name(name);
    const bool is_secret = meaning == NameMeans::kSecret ||
                           (meaning == NameMeans::kMaybe && !name.ends_with('s')) || name == "pass";
    state.value_follows = is_secret && !is_flag_name(name);
    state.is_doubtful = meaning == NameMeans::kMaybe;
    state.behind = '\0';
  }

  void plain_word(std::string_view content, State& state) {
    const std::size_t slash = content.rfind('/');
    const std::string_view base = slash == kNone ? content : content.substr(slash + 1);
    constexpr std::size_t kMostWord = 24;
    if (!base.empty() && base.size() <= kMostWord) {
      const Meaning meaning = meaning_of_word(base);
      state.options |= meaning.options;
      state.needs |= meaning.needs;
    }
    // aws configure set NAME VALUE, setenv NAME VALUE, npm config set //host/:_authToken VALUE
    const std::size_t colon = base.rfind(':');
    const std::string_view name = colon == kNone ? base : base.substr(colon + 1);
    if (state.sets && name.find_first_of(" =") == kNone &&
        meaning_of_name(name) == NameMeans::kSecret) {
      state.value_follows = true;
      state.is_doubtful = false;
      state.behind = '\0';
    }
    state.sets = state.sets || base == "set" || base == "setenv" || base == "setx";
    state.code_follows = base == "eval";
  }

  void take(std::size_t begin, std::size_t end, char behind = '\0') {
    const SecretSpan inside = without_quotes(text_, {begin, end});  // the quotes stay
    const std::string_view value = text_.substr(inside.begin, inside.end - inside.begin);
    const std::size_t cut = behind == '\0' ? 0 : value.find(behind) + 1;  // npos + 1 is 0
    if ((behind != '\0' && cut == 0) || is_harmless(value.substr(cut))) return;
    spans_.push_back({inside.begin + cut, inside.end});
  }

  std::string_view text_;
  SecretSpans& spans_;
};

}  // namespace

void find_word_values(std::string_view text, SecretSpans& spans) {
  Words(text, spans).scan(0, text.size(), false, 0);
}

}  // namespace gibbous
