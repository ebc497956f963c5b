// JSON with comments and trailing commas, as several editors write it, made plain without moving a
// byte: the places of one are the places of the other. For settings_json.cc. Pure, any thread.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::cli {

struct PlainSettings {
  std::string text;                          // spaces replace comments and trailing commas
  std::vector<std::size_t> trailing_commas;  // their places
};

// Returns nothing when a comment has no end.
std::optional<PlainSettings> without_comments(std::string_view text);

// Returns true when this part of the text has a comment.
bool has_comment(std::string_view text, const PlainSettings& plain, std::size_t begin,
                 std::size_t end);

}  // namespace gibbous::cli
