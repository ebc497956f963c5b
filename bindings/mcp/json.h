// Parses JSON for the MCP server at any depth of nesting. Used by every other file of this folder.
// Stateless; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/json/text.h"

namespace gibbous::mcp {

// Deeper messages are refused, because the JSON library recurses when it copies, writes and
// compares values. Tool arguments of real clients nest fewer than ten levels.
inline constexpr std::size_t kMaxDepth = 128;

enum class ParseFailure { kNone, kSyntax, kTooDeep };

struct Parsed {
  ParseFailure failure = ParseFailure::kNone;
  // kNone: the value. Else an object with the `id` of the refused request, null where none is
  // found.
  Json value;
};

// Parses one JSON text. Never throws.
Parsed parse_json(std::string_view text);

// Writes 50.0 as 50, because clients in some languages tell an integer from a fraction.
Json json_number(double value);

}  // namespace gibbous::mcp
