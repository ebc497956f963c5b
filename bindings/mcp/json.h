// JSON as the MCP server reads it: parsing that survives any nesting. Used by every other file of
// this folder. No state; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/json/text.h"

namespace gibbous::mcp {

// Deeper messages are refused: the JSON library walks values recursively when it copies, writes and
// compares them. Tool arguments of real clients nest fewer than ten levels.
inline constexpr std::size_t kMaxDepth = 128;

enum class ParseFailure { kNone, kSyntax, kTooDeep };

struct Parsed {
  ParseFailure failure = ParseFailure::kNone;
  // kNone: the value. kTooDeep: the outermost object with its scalar members only, so that the id
  // of the refused request can be read; null when the outermost value is no object.
  Json value;
};

// Reads one JSON text. Never throws, whatever comes in.
Parsed parse_json(std::string_view text);

// 50.0 becomes 50: a client in a language that tells the two apart must not see an integer turned
// into a fraction.
Json json_number(double value);

}  // namespace gibbous::mcp
