// Replaces an engine's generation: all or nothing, between two turns. Loop thread.
#include <algorithm>
#include <chrono>
#include <map>
#include <string>
#include <string_view>
#include <system_error>
#include <tuple>
#include <utility>
#include <vector>

#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"

namespace gibbous::lua {
namespace {

using namespace std::chrono_literals;

// Whether clients see the same definitions: then they need not fetch the list again. `shown`: what
// they see of one.
template <typename Definitions, typename Shown>
bool looks_the_same(const Definitions& one, const Definitions& other, Shown shown) {
  const auto list = [&](const Definitions& all) {
    std::vector<decltype(shown(all.begin()->second))> seen;
    for (const auto& entry : all) {
      if constexpr (requires { entry.second.hidden; }) {
        if (entry.second.hidden) continue;
      }
      seen.push_back(shown(entry.second));
    }
    return seen;
  };
  return list(one) == list(other);
}

auto shown_of_tool(const ToolDefinition& tool) {
  return std::tie(tool.name, tool.toolset, tool.title, tool.description, tool.input_schema,
                  tool.output_schema, tool.annotations, tool.enabled);
}

auto shown_of_resource(const ResourceDefinition& resource) {
  return std::tuple_cat(std::tie(resource.uri, resource.name, resource.title, resource.description,
                                 resource.mime_type, resource.size, resource.annotations),
                        std::tuple(resource.pattern == nullptr));
}

auto shown_of_prompt(const PromptDefinition& prompt) {
  return std::tie(prompt.name, prompt.title, prompt.description, prompt.arguments,
                  prompt.run.enabled);
}

// Paths that were added, removed, or whose content changed.
Json changed_files(const Generation& before, const Generation& after) {
  std::map<std::string_view, std::string_view> old_files;
  for (const SourceFile& file : before.files()) old_files[file.path] = file.hash;
  std::vector<std::string> changed;
  for (const SourceFile& file : after.files()) {
    const auto found = old_files.find(file.path);
    if (found == old_files.end() || found->second != file.hash) changed.push_back(file.path);
    if (found != old_files.end()) old_files.erase(found);
  }
  for (const auto& [path, hash] : old_files) changed.emplace_back(path);
  std::sort(changed.begin(), changed.end());
  return changed.empty() ? Json::array() : Json(changed);
}

ScriptError first_error(const LoadFailure& failure) {
  if (!failure.errors.empty()) return failure.errors.front();
  ScriptError unknown;
  unknown.message = "the scripts could not be loaded";
  return unknown;
}

std::string all_errors(const LoadFailure& failure) {
  std::string text;
  for (const ScriptError& error : failure.errors) {
    text += (text.empty() ? "" : "\n") + error.text();
  }
  return text.empty() ? first_error(failure).text() : text;
}

}  // namespace

Status Engine::load_first() {
  LoadFailure failure;
  current_ = Generation::load(options_.generation, next_generation_,
                              /*allow_broken_policy=*/true, &failure);
  if (!current_) return Status::error(first_error(failure).code, all_errors(failure));
  ++next_generation_;
  report_notes();
  if (!current_->policy().error().empty()) {
    log("error", "the policies are broken, so everything is denied: " + current_->policy().error(),
        Json(), "");
  }
  return {};
}

ReloadResult Engine::reload() {
  load_is_stale_ = true;
  ReloadResult result;
  LoadFailure failure;
  auto next = Generation::load(options_.generation, next_generation_,
                               /*allow_broken_policy=*/false, &failure, current_.get());
  if (!next) {
    failed_files_ = failure.files;
    report_failure(failure, &result);
    return result;
  }
  take_over(std::move(next));
  result.ok = true;
  result.generation = current_->id();
  return result;
}

ReloadResult Engine::reload_in(const std::string& mode) {
  const std::string before = std::exchange(options_.generation.mode, mode);
  ReloadResult result = reload();
  if (!result.ok) options_.generation.mode = before;
  return result;
}

void Engine::learn(const std::string& name, std::vector<std::string> places) {
  current_->policy().set_variable(name, places);
  learnt_[name] = std::move(places);
}

void Engine::take_over(std::shared_ptr<Generation> next) {
  ++next_generation_;
  failed_files_.clear();
  for (const auto& [name, places] : learnt_) next->policy().set_variable(name, places);
  std::shared_ptr<Generation> before = std::exchange(current_, std::move(next));
  forget_missing();
  report_success(*before, *current_);
  drain(std::move(before));
}

bool Engine::is_enabled(const ToolDefinition& tool) const {
  const auto said = enabled_.find(tool.name);
  return said == enabled_.end() ? tool.enabled : said->second;
}

void Engine::enable(const ToolDefinition& tool, bool enabled) {
  if (is_enabled(tool) == enabled) return;
  enabled_[tool.name] = enabled;
  const bool is_prompt = tool.name.starts_with(kPromptPrefix);
  emit(is_prompt ? "prompts_changed" : "tools_changed", "", {{"generation", current_->id()}});
}

void Engine::forget_missing() {
  std::erase_if(enabled_, [this](const auto& said) {
    const std::string& name = said.first;
    if (!name.starts_with(kPromptPrefix)) return current_->find(name) == nullptr;
    return current_->prompts().count(name.substr(std::string_view(kPromptPrefix).size())) == 0;
  });
}

void Engine::reload_later(const std::function<void()>& on_done) {
  // The clock of specs stands still, and their world belongs to one thread.
  if (!host.post || context_.specs != nullptr) {
    reload();
    on_done();
    return;
  }
  load_is_stale_ = loading_ != nullptr;
  if (loading_) return;
  const bool is_read = current_->policy().commands() != nullptr;
  try {
    loading_ = std::make_unique<BackgroundLoad>(
        options_.generation, open_api_, next_generation_, is_read ? current_ : nullptr,
        [this, post = host.post, on_done, alive = std::weak_ptr<const int>(lifetime_)] {
          post([this, on_done, alive] {
            if (!alive.expired()) take_loaded(on_done);
          });
        });
  } catch (const std::system_error&) {
    reload();
    on_done();
  }
}

void Engine::take_loaded(const std::function<void()>& on_done) {
  BackgroundLoad::Outcome outcome = loading_->take();
  loading_.reset();
  if (std::exchange(load_is_stale_, false)) {
    if (outcome.made) dispose(std::move(outcome.made));
    reload_later(on_done);
    return;
  }
  // Scripts that have filled their memory leave no room to bind it.
  const bool bound =
      outcome.made && outcome.made->state().protect(
                          {}, [this](lua_State* state) { bind_context(state, context_); }, nullptr);
  if (outcome.needs_loop || (outcome.made && !bound)) {
    reload();
  } else if (!outcome.made) {
    failed_files_ = outcome.failure.files;
    ReloadResult ignored;
    report_failure(outcome.failure, &ignored);
  } else {
    take_over(std::move(outcome.made));
  }
  on_done();
}

void Engine::report_failure(const LoadFailure& failure, ReloadResult* result) {
  const ScriptError error = first_error(failure);
  result->generation = current_->id();
  result->file = error.file;
  result->line = error.line;
  result->message = error.message;
  Json errors = Json::array();
  for (const ScriptError& each : failure.errors) {
    errors.push_back({{"file", each.file}, {"line", each.line}, {"message", each.message}});
  }
  Json fields = {{"generation", current_->id()}, {"file", error.file},
                 {"line", error.line},           {"message", error.message},
                 {"policy", failure.policy},     {"errors", std::move(errors)}};
  if (!error.traceback.empty()) fields["traceback"] = error.traceback;
  emit("reload_failed", "", std::move(fields));
}

void Engine::report_success(Generation& before, Generation& after) {
  emit("reload_ok", "", {{"generation", after.id()}, {"changed", changed_files(before, after)}});
  const auto report = [&](bool is_same, const char* event) {
    if (!is_same) emit(event, "", {{"generation", after.id()}});
  };
  report(looks_the_same(before.tools(), after.tools(), shown_of_tool), "tools_changed");
  report(looks_the_same(before.resources(), after.resources(), shown_of_resource),
         "resources_changed");
  report(looks_the_same(before.prompts(), after.prompts(), shown_of_prompt), "prompts_changed");
  report_notes();
}

// Each is said once.
void Engine::report_notes() {
  constexpr std::size_t kMaxNotes = 100;
  for (const std::string& note : current_->notes()) {
    if (said_notes_.size() >= kMaxNotes || !said_notes_.insert(note).second) continue;
    emit("layer_note", "", {{"message", note}});
  }
}

void Engine::drain(std::shared_ptr<Generation> old) {
  if (old.use_count() == 1) {
    dispose(std::move(old));
  } else {
    draining_.push_back({old, context_.clock->now()});
    old.reset();  // a call holds it
  }
  check_draining();
}

void Engine::let_go(std::shared_ptr<Generation> generation) {
  if (generation != current_) let_go_.push_back(std::move(generation));
}

// Closing a state takes milliseconds.
void Engine::dispose(std::shared_ptr<Generation> old) {
  beside_.run(
      [held = std::make_shared<std::shared_ptr<Generation>>(std::move(old))] { held->reset(); });
}

// Between two turns, when nothing on the stack refers to a state.
void Engine::dispose_unused() {
  for (std::shared_ptr<Generation>& each : std::exchange(let_go_, {})) {
    if (each.use_count() == 1) dispose(std::move(each));
  }
}

void Engine::check_draining() {
  const auto gone = [](const Draining& each) { return each.generation.expired(); };
  draining_.erase(std::remove_if(draining_.begin(), draining_.end(), gone), draining_.end());
  drain_timer_.stop();
  const Nanos now = context_.clock->now();
  const EngineLimits& limits = options_.limits;
  Nanos next = Nanos::max();
  for (std::size_t index = 0; index < draining_.size(); ++index) {
    const auto generation = draining_[index].generation.lock();
    const Nanos deadline = draining_[index].since + limits.drain_deadline;
    if (draining_.size() - index > limits.max_draining) {
      cancel_calls_of(generation.get(),
                      "the call was cancelled: its scripts have been replaced too many times");
    } else if (now >= deadline) {
      cancel_calls_of(
          generation.get(),
          "the call was cancelled: its scripts were replaced, and it did not end in time");
    } else {
      next = std::min(next, deadline - now);
    }
  }
  if (next == Nanos::max()) return;
  // Rounded up, or it would check once too early.
  const Millis wait = std::chrono::ceil<Millis>(next);
  drain_timer_.start(context_.loop, wait, /*background=*/true, [this] { check_draining(); });
}

void Engine::cancel_calls_of(const Generation* generation, const std::string& message) {
  std::vector<std::shared_ptr<Call>> calls;
  for (const auto& [raw, call] : calls_) {
    if (call->pinned().get() == generation) calls.push_back(call);
  }
  for (const auto& call : calls) call->cancel("cancelled", message);
}

std::vector<MonitoredFile> Engine::monitored_files() const {
  // The last files read: comparing with older ones would find the same change again and again.
  return failed_files_.empty() ? current_->watched() : failed_files_;
}

}  // namespace gibbous::lua
