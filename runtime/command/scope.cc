#include "runtime/command/scope.h"

#include <algorithm>
#include <unordered_set>
#include <utility>

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxValues = 16;
constexpr std::size_t kMaxDirectories = 4;

bool same(const Value& one, const Value& other) {
  return one.text == other.text && one.holes.size() == other.holes.size();
}

bool equal(const Variable& one, const Variable& other) {
  return one.unknown == other.unknown && one.array == other.array &&
         std::equal(one.values.begin(), one.values.end(), other.values.begin(), other.values.end(),
                    same);
}

void unite(const Variable& with, Variable* into) {
  into->unknown = into->unknown || with.unknown;
  into->exported = into->exported && with.exported;
  if (into->array || with.array) {  // the index of each element is no longer known
    into->unknown = into->unknown || !equal(with, *into);
    into->array = true;
  }
  for (const Value& value : with.values) {
    const auto there = [&](const Value& each) { return same(each, value); };
    if (std::any_of(into->values.begin(), into->values.end(), there)) continue;
    if (into->values.size() >= kMaxValues) {
      into->unknown = true;
      return;
    }
    into->values.push_back(value);
  }
}

void unite(const Directory& with, Directory* into) {
  into->unknown = into->unknown || with.unknown;
  for (const std::string& path : with.paths) {
    if (std::find(into->paths.begin(), into->paths.end(), path) != into->paths.end()) continue;
    if (into->paths.size() >= kMaxDirectories) {
      into->unknown = true;
      return;
    }
    into->paths.push_back(path);
  }
}

void unite(const std::vector<Function::Body>& with, std::vector<Function::Body>* into) {
  for (const Function::Body& body : with) {
    const auto there = [&](const Function::Body& each) { return each.node == body.node; };
    if (std::none_of(into->begin(), into->end(), there)) into->push_back(body);
  }
}

}  // namespace

void Scope::begin(Directory cwd) {
  cwd_ = std::move(cwd);
  positional_.emplace();
}

const Variable* Scope::find(const std::string& name) const {
  const auto found = variables_.find(name);
  if (found == variables_.end()) return nullptr;
  return found->second.born < shell_ && !found->second.exported ? nullptr : &found->second;
}

void Scope::note_variable(const std::string& name) {
  Change change{Change::Kind::kVariable, name, std::nullopt, std::nullopt, {}, std::nullopt};
  const auto found = variables_.find(name);
  if (found != variables_.end()) change.variable = found->second;
  journal_.push_back(std::move(change));
}

void Scope::set(const std::string& name, Variable value) {
  if (!distorted_.empty() && distorted_.count(name) > 0) {
    forget(name);
    return;
  }
  note_variable(name);
  put(name, std::move(value));
}

void Scope::put(const std::string& name, Variable value) {
  value.born = ++changes_;
  Variable& now = variables_[name];
  value.exported = value.exported || now.exported;
  if (fixed_.empty() || fixed_.count(name) == 0) {
    now = std::move(value);
  } else {
    unite(value, &now);
  }
  const auto [ever, first] = ever_.try_emplace(name, now);
  if (!first) unite(now, &ever->second);
}

void Scope::forget(const std::string& name) {
  ever_[name].unknown = true;
  if (variables_.count(name) == 0) return;
  note_variable(name);
  ++changes_;
  variables_.erase(name);
}

void Scope::forget_all() {
  std::vector<std::string> names;
  for (const auto& [name, variable] : variables_) names.push_back(name);
  for (const std::string& name : names) {
    const bool stays = name == "HOME" || name == "PWD" || name == "OLDPWD";
    if (!stays) forget(name);
  }
}

void Scope::keep_forgotten(Mark mark) {
  const std::size_t end = journal_.size();
  for (std::size_t at = mark; at < end; ++at) {
    const std::string name = journal_[at].name;
    const bool forgotten =
        journal_[at].kind == Change::Kind::kVariable && variables_.count(name) == 0;
    std::optional<Variable> before = journal_[at].variable;  // put() may move the journal
    if (!forgotten || !before) continue;
    before->unknown = true;
    set(name, std::move(*before));
  }
}

void Scope::put_in_environment(const std::string& name) {
  const auto found = variables_.find(name);
  if (found == variables_.end() || found->second.exported) return;
  note_variable(name);
  variables_[name].exported = true;
}

void Scope::distort(const std::string& name) {
  distorted_.insert(name);
  forget(name);
}

const Function* Scope::function(const std::string& name) const {
  const auto found = functions_.find(name);
  return found == functions_.end() ? nullptr : &found->second;
}

void Scope::note_function(const std::string& name) {
  Change change{Change::Kind::kFunction, name, std::nullopt, std::nullopt, {}, std::nullopt};
  const auto found = functions_.find(name);
  if (found != functions_.end()) change.function = found->second;
  journal_.push_back(std::move(change));
  ++changes_;
}

void Scope::define(const std::string& name, Function::Body body) {
  note_function(name);
  Function function;
  function.bodies.push_back(body);
  functions_[name] = std::move(function);
}

void Scope::remove_function(const std::string& name) {
  if (functions_.count(name) == 0) return;
  note_function(name);
  functions_[name].certain = false;
}

void Scope::enter(Directory to) {
  journal_.push_back(
      {Change::Kind::kDirectory, "", std::nullopt, std::nullopt, std::move(cwd_), std::nullopt});
  cwd_ = std::move(to);
  ++changes_;
}

void Scope::set_positional(std::optional<std::vector<Value>> values) {
  journal_.push_back(
      {Change::Kind::kPositional, "", std::nullopt, std::nullopt, {}, std::move(positional_)});
  positional_ = std::move(values);
  ++changes_;
}

