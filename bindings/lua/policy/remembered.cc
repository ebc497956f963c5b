#include "bindings/lua/policy/remembered.h"

#include <algorithm>
#include <functional>

#include "bindings/lua/policy/command_policy.h"
#include "runtime/rules/rules.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxLineBytes = 1024;
constexpr std::size_t kMaxCommands = 16;
constexpr std::size_t kMaxAsked = 32;    // paths and directories
constexpr std::size_t kMaxListed = 512;  // entries of directories

// Named one by one, so that a field that is added has to be thought of.
bool same_command(const CommandRequest& one, const CommandRequest& other) {
  const auto& [line, argv, shell, dialects, workspace, cwd, home, env, logs, resolve, paths,
               typed_bytes] = one;
  (void)paths;  // what they say is compared
  return line == other.line && argv == other.argv && shell == other.shell &&
         dialects == other.dialects && workspace == other.workspace && cwd == other.cwd &&
         home == other.home && env == other.env && logs == other.logs && resolve == other.resolve &&
         typed_bytes == other.typed_bytes;
}

std::size_t hash_of(const CommandRequest& request, const std::string& mode) {
  std::size_t hash = std::hash<std::string>()(mode);
  const auto add = [&](const std::string& text) {
    hash = hash * 31 + std::hash<std::string>()(text);
  };
  add(request.line.value_or(""));
  for (const std::string& word : request.argv) add(word);
  return hash;
}

std::size_t bytes_of(const CommandRequest& request) {
  std::size_t bytes = request.line ? request.line->size() : 0;
  for (const std::string& word : request.argv) bytes += word.size();
  return bytes;
}

bool lacks_answers(const CommandRequest& request) {
  return request.paths && (request.paths->has_missing() || request.paths->has_gaps());
}

bool same_entries(const std::vector<command::DirectoryEntry>& one,
                  const std::vector<command::DirectoryEntry>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const command::DirectoryEntry& left, const command::DirectoryEntry& right) {
                      const auto& [name, link, directory] = left;
                      return name == right.name && link == right.link &&
                             directory == right.directory;
                    });
}

bool says_the_same(const RememberedJudgements::Asked& asked, const command::Place& place) {
  for (const auto& [path, real] : asked.paths)
    if (place.resolve(path) != real) return false;
  for (const auto& [path, entries] : asked.directories)
    if (!same_entries(place.list(path), entries)) return false;
  return true;
}

// These are made anew for each request.
PolicyRequest without_paths(PolicyRequest request) {
  request.paths.reset();
  request.prepared.reset();
  return request;
}

std::size_t slot_of(const PolicyRequest& request) {
  return request.kind == RequestKind::kCall ? 0 : 1;
}

}  // namespace

std::shared_ptr<const Judgement> RememberedJudgements::find(const CommandRequest& request,
                                                            const std::string& mode,
                                                            const command::Place& place) const {
  if (entries_.empty() || bytes_of(request) > kMaxLineBytes || lacks_answers(request))
    return nullptr;
  const std::size_t hash = hash_of(request, mode);
  for (const Entry& entry : entries_) {
    if (entry.hash != hash || entry.map != place.map || entry.mode != mode ||
        !same_command(*entry.request, request)) {
      continue;
    }
    const bool same = says_the_same(entry.asked, place) && !lacks_answers(request);
    return same ? entry.judgement : nullptr;
  }
  return nullptr;
}

command::Place RememberedJudgements::noting(const command::Place& place,
                                            std::shared_ptr<Asked> asked) {
  command::Place noted = place;
  noted.resolve = [resolve = place.resolve, asked](const std::string& path) {
    auto real = resolve(path);
    asked->too_much = asked->too_much || asked->paths.size() >= kMaxAsked;
    if (!asked->too_much) asked->paths.emplace_back(path, real);
    return real;
  };
  noted.list = [list = place.list, asked](const std::string& path) {
    auto entries = list(path);
    asked->too_much =
        asked->too_much || asked->directories.size() >= kMaxAsked || entries.size() > kMaxListed;
    if (!asked->too_much) asked->directories.emplace_back(path, entries);
    return entries;
  };
  return noted;
}

void RememberedJudgements::keep(const CommandRequest& request, const std::string& mode,
                                const command::Place& place, const Asked& asked,
                                std::shared_ptr<const Judgement> judgement) {
  if (asked.too_much || bytes_of(request) > kMaxLineBytes || lacks_answers(request) ||
      judgement->facts.commands.size() > kMaxCommands ||
      judgement->outcome.id == rules::kPolicyError) {
    return;
  }
  const std::size_t hash = hash_of(request, mode);
  std::erase_if(entries_, [&](const Entry& entry) {
    return entry.map != place.map ||
           (entry.hash == hash && entry.mode == mode && same_command(*entry.request, request));
  });
  if (entries_.size() >= kMost) entries_.pop_front();
  auto command = std::make_shared<CommandRequest>(request);
  command->paths.reset();
  entries_.push_back({hash, std::move(command), mode, place.map, asked, std::move(judgement), {}});
}

const Verdict* RememberedJudgements::verdict(const PolicyRequest& request,
                                             const Judgement* judgement) const {
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.judgement.get() == judgement;
  });
  if (entry == entries_.end()) return nullptr;
  const std::optional<Said>& said = entry->said[slot_of(request)];
  return said && said->request == without_paths(request) ? &said->verdict : nullptr;
}

void RememberedJudgements::keep_verdict(const PolicyRequest& request, const Verdict& verdict) {
  // Wishes are compared with places that are not part of the request.
  if (!request.allow.empty() || verdict.rule == kErrorRule) return;
  const auto entry = std::find_if(entries_.begin(), entries_.end(), [&](const Entry& each) {
    return each.judgement == verdict.judgement;
  });
  if (entry != entries_.end()) entry->said[slot_of(request)] = {without_paths(request), verdict};
}

}  // namespace gibbous::lua
