#include "bindings/lua/check/limits_value.h"

#include <array>

#include "bindings/lua/check/fields.h"
#include "bindings/lua/check/number_field.h"
#include "bindings/lua/check/schema_check.h"

namespace gibbous::lua {
namespace {

constexpr double kMaxBytes = 1125899906842624.0;  // 1 PiB
constexpr double kMinMemoryBytes = 1048576.0;     // no program fits into less
constexpr double kMaxMillisLimit = 30.0 * 24 * 3600 * 1000;
constexpr double kMinShare = 0.01;
constexpr double kMaxShare = 1024.0;
constexpr double kMaxCount = 4194304.0;  // the kernel's highest pid
constexpr double kMinFiles = 8.0;

template <auto... kPath>
constexpr NumberField<LimitSet> row(const char* name, double minimum, double maximum,
                                    const char* description) {
  return number_field<LimitSet, Millis, kPath...>(name, minimum, maximum, description);
}

constexpr std::array kRows = {
    row<&LimitSet::tree, &TreeLimits::memory_bytes>("memory_bytes", kMinMemoryBytes, kMaxBytes,
                                                    "memory of all its processes together"),
    row<&LimitSet::tree, &TreeLimits::cpu_time>("cpu_time_ms", 1, kMaxMillisLimit,
                                                "processor time of all its processes together"),
    number_field<LimitSet, Thousandths, &LimitSet::tree, &TreeLimits::cpu_share_millis>(
        "cpu_share", kMinShare, kMaxShare,
        "processors that it may keep busy, such as 0.5; needs a cpu control group"),
    row<&LimitSet::tree, &TreeLimits::pids>("pids", 1, kMaxCount,
                                            "processes and threads at the same time"),
    row<&LimitSet::open_files>("open_files", kMinFiles, kMaxCount, "open files of each process"),
    row<&LimitSet::file_size_bytes>("file_size_bytes", 1, kMaxBytes,
                                    "size of each file that it writes"),
    row<&LimitSet::output_bytes>("output_bytes", 1, kMaxBytes, "output, both streams together"),
    row<&LimitSet::log_bytes>("log_bytes", 1, kMaxBytes, "all files of its log together"),
    row<&LimitSet::wall_time>("wall_time_ms", 1, kMaxMillisLimit, "time from start to end"),
    row<&LimitSet::idle_time>("idle_time_ms", 1, kMaxMillisLimit, "time without any output"),
    row<&LimitSet::left_behind>("left_behind_ms", 1, kMaxMillisLimit,
                                "time that processes may live on after its end"),
};

}  // namespace

Json limits_schema(const std::string& description) {
  Json properties = Json::object();
  for (const auto& row : kRows) {
    properties[row.name] = row.schema();
  }
  Json schema = closed_object(std::move(properties));
  schema["description"] = description;
  return schema;
}

LimitSet parse_limits(const FieldPath& place, const Json& value) {
  static const auto check = *SchemaCheck::compile(limits_schema(""));
  const Json given = checked_fields(place, *check, value);
  LimitSet limits;
  for (const auto& row : kRows) {
    if (given.contains(row.name)) row.set(limits, given[row.name]);
  }
  return limits;
}

Json limits_value(const LimitSet& limits) {
  Json value = Json::object();
  for (const auto& row : kRows) {
    if (const double set = row.get(limits); set > 0) value[row.name] = row.value(set);
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
