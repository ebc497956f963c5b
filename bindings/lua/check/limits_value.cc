#include "bindings/lua/check/limits_value.h"

#include <array>
#include <cmath>

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
constexpr double kMillisPerUnit = 1000.0;

struct Row {
  const char* name;
  const char* type;
  double minimum;
  double maximum;
  const char* description;
  void (*set)(LimitSet& limits, double value);
  double (*get)(const LimitSet& limits);
};

const std::array kRows = {
    Row{"memory_bytes", "integer", kMinMemoryBytes, kMaxBytes,
        "memory of all its processes together",
        [](LimitSet& limits, double value) {
          limits.tree.memory_bytes = static_cast<std::uint64_t>(value);
        },
        [](const LimitSet& limits) { return static_cast<double>(limits.tree.memory_bytes); }},
    Row{"cpu_time_ms", "integer", 1, kMaxMillisLimit,
        "processor time of all its processes together",
        [](LimitSet& limits, double value) {
          limits.tree.cpu_time = Millis(static_cast<std::int64_t>(value));
        },
        [](const LimitSet& limits) {
          return static_cast<double>(limits.tree.cpu_time.count()) / kMillisPerUnit;
        }},
    Row{"cpu_share", "number", kMinShare, kMaxShare,
        "processors that it may keep busy, such as 0.5; needs a cpu control group",
        [](LimitSet& limits, double value) {
          limits.tree.cpu_share_millis = static_cast<std::uint32_t>(value * kMillisPerUnit);
        },
        [](const LimitSet& limits) {
          return static_cast<double>(limits.tree.cpu_share_millis) / kMillisPerUnit;
        }},
    Row{"pids", "integer", 1, kMaxCount, "processes and threads at the same time",
        [](LimitSet& limits, double value) {
          limits.tree.pids = static_cast<std::uint32_t>(value);
        },
        [](const LimitSet& limits) { return static_cast<double>(limits.tree.pids); }},
    Row{"open_files", "integer", kMinFiles, kMaxCount, "open files of each process",
        [](LimitSet& limits, double value) {
          limits.open_files = static_cast<std::uint64_t>(value);
        },
        [](const LimitSet& limits) { return static_cast<double>(limits.open_files); }},
    Row{"file_size_bytes", "integer", 1, kMaxBytes, "size of each file that it writes",
        [](LimitSet& limits, double value) {
          limits.file_size_bytes = static_cast<std::uint64_t>(value);
        },
        [](const LimitSet& limits) { return static_cast<double>(limits.file_size_bytes); }},
    Row{"output_bytes", "integer", 1, kMaxBytes, "output, both streams together",
        [](LimitSet& limits, double value) {
          limits.output_bytes = static_cast<std::uint64_t>(value);
        },
        [](const LimitSet& limits) { return static_cast<double>(limits.output_bytes); }},
    Row{"log_bytes", "integer", 1, kMaxBytes, "all files of its log together",
        [](LimitSet& limits, double value) {
          limits.log_bytes = static_cast<std::uint64_t>(value);
        },
        [](const LimitSet& limits) { return static_cast<double>(limits.log_bytes); }},
    Row{"wall_time_ms", "integer", 1, kMaxMillisLimit, "time from start to end",
        [](LimitSet& limits, double value) {
          limits.wall_time = Millis(static_cast<std::int64_t>(value));
        },
        [](const LimitSet& limits) { return static_cast<double>(limits.wall_time.count()); }},
    Row{"idle_time_ms", "integer", 1, kMaxMillisLimit, "time without any output",
        [](LimitSet& limits, double value) {
          limits.idle_time = Millis(static_cast<std::int64_t>(value));
        },
        [](const LimitSet& limits) { return static_cast<double>(limits.idle_time.count()); }},
};

Json number(const Row& row, double value) {
  if (std::string(row.type) == "integer") return static_cast<std::int64_t>(value);
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
  const bool empty = value.is_null() || (value.is_array() && value.empty());
  if (empty) return limits;
  if (!value.is_object()) throw WrongUse(place, "a table of limits", value);
  Fields fields(place, value);
  for (const Row& row : kRows) {
    if (std::string(row.type) == "integer") {
      const auto given = fields.integer(row.name, static_cast<std::int64_t>(row.minimum),
                                        static_cast<std::int64_t>(row.maximum));
      if (given) row.set(limits, static_cast<double>(*given));
    } else if (const auto given = fields.number(row.name, row.minimum, row.maximum)) {
      row.set(limits, *given);
    }
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
