#include "bindings/lua/policy/question.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <cerrno>
#include <optional>
#include <set>
#include <string_view>

#include "bindings/json/text.h"
#include "bindings/lua/policy/judgement.h"
#include "runtime/base/sha256.h"
#include "runtime/base/shell_quote.h"
#include "runtime/base/state_file.h"
#include "runtime/base/unique_fd.h"
#include "runtime/paths/walk.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxAskedCommands = 50;
constexpr std::size_t kMaxAskedBytes = 500;

// "sudo rm -rf /etc (in sh -c)"
std::string show(const command::SimpleCommand& command) {
  std::string text;
  for (const std::string& wrapper : command.wrappers) text += wrapper + " ";
  for (const command::Value& word : command.argv) text += word.text + " ";
  if (!text.empty()) text.pop_back();
  text = command::escaped(text, kMaxAskedBytes);
  std::string by;
  for (const command::Nesting& each : command.nesting) {
    if (!each.by.empty()) by = each.by;
  }
  return by.empty() ? text : text + "  (in " + by + ")";
}

// Rules that stand for whatever is not known, or for what the caller chooses.
bool may_be_approved(std::string_view id) {
  if (const std::size_t layer = id.find(':'); layer != std::string_view::npos) {
    id.remove_prefix(layer + 1);
  }
  for (const char* catch_all : {"code.", "doubt.", "sandbox.", "secrets.", "executors."}) {
    if (id.starts_with(catch_all)) return false;
  }
  return !id.starts_with("modes.") || !id.ends_with(".unmatched");
}

// Returns the words of a line that is one command of literal words and nothing else; none for any
// other.
std::vector<std::string> plain_words(const PolicyRequest& asked, const Verdict& verdict) {
  if (verdict.judgement == nullptr) return {};
  const command::Facts& facts = verdict.judgement->facts;
  const std::string line = asked.argv.empty() ? asked.command.value_or("") : "";
  if (facts.commands.size() != 1 || line.find_first_of("<>|&;`$(){}!#*?[~\n\\") != line.npos) {
    return {};
  }
  const command::SimpleCommand& command = facts.commands.front();
  if (!command.nesting.empty() || !command.wrappers.empty() || !command.assignments.empty()) {
    return {};
  }
  std::vector<std::string> words;
  for (const command::Value& word : command.argv) {
    if (!word.literal()) return {};
    words.push_back(word.text);
  }
  if (!asked.argv.empty() && asked.argv != words) return {};
  return words;
}

std::string quoted(const std::vector<std::string>& words, std::size_t count) {
  std::string text;
  for (std::size_t i = 0; i < count; ++i) text += (i == 0 ? "" : " ") + shell_quote(words[i]);
  return text;
}

// Programs whose words are code, or another program.
bool runs_others(const std::string& program) {
  static const std::set<std::string> kNames = {
      "sh",     "bash",    "dash",   "zsh",     "ksh",  "fish",  "nu",   "xonsh", "pwsh",
      "python", "python3", "node",   "deno",    "bun",  "ruby",  "perl", "php",   "lua",
      "luajit", "Rscript", "ssh",    "sudo",    "doas", "su",    "env",  "xargs", "parallel",
      "nohup",  "nice",    "setsid", "timeout", "time", "watch", "find", "eval",  "exec",
      "source", ".",       "npx",    "bunx",    "pnpx", "uvx",   "pipx", "make",  "awk"};
  return kNames.count(program) != 0;
}

// How many words a prefix has: those in front of the options, but the last, two or three; 0: none.
std::size_t prefix_length(const std::vector<std::string>& words) {
  constexpr std::size_t kMostWords = 3;
  std::size_t plain = 0;
  while (plain < words.size() && !words[plain].empty() && words[plain].front() != '-') ++plain;
  if (plain == words.size() && plain > 0) --plain;  // the last word is what may differ
  return plain < 2 ? 0 : std::min(plain, kMostWords);
}

// The rules belong to the key: a command that another rule asks about, too, is another question.
std::string prefix_key(const std::string& prefix, std::vector<std::string> rules) {
  std::sort(rules.begin(), rules.end());
  std::string key = prefix + " *  (";
  for (std::size_t i = 0; i < rules.size(); ++i) key += (i == 0 ? "" : ", ") + rules[i];
  return key + ")";
}

void offer_prefixes(const std::vector<std::string>& words, const std::string& program,
                    AskRequest* request) {
  if (words.size() < 2 || !request->may_approve_rules || runs_others(program)) return;
  for (std::size_t count = 2; count < words.size() && count <= prefix_length(words) + 1; ++count) {
    request->prefixes.push_back(prefix_key(quoted(words, count), request->rules));
  }
  if (const std::size_t count = prefix_length(words); count > 0) {
    request->prefix = quoted(words, count) + " *";
  }
}

