// NumberField: a number of a table that scripts or the configuration write, declared once: its
// name, range and meaning, and the member of a C++ struct that holds it. The schema, the check,
// the documentation and the conversions come from it. Pure.
#pragma once

#include <chrono>
#include <cstdint>
#include <type_traits>

#include "bindings/lua/vm/value.h"
#include "runtime/base/clock.h"

namespace gibbous::lua {

template <typename Owner>
struct NumberField {
  const char* name;
  double minimum;
  double maximum;
  bool is_whole;
  const char* description;
  double (*get)(const Owner& owner);
  void (*set)(Owner& owner, double value);

  Json value(double number) const {
    return is_whole ? Json(static_cast<std::int64_t>(number)) : Json(number);
  }
  Json schema() const {
    return {{"type", is_whole ? "integer" : "number"},
            {"minimum", value(minimum)},
            {"maximum", value(maximum)},
            {"description", description}};
  }
};

// A fraction that C++ holds in thousandths.
struct Thousandths {};

// The member at the end of a path of members.
template <auto kFirst, auto... kRest, typename Owner>
decltype(auto) member_at(Owner& owner) {
  if constexpr (sizeof...(kRest) == 0) {
    return (owner.*kFirst);
  } else {
    return member_at<kRest...>(owner.*kFirst);
  }
}

// The field for the member at `kPath`. Durations are written in `Unit`.
template <typename Owner, typename Unit, auto... kPath>
constexpr NumberField<Owner> number_field(const char* name, double minimum, double maximum,
                                          const char* description) {
  constexpr bool kIsFraction = std::is_same_v<Unit, Thousandths>;
  constexpr double kScale = kIsFraction ? 1000.0 : 1.0;
  return {name,
          minimum,
          maximum,
          !kIsFraction,
          description,
          [](const Owner& owner) {
            const auto& held = member_at<kPath...>(owner);
            if constexpr (std::is_arithmetic_v<std::remove_cvref_t<decltype(held)>>) {
              return static_cast<double>(held) / kScale;
            } else {
              return static_cast<double>(std::chrono::duration_cast<Unit>(held).count());
            }
          },
          [](Owner& owner, double value) {
            auto& held = member_at<kPath...>(owner);
            using Held = std::remove_cvref_t<decltype(held)>;
            if constexpr (std::is_arithmetic_v<Held>) {
              held = static_cast<Held>(value * kScale);
            } else {
              held = Unit(static_cast<std::int64_t>(value));
            }
          }};
}

}  // namespace gibbous::lua
