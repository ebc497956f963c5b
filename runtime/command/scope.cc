#include "runtime/command/scope.h"

#include <algorithm>
#include <functional>

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxDirectories = 4;

bool same(const Value& one, const Value& other) {
  return one.text == other.text && one.holes.size() == other.holes.size();
}

bool same(const std::vector<Value>& one, const std::vector<Value>& other) {
  return std::equal(one.begin(), one.end(), other.begin(), other.end(),
                    [](const Value& a, const Value& b) { return same(a, b); });
}

// Adds what `into` lacks; returns false if there are too many then.
template <typename Item, typename Same>
bool add_new(const std::vector<Item>& from, std::size_t most, std::vector<Item>* into,
             Same is_same) {
  for (const Item& item : from) {
    const auto there = [&](const Item& each) { return is_same(each, item); };
    if (std::any_of(into->begin(), into->end(), there)) continue;
    if (into->size() >= most) return false;
    into->push_back(item);
  }
  return true;
}

// These return true if `now`, which may be as `before` from then on, differs from it.
bool unite(const Directory& before, Directory* now) {
  const bool fits = add_new(before.paths, kMaxDirectories, &now->paths, std::equal_to<>());
  now->unknown = now->unknown || before.unknown || !fits;
  return now->paths.size() != before.paths.size() || now->unknown != before.unknown;
}

bool merge_variable(const Scope::State& from, const std::string& name, Variable* now) {
  const auto found = from.variables.find(name);
  if (found == from.variables.end()) {  // unset, or from the environment
    now->unknown = true;
    return false;
  }
  const Variable& before = found->second;
  if (before.array || now->array) {
    now->unknown = now->unknown || before.array != now->array || !same(before.values, now->values);
    return now->unknown != before.unknown;
  }
  const bool fits = add_new(before.values, kMaxValues, &now->values,
                            [](const Value& one, const Value& other) { return same(one, other); });
  now->unknown = now->unknown || before.unknown || !fits;
  now->exported = now->exported && before.exported;
  return now->values.size() != before.values.size() || now->unknown != before.unknown;
}

}  // namespace

Scope::State& Scope::change() {
  if (state_.use_count() > 1) {
    work_ += state_->variables.size() + state_->functions.size() + 1;
    state_ = std::make_shared<State>(*state_);
  }
  return *state_;
}

const Variable* Scope::find(const std::string& name) const {
  const auto found = state_->variables.find(name);
  return found == state_->variables.end() ? nullptr : &found->second;
}

void Scope::set(const std::string& name, Variable value) {
  State& state = change();
  const auto [found, is_new] = state.variables.try_emplace(name, value);
  if (is_new) return;
  value.exported = value.exported || found->second.exported;
  if (state.fixed.contains(name)) value.unknown = true;
  found->second = std::move(value);
}

void Scope::forget(const std::string& name) {
  if (find(name) != nullptr) change().variables.erase(name);
}

void Scope::forget_all() {
  std::erase_if(change().variables, [](const auto& each) {
    return each.first != "HOME" && each.first != "PWD" && each.first != "OLDPWD";
  });
}

void Scope::put_in_environment(const std::string& name) {
  Variable& variable = change().variables.try_emplace(name, Variable{{}, true}).first->second;
  variable.exported = true;
}

const Function* Scope::function(const std::string& name) const {
  const auto found = state_->functions.find(name);
  return found == state_->functions.end() ? nullptr : &found->second;
}

void Scope::define(const std::string& name, Function::Body body) {
  change().functions[name] = {{body}, true};
}

void Scope::remove_function(const std::string& name) {
  if (function(name) != nullptr) change().functions[name].certain = false;
}

void Scope::set_positional(std::optional<std::vector<Value>> values) {
  change().positional = std::move(values);
}

void Scope::enter_shell() {
  State& state = change();
  std::erase_if(state.variables, [](const auto& each) { return !each.second.exported; });
  for (auto& [name, function] : state.functions) function.certain = false;
}

bool Scope::merge(const Mark& mark) {
  if (mark == state_) return false;
  const Mark before = mark;
  State& now = change();
  work_ += before->variables.size() + now.variables.size();
  bool changed = std::any_of(before->variables.begin(), before->variables.end(),
                             [&](const auto& each) { return !now.variables.contains(each.first); });
  for (auto& [name, variable] : now.variables)
    changed = merge_variable(*before, name, &variable) || changed;
  changed = unite(before->cwd, &now.cwd) || changed;
  for (auto& [name, function] : now.functions) {
    const auto old = before->functions.find(name);
    function.certain = function.certain && old != before->functions.end() && old->second.certain;
    if (old == before->functions.end()) continue;
    add_new(old->second.bodies, kMaxValues, &function.bodies,
            [](const auto& one, const auto& other) { return one.node == other.node; });
  }
  if (!before->positional || !now.positional || !same(*before->positional, *now.positional)) {
    changed = changed || before->positional;
    now.positional.reset();
  }
  return changed;
}

void Scope::merge_directory(const Directory& before) {
  Directory now = cwd();
  if (!unite(before, &now)) return;
  Variable here;
  here.unknown = now.unknown;
  for (const std::string& path : now.paths) {
    here.values.emplace_back();
    here.values.back().text = path;
  }
  change().cwd = std::move(now);
  set("PWD", std::move(here));
  forget("OLDPWD");
}

void Scope::merge_variables(const Mark& mark) {
  if (mark == state_) return;
  const Mark before = mark;
  State& now = change();
  work_ += now.variables.size();
  for (auto& [name, variable] : now.variables) merge_variable(*before, name, &variable);
}

}  // namespace gibbous::command
