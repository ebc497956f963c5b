// The list of what json.cc compiles of nlohmann/json for all files: json.h declares it, json.cc
// defines it.
//
// The class alone is not enough: reading and writing text are templates of their own, and each
// length of a string literal makes another constructor. They were half of what a file of tests
// compiled. Names of the library's `detail` are those of version 3.11.
#pragma once

#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

namespace gibbous {

// The sources that text is read from: characters, and a string.
using JsonChars = nlohmann::detail::iterator_input_adapter<const char*>;
using JsonString = nlohmann::detail::iterator_input_adapter<std::string::const_iterator>;

}  // namespace gibbous

// NOLINTBEGIN(bugprone-macro-parentheses): what is declared takes no parentheses.
#define GIBBOUS_JSON_LITERAL(kind, size) \
  kind nlohmann::json::basic_json(const char(&)[size]);  // NOLINT: an array is what it takes
#define GIBBOUS_JSON_LITERALS(kind, from) \
  GIBBOUS_JSON_LITERAL(kind, (from))      \
  GIBBOUS_JSON_LITERAL(kind, (from) + 1)  \
  GIBBOUS_JSON_LITERAL(kind, (from) + 2)  \
  GIBBOUS_JSON_LITERAL(kind, (from) + 3)  \
  GIBBOUS_JSON_LITERAL(kind, (from) + 4)  \
  GIBBOUS_JSON_LITERAL(kind, (from) + 5)  \
  GIBBOUS_JSON_LITERAL(kind, (from) + 6)  \
  GIBBOUS_JSON_LITERAL(kind, (from) + 7)

// `kind` is `extern template` or `template`.
#define GIBBOUS_JSON_COMPILED_ONCE(kind)                                                \
  kind class nlohmann::basic_json<>;                                                    \
  kind class nlohmann::basic_json<nlohmann::ordered_map>;                               \
  kind class std::map<std::string, nlohmann::json, std::less<>>;                        \
  kind class std::vector<nlohmann::json>;                                               \
  kind class nlohmann::detail::iter_impl<const nlohmann::json>;                         \
  kind class nlohmann::detail::serializer<nlohmann::json>;                              \
  kind class nlohmann::detail::lexer<nlohmann::json, gibbous::JsonChars>;               \
  kind class nlohmann::detail::lexer<nlohmann::json, gibbous::JsonString>;              \
  kind class nlohmann::detail::parser<nlohmann::json, gibbous::JsonChars>;              \
  kind class nlohmann::detail::parser<nlohmann::json, gibbous::JsonString>;             \
  kind nlohmann::json& nlohmann::json::operator[]<const char>(const char*);             \
  kind const nlohmann::json& nlohmann::json::operator[]<const char>(const char*) const; \
  GIBBOUS_JSON_LITERALS(kind, 1)                                                        \
  GIBBOUS_JSON_LITERALS(kind, 9)                                                        \
  GIBBOUS_JSON_LITERALS(kind, 17)                                                       \
  GIBBOUS_JSON_LITERALS(kind, 25)
// NOLINTEND(bugprone-macro-parentheses)
