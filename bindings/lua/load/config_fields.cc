#include "bindings/lua/load/config_fields.h"

#include "bindings/lua/check/limits_value.h"
#include "bindings/lua/check/sandbox_value.h"
#include "bindings/lua/check/schema_check.h"

namespace gibbous::lua {
namespace {

constexpr std::int64_t kMaxConcurrent = 10'000;
constexpr std::int64_t kMinBufferBytes = 1024;
constexpr std::int64_t kMaxBufferBytes = std::int64_t{1} << 30;
constexpr std::int64_t kMaxMillis = 7LL * 24 * 3600 * 1000;
constexpr std::int64_t kMaxTableRows = 100'000;
constexpr std::int64_t kMinLuaBytes = std::int64_t{4} << 20;
constexpr std::int64_t kMaxLuaBytes = std::int64_t{4} << 30;
constexpr std::int64_t kMaxDays = 36'500;
constexpr std::int64_t kMaxHours = kMaxDays * 24;
constexpr std::int64_t kMaxAttempts = 1'000'000;
constexpr std::int64_t kMaxAskSeconds = 7LL * 24 * 3600;
constexpr std::int64_t kMinQueueBytes = 1 << 16;
constexpr std::int64_t kMaxJournalBytes = std::int64_t{1} << 50;
constexpr int kMaxCaches = 128;
constexpr int kMaxSessionChars = 100;
constexpr bool kOfProjects = true;

// Builds write them, and so no program that people start lies in one: what those run, such as
// npx, pre-commit, playwright and gradlew, has a layer instead (policies/lib/sandbox.lua).
const std::vector<std::string> kUsualCaches = {"~/.npm/_cacache",
                                               "~/.yarn/berry/cache",
                                               "~/.cache/yarn",
                                               "~/.pnpm-store",
                                               "~/.local/share/pnpm/store",
                                               "~/.bun/install/cache",
                                               "~/.cargo/registry/cache",
                                               "~/.cargo/registry/index",
                                               "~/go/pkg/mod/cache/download",
                                               "~/.cache/go-build",
                                               "~/.cache/golangci-lint",
                                               "~/.gradle/caches",
                                               "~/.m2/repository",
                                               "~/.ivy2/cache",
                                               "~/.cache/coursier/v1",
                                               "~/.nuget/packages",
                                               "~/.cache/pip",
                                               "~/.cache/pypoetry/cache",
                                               "~/.cache/pypoetry/artifacts",
                                               "~/.cache/pdm",
                                               "~/.cache/mypy",
                                               "~/.bundle/cache",
                                               "~/.composer/cache",
                                               "~/.cache/composer",
                                               "~/.cabal/packages",
                                               "~/.hex/packages",
                                               "~/.pub-cache/hosted",
                                               "~/.conan/data",
                                               "~/.conan2/p",
                                               "~/.ccache",
                                               "~/.cache/ccache",
                                               "~/.cache/sccache",
                                               "~/.cache/vcpkg",
                                               "~/.cache/zig",
                                               "~/.cache/huggingface/hub",
                                               "~/.cache/torch/hub/checkpoints"};

Json words() {
  return {{"type", "string"}, {"minLength", 1}};
}

// A relative path starts at the directory of the file. Of a program and its words, the program does
// when its name is a path.
Json path_of(Json shape) {
  shape["x-path"] = true;
  return shape;
}

Json list_of(Json items) {
  return {{"type", "array"}, {"items", std::move(items)}};
}

Json filled_list_of(Json items) {
  Json list = list_of(std::move(items));
  list["minItems"] = 1;
  return list;
}

Json table_of(Json each) {
  return {{"type", "object"}, {"additionalProperties", std::move(each)}};
}

Json pattern_of(const char* pattern, const char* meaning) {
  return {{"type", "string"}, {"minLength", 1}, {"pattern", pattern}, {"description", meaning}};
}

Json flag_of(bool usual) {
  return {{"type", "boolean"}, {"default", usual}};
}

Json cache_list() {
  Json list = list_of(pattern_of("^(~/.|/.)", "an absolute path, or one that begins with ~/"));
  list["maxItems"] = kMaxCaches;
  list["default"] = kUsualCaches;
  return list;
}

Json session_name() {
  Json name = pattern_of("^[A-Za-z0-9._-]+$", "letters, digits, '.', _ and -");
  name["maxLength"] = kMaxSessionChars;
  return name;
}

// The default is that of the member.
template <auto kPart, auto kMember, typename Unit = Millis>
ConfigField number(const char* name, double low, double high, Order order, bool of_projects) {
  const auto field = number_field<Tuning, Unit, kPart, kMember>(name, low, high, "");
  Tuning usual;
  usual.runs.default_timeout = kUsualTimeout;  // where a call may say that it has none
  Json shape = field.schema();
  shape["default"] = field.value(field.get(usual));
  return {name, std::move(shape), order, of_projects, {}, field};
}

template <auto kMember>
ConfigField limit(const char* name, double low, double high, Order order = Order::kSmaller) {
  return number<&Tuning::runs, kMember>(name, low, high, order, kOfProjects);
}

template <auto kPart, auto kMember, typename Unit = Millis>
ConfigField own(const char* name, double low, double high, Order order = Order::kLocked) {
  return number<kPart, kMember, Unit>(name, low, high, order, false);
}

std::vector<ConfigField> make_fields() {
  return {
      {"scripts", path_of(words())},
      {"policies", path_of(words())},
      {"toolsets", list_of(words()), Order::kFewer},
      {"settings", table_of({{"type", "object"}})},
      {"mode", words(), Order::kMode},
      {"modes", filled_list_of(words()), Order::kFewer, kOfProjects},
      {"workspace", path_of(words())},
      {"shell", words()},
      {"temp_directory", path_of(words())},
      limit<&RunLimits::max_concurrent>("limits.max_concurrent", 1, kMaxConcurrent),
      number<&Tuning::queue, &QueueLimits::max_in_all>(
          "limits.max_concurrent_total", 0, kMaxConcurrent, Order::kSmallerNot0, kOfProjects),
      {"limits.max_concurrent_of_label",
       table_of({{"type", "integer"}, {"minimum", 1}, {"maximum", kMaxConcurrent}}),
       Order::kSmaller, kOfProjects},
      limit<&RunLimits::default_timeout>("limits.default_timeout_ms", 0, kMaxMillis,
                                         Order::kSmallerNot0),
      limit<&RunLimits::max_buffer_bytes>("limits.max_buffer_bytes", kMinBufferBytes,
                                          kMaxBufferBytes),
      limit<&RunLimits::head_bytes>("limits.head_bytes", 0, kMaxBufferBytes),
      limit<&RunLimits::kill_grace>("limits.kill_grace_ms", 0, kMaxMillis),
      limit<&RunLimits::timeout_grace>("limits.timeout_grace_ms", 0, kMaxMillis),
      limit<&RunLimits::drain_limit>("limits.drain_limit_ms", 0, kMaxMillis),
      limit<&RunLimits::max_queued>("limits.max_queued", 0, kMaxTableRows),
      limit<&RunLimits::max_ended>("limits.max_ended", 1, kMaxTableRows),
      {"limits.run", limits_schema(""), Order::kSmaller, kOfProjects},
      {"env", table_of({{"type", "string"}})},
      {"unset_env", list_of(words()), Order::kUnion, kOfProjects},
      {"pass_env", list_of(words())},
      {"secrets.*.env", words()},
      {"secrets.*.file", path_of(words())},
      {"secrets.*.command", filled_list_of(words())},
      {"sandbox", sandbox_schema("")},
      {"sandbox.profile",
       nullptr,
       Order::kLaterOf,
       kOfProjects,
       {"none", "workspace", "build", "confined", "plan", "readonly"}},
      {"sandbox.network",
       nullptr,
       Order::kLaterOf,
       kOfProjects,
       {"on", "checked", "loopback", "off"}},
      {"sandbox.host_ports", nullptr, Order::kFewer, kOfProjects},
      {"sandbox.min_landlock_abi", nullptr, Order::kLarger, kOfProjects},
      {"caches.directories", cache_list(), Order::kFewer},
      own<&Tuning::runs, &RunLimits::cache_bytes>("caches.max_bytes", 0, kMaxJournalBytes,
                                                  Order::kSmallerNot0),
      {"kill_on_session_end", flag_of(true), Order::kTrue, kOfProjects},
      {"executor", words()},
      {"executors", table_of({{"type", "object"}})},
      {"journal.enabled", flag_of(true), Order::kTrue},
      {"journal.recovery",
       {{"type", "string"}, {"enum", {"lost", "requeue"}}, {"default", "lost"}}},
      own<&Tuning::recorder, &RecorderOptions::max_output_bytes>(
          "journal.max_output_bytes", kMinRecordedBytes, kMaxRecordedBytes),
      own<&Tuning::journal, &JournalOptions::max_total_bytes>("journal.max_total_bytes", 0,
                                                              kMaxJournalBytes),
      own<&Tuning::journal, &JournalOptions::max_age, std::chrono::days>("journal.max_age_days", 0,
                                                                         kMaxDays),
      own<&Tuning::journal, &JournalOptions::queue_ttl, std::chrono::hours>(
          "journal.queue_ttl_hours", 0, kMaxHours),
      own<&Tuning::queue, &QueueLimits::max_attempts>("journal.max_attempts", 0, kMaxAttempts),
      own<&Tuning::journal, &JournalOptions::max_queue_bytes>("journal.max_queue_bytes",
                                                              kMinQueueBytes, kMaxBufferBytes),
      // A question that stays open for less time lets fewer calls find a late answer.
      own<&Tuning::asks, &AskSettings::wait, std::chrono::seconds>("asks.wait_s", 0, kMaxAskSeconds,
                                                                   Order::kSmallerNot0),
      own<&Tuning::asks, &AskSettings::keep, std::chrono::seconds>("asks.keep_s", 0, kMaxAskSeconds,
                                                                   Order::kSmaller),
      {"asks.notify.command", path_of(filled_list_of(words()))},
      {"asks.notify.webhook", words()},
      {"mcp.tokens.*.file", path_of(words())},
      {"mcp.tokens.*.sha256", pattern_of("^[0-9a-f]{64}$", "SHA-256 of the token")},
      {"mcp.tokens.*.mode", words()},
      {"mcp.tokens.*.workspace", path_of(words())},
      {"mcp.tokens.*.session", session_name()},
      {"mcp.tokens.*.approver", {{"type", "string"}, {"enum", {"client", "person"}}}},
      own<&Tuning::engine, &EngineLimits::call_lua>("lua.call_ms", 1, kMaxMillis, Order::kSmaller),
      own<&Tuning::engine, &EngineLimits::hold>("lua.hold_ms", 1, kMaxMillis, Order::kSmaller),
      own<&Tuning::memory, &MemoryLimits::total_bytes>("lua.memory_bytes", kMinLuaBytes,
                                                       kMaxLuaBytes, Order::kSmaller),
  };
}

}  // namespace

const std::vector<ConfigField>& config_fields() {
  static const std::vector<ConfigField> fields = make_fields();
  return fields;
}

const ConfigField& config_field(const std::string& name) {
  static const ConfigField kLocked;
  for (std::string part = name;; part.resize(part.rfind('.'))) {
    for (const ConfigField& field : config_fields()) {
      if (field.name == part) return field;
    }
    if (part.find('.') == std::string::npos) return kLocked;
  }
}

Json config_schema() {
  const Json closed = closed_object({});
  Json schema = closed;
  for (const ConfigField& field : config_fields()) {
    if (field.shape.is_null()) continue;
    Json* at = &schema;
    std::size_t begin = 0;
    while (begin != std::string::npos) {
      const std::size_t end = field.name.find('.', begin);
      const std::string part = field.name.substr(begin, end - begin);
      if (at->is_null() || *at == false) *at = closed;
      at = part == "*" ? &(*at)["additionalProperties"] : &(*at)["properties"][part];
      begin = end == std::string::npos ? end : end + 1;
    }
    *at = field.shape;
  }
  return schema;
}

}  // namespace gibbous::lua