// Nothing for what is no regular file of bounded size.
std::optional<std::string> read_script(const std::string& path) {
  constexpr std::size_t kMostBytes = std::size_t{1} << 20;
  const UniqueFd file(::open(path.c_str(), O_RDONLY | O_NONBLOCK | O_NOCTTY | O_CLOEXEC));
  struct stat status {};
  if (!file || ::fstat(file.get(), &status) != 0 || !S_ISREG(status.st_mode) ||
      static_cast<std::uint64_t>(status.st_size) > kMostBytes) {
    return std::nullopt;
  }
  return read_whole(file, kMostBytes);
}

// Returns whether the first operand is a file of code, for which a package's name never stands.
bool takes_script(const command::SimpleCommand& command) {
  constexpr std::string_view kInterpreters[] = {"sh",     "bash", "dash", "zsh",  "ksh",
                                                "python", "node", "perl", "ruby", "php"};
  return std::any_of(std::begin(kInterpreters), std::end(kInterpreters),
                     [&](std::string_view each) { return command.program.starts_with(each); }) ||
         command.program == "." || command.program == "source";
}

// What a script says now is what was seen: with another text it is another command.
std::string script_marks(const PolicyRequest& asked, const Verdict& verdict) {
  std::string marks;
  if (verdict.judgement == nullptr || asked.kind == RequestKind::kStdin) return marks;
  for (const command::SimpleCommand& command : verdict.judgement->facts.commands) {
    for (const command::Access& access : command.accesses) {
      if (access.kind != command::AccessKind::kExecute || command.remote) continue;
      if ((access.classes & command::kInWorkspace) == 0 || access.recursive) continue;
      const bool answers = paths::answers_at_once(access.path);
      const bool missing = answers && ::access(access.path.c_str(), F_OK) != 0 && errno == ENOENT;
      if (missing && !takes_script(command)) {  // the name of a package, as a rule
        marks += "\n# " + access.written + " missing";
        continue;
      }
      const auto text = answers ? read_script(access.path) : std::nullopt;
      // What cannot be read counts once.
      marks += "\n# " + access.written + " " + (text ? sha256_hex(*text) : verdict.id);
    }
  }
  return marks;
}

}  // namespace

AskRequest make_question(const PolicyRequest& asked, const Verdict& verdict) {
  AskRequest request;
  request.id = verdict.id;
  request.session = asked.session;
  request.tool = asked.tool;
  const Json arguments = asked.arguments.is_null() ? Json::object() : asked.arguments;
  request.arguments = to_text(arguments);
  request.effect = name_of(asked.kind);
  request.reason = verdict.reason;
  request.rule = verdict.rule;
  request.rules = verdict.asks;
  request.may_approve_rules =
      !request.rules.empty() &&
      std::all_of(request.rules.begin(), request.rules.end(), may_be_approved);
  request.file = verdict.file;
  request.line = verdict.line;
  request.mode = asked.mode;
  request.workspace = asked.workspace;
  if (verdict.judgement != nullptr && asked.echo != TypedEcho::kHidden) {
    const command::Facts& facts = verdict.judgement->facts;
    request.command = facts.shown;
    for (const command::SimpleCommand& command : facts.commands) {
      if (request.commands.size() == kMaxAskedCommands) {
        request.commands.push_back(
            "and " + std::to_string(facts.commands.size() - kMaxAskedCommands) + " more");
        break;
      }
      request.commands.push_back(show(command));
    }
  }
  // The same command in another directory or with other variables is another subject.
  const Json fields = to_json(asked);
  Json subject = Json::object();
  for (const char* key : {"argv", "command", "cwd", "env", "secrets", "log", "text", "signal",
                          "executor", "executor_settings", "allow"}) {
    if (const auto found = fields.find(key); found != fields.end() && !found->empty())
      subject[key] = *found;
  }
  const bool command = asked.command || !asked.argv.empty();
  const bool start =
      asked.kind == RequestKind::kStart || (asked.kind == RequestKind::kCall && command);
  const std::vector<std::string> words =
      start ? plain_words(asked, verdict) : std::vector<std::string>{};
  const bool alone = subject.size() == 1 && (asked.command || !asked.argv.empty());
  if (start && alone && !words.empty()) {
    request.subject = quoted(words, words.size());
    offer_prefixes(words, verdict.judgement->facts.commands.front().program, &request);
  } else if (start && subject.size() == 1 && asked.command) {
    request.subject = *asked.command;
  } else if (start) {
    request.subject = to_text(subject);
  } else {
    if (subject.empty()) subject["args"] = arguments;
    request.subject = request.effect + " " + request.tool + " " + to_text(subject);
  }
  request.subject += script_marks(asked, verdict);
  return request;
}

}  // namespace gibbous::lua
