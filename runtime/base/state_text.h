// Files of the state directory that say who has written them: replaced whole, and signed with the
// directory's key, which lies beside them and which every sandbox hides. Used by runtime/audit and
// runtime/trust. Any thread; the caller holds the lock of what it changes.
#pragma once

#include <cstddef>
#include <optional>
#include <string>
#include <string_view>

#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous {

// Adds the bytes with control characters and backslashes as \xHH, so that a line stays one line
// and a field one field.
void append_escaped(std::string& line, std::string_view bytes);
// Returns nothing for what append_escaped() does not write.
std::optional<std::string> unescaped(std::string_view text);

// Reads an open file, but at most one byte more than `most`. Fails with state_file_unusable.
Result<std::string> read_state_file(const UniqueFd& file, std::size_t most,
                                    const std::string& path);
// Replaces `name` in the directory by a file with this text, which is on the disk before it counts.
// `durable`: that it counts is on the disk, too. Fails with state_file_unusable.
Status replace_state_file(const UniqueFd& directory, const std::string& name, std::string_view text,
                          bool durable, const std::string& path);

// Returns the key of a state directory; "" when it has none, or one that somebody else could write.
std::string read_state_key(const UniqueFd& directory);
// The same, and makes one where there is none.
Result<std::string> make_state_key(const UniqueFd& directory, const std::string& path);

}  // namespace gibbous