void Scope::restore(Mark mark) {
  while (journal_.size() > mark) {
    Change change = std::move(journal_.back());
    journal_.pop_back();
    switch (change.kind) {
      case Change::Kind::kVariable:
        if (change.variable) {
          variables_[change.name] = std::move(*change.variable);
        } else {
          variables_.erase(change.name);
        }
        break;
      case Change::Kind::kFunction:
        if (change.function) {
          functions_[change.name] = *change.function;
        } else {
          functions_.erase(change.name);
        }
        break;
      case Change::Kind::kDirectory:
        cwd_ = std::move(change.directory);
        break;
      case Change::Kind::kPositional:
        positional_ = std::move(change.positional);
        break;
    }
  }
}

void Scope::merge(Mark mark) {
  std::unordered_set<std::string> seen;
  bool directory = false;
  bool positional = false;
  const std::size_t end = journal_.size();
  for (std::size_t at = mark; at < end; ++at) {
    // Copied, because the notes below may reallocate the journal.
    switch (journal_[at].kind) {
      case Change::Kind::kVariable: {
        const std::string name = journal_[at].name;
        if (!seen.insert(name).second) break;
        const std::optional<Variable> before = journal_[at].variable;
        const auto now = variables_.find(name);
        if (now == variables_.end()) break;  // already unknown
        if (!before) {
          now->second.unknown = true;  // unset, or from the environment
        } else {
          unite(*before, &now->second);
        }
        break;
      }
      case Change::Kind::kFunction: {
        const std::string name = journal_[at].name;
        const auto now = functions_.find(name);
        if (now == functions_.end() || !seen.insert(" " + name).second) break;
        const std::optional<Function> before = journal_[at].function;
        const bool certain = before && before->certain && now->second.certain;
        std::vector<Function::Body> bodies = now->second.bodies;
        if (before) unite(before->bodies, &bodies);
        note_function(name);
        functions_[name] = {std::move(bodies), certain};
        break;
      }
      case Change::Kind::kDirectory:
        if (!std::exchange(directory, true)) unite(journal_[at].directory, &cwd_);
        break;
      case Change::Kind::kPositional:
        if (!std::exchange(positional, true)) positional_.reset();
        break;
    }
  }
}

void Scope::merge_directory(Mark mark) {
  const auto moves = [](const Change& each) { return each.kind == Change::Kind::kDirectory; };
  const auto from = journal_.begin() + static_cast<std::ptrdiff_t>(mark);
  const auto moved = std::find_if(from, journal_.end(), moves);
  if (moved == journal_.end()) return;
  unite(moved->directory, &cwd_);
  merge_variables(mark, [](const std::string& name) { return name == "PWD" || name == "OLDPWD"; });
}

void Scope::merge_variables(Mark mark) {
  merge_variables(mark, [](const std::string&) { return true; });
}

template <typename Counts>
void Scope::merge_variables(Mark mark, Counts counts) {
  std::unordered_set<std::string> seen;
  for (std::size_t at = mark; at < journal_.size(); ++at) {
    const Change& change = journal_[at];
    if (change.kind != Change::Kind::kVariable || !counts(change.name)) continue;
    if (!seen.insert(change.name).second) continue;
    const auto now = variables_.find(change.name);
    if (now == variables_.end()) continue;
    if (change.variable) {
      unite(*change.variable, &now->second);
    } else {
      now->second.unknown = true;
    }
  }
}

Scope::Turn Scope::turn(Mark mark) const {
  Turn made;
  std::unordered_set<std::string> seen;
  bool positional = false;
  bool directory = false;
  for (std::size_t at = mark; at < journal_.size(); ++at) {
    const Change& change = journal_[at];
    switch (change.kind) {
      case Change::Kind::kVariable: {
        if (!change.variable || !seen.insert(change.name).second) break;
        const auto now = variables_.find(change.name);
        if (now == variables_.end() || !equal(*change.variable, now->second))
          made.names.push_back(change.name);
        break;
      }
      case Change::Kind::kPositional: {
        if (std::exchange(positional, true)) break;
        const bool both = change.positional && positional_;
        const bool as_before =
            both ? std::equal(change.positional->begin(), change.positional->end(),
                              positional_->begin(), positional_->end(), same)
                 : !change.positional && !positional_;
        made.positional = !as_before;
        break;
      }
      case Change::Kind::kDirectory:
        if (std::exchange(directory, true)) break;
        made.directory =
            change.directory.paths != cwd_.paths || change.directory.unknown != cwd_.unknown;
        break;
      case Change::Kind::kFunction:
        break;  // uncalled functions are walked at the end
    }
  }
  return made;
}

void Scope::loosen(const Turn& turn) {
  for (const std::string& name : turn.names) {
    const auto found = variables_.find(name);
    if (found == variables_.end() || found->second.unknown) continue;
    note_variable(name);
    variables_[name].unknown = true;
  }
  if (turn.positional) set_positional(std::nullopt);
  if (turn.directory) enter({cwd_.paths, true});
}

void Scope::loosen_all() {
  Turn all;
  for (const auto& [name, variable] : variables_) {
    if (name != "HOME" && name != "IFS") all.names.push_back(name);
  }
  all.positional = true;
  all.directory = true;
  loosen(all);
}

std::size_t Scope::enter_shell() {
  set_positional(std::vector<Value>{});
  return std::exchange(shell_, ++changes_);
}

void Scope::blur() {
  for (auto& [name, variable] : ever_) {
    note_variable(name);
    variables_[name] = variable;
    variables_[name].born = ++changes_;
  }
  set_positional(std::nullopt);
  enter({cwd_.paths, true});
}

}  // namespace gibbous::command
