// Compiles the regexes and plans the searches; block_search.cc searches.
#include "runtime/watch/watch_patterns.h"

#include <algorithm>
#include <array>
#include <cstdint>
#include <map>
#include <utility>

#include "runtime/output/text.h"
#include "runtime/output/utf8.h"
#include "runtime/watch/required_literals.h"

namespace gibbous {
namespace {

// For the programs of regexes and the caches of their automata; beyond it RE2 uses a slower search.
// The watchers of a set share it.
constexpr std::int64_t kMaxSetMemory = std::int64_t{64} << 20;
constexpr std::int64_t kMaxRegexMemory = std::int64_t{4} << 20;
constexpr std::size_t kMaxLiterals = 4096;

re2::RE2::Options line_options(std::size_t watchers) {
  re2::RE2::Options options;
  options.set_log_errors(false);
  options.set_max_mem(
      std::min(kMaxRegexMemory, kMaxSetMemory / static_cast<std::int64_t>(watchers)));
  return options;
}

// \A, \z and \C mean something else in a block than in a line, and so may (?m) and (?-m). \Q would
// also quote what is appended to the regex. Reads escapes and brackets only roughly: an unneeded
// "no" costs speed, never an answer.
bool block_is_exact(std::string_view regex) {
  constexpr std::string_view kDiffering = "AzCQ";
  for (std::size_t at = 0; at + 1 < regex.size(); ++at) {
    if (regex[at] == '\\') {
      ++at;
      if (kDiffering.find(regex[at]) != std::string_view::npos) return false;
    } else if (regex[at] == '(' && regex[at + 1] == '?') {
      const std::size_t end = std::min(regex.find_first_of(":)<", at + 2), regex.size());
      if (regex.substr(at + 2, end - at - 2).find('m') != std::string_view::npos) return false;
    }
  }
  return true;
}

std::unique_ptr<re2::RE2> block_regex(const std::string& regex) {
  re2::RE2::Options options = line_options(1);
  options.set_never_nl(true);
  options.set_never_capture(true);
  auto block = std::make_unique<re2::RE2>("(?m)" + regex, options);
  return block->ok() ? std::move(block) : nullptr;
}

// RE2 names the part of the regex that is wrong; if that is the whole, it shows no place.
std::string where(const std::string& regex, const std::string& part) {
  const std::size_t at = regex.find(part);
  if (part.empty() || part == regex || at == std::string::npos) return "";
  const auto characters =
      std::count_if(regex.begin(), regex.begin() + static_cast<std::ptrdiff_t>(at),
                    [](char byte) { return !is_utf8_continuation(byte); });
  return " (column " + std::to_string(characters + 1) + ")";
}

}  // namespace

WatchPatterns::WatchPatterns(std::vector<WatchSpec> specs) : specs_(std::move(specs)) {}

Result<std::shared_ptr<const WatchPatterns>> WatchPatterns::compile(std::vector<WatchSpec> specs) {
  if (Status status = check_watch_specs(specs); !status) return status;
  std::shared_ptr<WatchPatterns> patterns(new WatchPatterns(std::move(specs)));
  if (Status status = patterns->compile_all(); !status) return status;
  patterns->plan();
  return std::shared_ptr<const WatchPatterns>(std::move(patterns));
}

Status WatchPatterns::compile_all() {
  for (std::size_t watcher = 0; watcher < specs_.size(); ++watcher) {
    if (Status status = compile_one(watcher); !status) return status;
  }
  return {};
}

Status WatchPatterns::compile_one(std::size_t watcher) {
  const std::string& regex = specs_[watcher].regex;
  auto compiled = std::make_unique<re2::RE2>(regex, line_options(specs_.size()));
  if (!compiled->ok()) {
    return Status::error("invalid_arguments",
                         to_utf8(watch_field(watcher, "regex") + compiled->error() +
                                 where(regex, compiled->error_arg()) + " in \"" + regex + "\""));
  }
  std::vector<std::string> names(
      std::min(static_cast<std::size_t>(compiled->NumberOfCapturingGroups()), kMaxWatchGroups));
  for (const auto& [number, name] : compiled->CapturingGroupNames()) {
    const auto group = static_cast<std::size_t>(number) - 1;
    if (group < names.size()) names[group] = name;
  }
  names_.push_back(std::move(names));
  regexes_.push_back(std::move(compiled));
  return {};
}

// Decides how each watcher is searched for.
void WatchPatterns::plan() {
  std::map<std::string, WatcherBits> literals;
  std::vector<std::size_t> searched;
  for (std::size_t watcher = 0; watcher < specs_.size(); ++watcher) {
    const std::vector<std::string> required = required_literals(specs_[watcher].regex);
    if (!required.empty() && literals.size() + required.size() <= kMaxLiterals) {
      for (const std::string& literal : required) literals[literal].add(watcher);
      by_literal_.add(watcher);
    } else if (block_is_exact(specs_[watcher].regex)) {
      searched.push_back(watcher);
    } else {
      by_line_.add(watcher);
    }
  }
  std::vector<std::string> texts;
  for (const auto& [text, owners] : literals) {
    texts.push_back(text);
    owners_.push_back(owners);
  }
  if (!texts.empty()) literals_ = std::make_unique<LiteralFinder>(std::move(texts));
  plan_searches(searched);
}

// Makes one search for all, or else one for each.
void WatchPatterns::plan_searches(const std::vector<std::size_t>& watchers) {
  if (watchers.empty()) return;
  Search all;
  std::string regex;
  for (const std::size_t watcher : watchers) {
    regex += (regex.empty() ? "(?:" : "|(?:") + specs_[watcher].regex + ")";
    all.watchers.add(watcher);
  }
  all.regex = block_regex(regex);
  if (all.regex != nullptr) {
    searches_.push_back(std::move(all));
    return;
  }
  for (const std::size_t watcher : watchers) {
    Search one;
    one.watchers.add(watcher);
    one.regex = block_regex(specs_[watcher].regex);
    if (one.regex == nullptr) {
      by_line_.add(watcher);
    } else {
      searches_.push_back(std::move(one));
    }
  }
}

WatcherBits WatchPatterns::in_scope(WatchStream stream) const {
  WatcherBits watchers;
  for (std::size_t watcher = 0; watcher < specs_.size(); ++watcher) {
    if (gibbous::in_scope(specs_[watcher].scope, stream)) watchers.add(watcher);
  }
  return watchers;
}

bool WatchPatterns::matches(std::size_t watcher, std::string_view line) const {
  return regexes_[watcher]->Match(line, 0, line.size(), re2::RE2::UNANCHORED, nullptr, 0);
}

std::optional<std::string_view> WatchPatterns::find(std::size_t watcher,
                                                    std::string_view line) const {
  re2::StringPiece found;
  if (!regexes_[watcher]->Match(line, 0, line.size(), re2::RE2::UNANCHORED, &found, 1)) {
    return std::nullopt;
  }
  return std::string_view(found.data(), found.size());
}

std::vector<WatchGroup> WatchPatterns::groups(std::size_t watcher, std::string_view line) const {
  const std::vector<std::string>& names = names_[watcher];
  if (names.empty()) return {};
  std::array<re2::StringPiece, kMaxWatchGroups + 1> found;  // the first is the whole match
  if (!regexes_[watcher]->Match(line, 0, line.size(), re2::RE2::UNANCHORED, found.data(),
                                static_cast<int>(names.size()) + 1)) {
    return {};
  }
  std::vector<WatchGroup> groups;
  for (std::size_t group = 0; group < names.size(); ++group) {
    const re2::StringPiece& part = found[group + 1];
    const bool matched = part.data() != nullptr;
    groups.push_back({names[group], matched ? to_utf8({part.data(), part.size()}) : "", matched});
  }
  return groups;
}

}  // namespace gibbous
