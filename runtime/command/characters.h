// The meaning of single characters to the shell. The parser uses it. Any thread.
#pragma once

#include <array>
#include <cstddef>
#include <string_view>

namespace gibbous::command {

constexpr bool is_blank(int c) {
  return c == ' ' || c == '\t';
}

// Returns true for a character that ends an unquoted word.
constexpr bool is_metacharacter(int c) {
  return is_blank(c) || c == '\n' || c == ';' || c == '&' || c == '|' || c == '<' || c == '>' ||
         c == '(' || c == ')';
}

constexpr bool is_digit(int c) {
  return c >= '0' && c <= '9';
}

constexpr bool is_name_start(int c) {
  return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || c == '_';
}

constexpr bool is_name(int c) {
  return is_name_start(c) || is_digit(c);
}

// Returns true for a parameter whose name is one character other than a letter.
constexpr bool is_special_parameter(int c) {
  return c >= 0 && std::string_view("@*#?-$!").find(static_cast<char>(c)) != std::string_view::npos;
}

// Returns true for a character without any special meaning in an unquoted word.
inline constexpr auto kIsOrdinary = [] {
  std::array<bool, 256> ordinary{};
  ordinary.fill(true);
  for (const char c : std::string_view(" \t\n;&|<>()\\'\"`$~{},*?[+@!=:")) {
    ordinary[static_cast<unsigned char>(c)] = false;
  }
  return ordinary;
}();

constexpr bool is_ordinary(int c) {
  return c >= 0 && kIsOrdinary[static_cast<std::size_t>(c)];
}

}  // namespace gibbous::command
