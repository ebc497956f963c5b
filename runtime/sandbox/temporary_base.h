// Where the directories of temporary.h are kept, and how they are opened: below the machine's own
// every user may make names, so that nothing there is trusted that is not this user's. For
// temporary.cc and temporary_layers.cc.
#pragma once

#include <sys/types.h>

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "runtime/base/unique_fd.h"

struct stat;

namespace gibbous {

inline constexpr mode_t kForAll = 01777;
inline constexpr mode_t kForUser = 0700;
inline constexpr int kDeepest = 200;  // directories in one another that are removed
inline constexpr std::string_view kAside = ".old-";
inline constexpr std::string_view kLayersAround = "/var/tmp";

// "/tmp/gibbous-UID", or the next name that no other user has.
std::string base_in(std::string_view around);
UniqueFd open_base(std::string_view around);
bool is_ours(const struct stat& info);
UniqueFd open_below(int around, const char* name, std::uint64_t flags);
// Opens a directory of this user's, which is made where there is none; unset, with errno. With
// `repair`, what is in its place is moved away: only a run can have put it there.
UniqueFd own_directory(int around, const char* name, mode_t mode, bool repair);
// Enters nothing that is mounted there, and follows no link. What it cannot remove, stays.
void remove_tree(int around, const char* name);
// Makes a file of this user's with the text, for everybody who is to see it whole. Returns false
// when there is none under the name then.
bool write_whole(int around, const std::string& name, std::string_view text, mode_t mode);

// Writes how much is in a directory into a note beside it, and reads that (0: there is none).
void note_bytes(int around, const char* tree, const char* note);
std::uint64_t noted_bytes(int around, const char* note);

// Returns the new name, beside the group, of a group's layers, which are then to be removed: that
// takes longer than a run waits for the group's lock.
std::optional<std::string> move_layers_away(int base, const std::string& group);
// The same for the copies of one run.
void move_copies_away(const std::string& directory, const std::string& group);
// Removes the layers of a group that no run holds. `locks`: where groups have their locks.
void remove_old_layers(int base, const UniqueFd& locks, const std::string& group);

}  // namespace gibbous
