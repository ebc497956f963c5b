#include "bindings/lua/check/limits_value.h"

#include <array>
#include <chrono>
#include <string_view>
#include <type_traits>

#include "bindings/lua/check/fields.h"

namespace gibbous::lua {
namespace {

constexpr double kMaxBytes = 1125899906842624.0;  // 1 PiB
constexpr double kMinMemoryBytes = 1048576.0;     // less holds no program
constexpr double kMaxMillisLimit = 30.0 * 24 * 3600 * 1000;
constexpr double kMinShare = 0.01;
constexpr double kMaxShare = 1024.0;
constexpr double kMaxCount = 4194304.0;  // the kernel's highest pid
constexpr double kMinFiles = 8.0;
constexpr int kMillisPerUnit = 1000;

struct Row {
  const char* name;
  const char* type;
  double minimum;
  double maximum;
  const char* description;
  void (*set)(LimitSet& limits, double value);
  double (*get)(const LimitSet& limits);
};

// The member at the end of a path of members.
template <auto kFirst, auto... kRest, typename Owner>
decltype(auto) member(Owner& owner) {
  if constexpr (sizeof...(kRest) == 0) {
    return (owner.*kFirst);
  } else {
    return member<kRest...>(owner.*kFirst);
  }
}

// A row for the member at `kPath`; times are in milliseconds, other numbers in 1 / kUnits.
template <int kUnits, auto... kPath>
constexpr Row row(const char* name, double minimum, double maximum, const char* description) {
  return {name,
          kUnits == 1 ? "integer" : "number",
          minimum,
          maximum,
          description,
          [](LimitSet& limits, double value) {
            auto& held = member<kPath...>(limits);
            using Held = std::remove_reference_t<decltype(held)>;
            if constexpr (std::is_arithmetic_v<Held>) {
              held = static_cast<Held>(value * kUnits);
            } else {
              held = Millis(static_cast<std::int64_t>(value));
            }
          },
          [](const LimitSet& limits) {
            const auto& held = member<kPath...>(limits);
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(held)>>) {
              return static_cast<double>(held) / kUnits;
            } else {
              return std::chrono::duration<double, std::milli>(held).count();
            }
          }};
}

constexpr std::array kRows = {
    row<1, &LimitSet::tree, &TreeLimits::memory_bytes>("memory_bytes", kMinMemoryBytes, kMaxBytes,
                                                       "memory of all its processes together"),
    row<1, &LimitSet::tree, &TreeLimits::cpu_time>("cpu_time_ms", 1, kMaxMillisLimit,
                                                   "processor time of all its processes together"),
    row<kMillisPerUnit, &LimitSet::tree, &TreeLimits::cpu_share_millis>(
        "cpu_share", kMinShare, kMaxShare,
        "processors that it may keep busy, such as 0.5; needs a cpu control group"),
    row<1, &LimitSet::tree, &TreeLimits::pids>("pids", 1, kMaxCount,
                                               "processes and threads at the same time"),
    row<1, &LimitSet::open_files>("open_files", kMinFiles, kMaxCount, "open files of each process"),
    row<1, &LimitSet::file_size_bytes>("file_size_bytes", 1, kMaxBytes,
                                       "size of each file that it writes"),
    row<1, &LimitSet::output_bytes>("output_bytes", 1, kMaxBytes, "output, both streams together"),
    row<1, &LimitSet::log_bytes>("log_bytes", 1, kMaxBytes, "all files of its log together"),
    row<1, &LimitSet::wall_time>("wall_time_ms", 1, kMaxMillisLimit, "time from start to end"),
    row<1, &LimitSet::idle_time>("idle_time_ms", 1, kMaxMillisLimit, "time without any output"),
};

bool is_whole(const Row& row) {
  return std::string_view(row.type) == "integer";
}

Json number(const Row& row, double value) {
  if (is_whole(row)) return static_cast<std::int64_t>(value);
  return value;
}

}  // namespace

Json limits_schema(const std::string& description) {
  Json properties = Json::object();
  for (const Row& row : kRows) {
    properties[row.name] = {{"type", row.type},
                            {"minimum", number(row, row.minimum)},
                            {"maximum", number(row, row.maximum)},
                            {"description", row.description}};
  }
  return {{"type", "object"},
          {"properties", std::move(properties)},
          {"additionalProperties", false},
          {"description", description}};
}

LimitSet parse_limits(const FieldPath& place, const Json& value) {
  LimitSet limits;
  Fields fields(place, value);
  for (const Row& row : kRows) {
    if (const auto given = fields.number(row.name, row.minimum, row.maximum, is_whole(row)))
      row.set(limits, *given);
  }
  fields.done();
  return limits;
}

Json limits_value(const LimitSet& limits) {
  Json value = Json::object();
  for (const Row& row : kRows) {
    if (const double set = row.get(limits); set > 0) value[row.name] = number(row, set);
  }
  return value;
}

Json limit_reached_value(const LimitReached& reached) {
  const bool is_time = reached.kind == LimitKind::kCpuTime || reached.kind == LimitKind::kIdle;
  constexpr std::uint64_t kMicrosPerMilli = 1000;
  const std::uint64_t unit = is_time ? kMicrosPerMilli : 1;
  return {{"name", to_string(reached.kind)},
          {"limit", reached.limit / unit},
          {"used", reached.used / unit}};
}

Json limits_by_value(const LimitsInForce& in_force) {
  Json value = Json::object();
  const auto add = [&value](const char* name, LimitMeans means) {
    if (means != LimitMeans::kNone) value[name] = to_string(means);
  };
  add("memory_bytes", in_force.memory);
  add("cpu_time_ms", in_force.cpu_time);
  add("cpu_share", in_force.cpu_share);
  add("pids", in_force.pids);
  return value;
}

}  // namespace gibbous::lua
