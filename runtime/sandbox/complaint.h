// Complaint: what one line of a program's output says about a failed operation, and the names in it
// that may be paths. It reads words only; refusal.cc consults the profile. Any thread.
#pragma once

#include <cstdint>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous {

enum class ComplaintKind : std::uint8_t {
  kNone,
  kDenied,       // EACCES, EPERM
  kReadOnly,     // EROFS
  kBusy,         // EBUSY: a mount point can be neither moved nor removed
  kMissing,      // ENOENT
  kUnconnected,  // no process listens that this program may reach
};

struct Complaint {
  ComplaintKind kind = ComplaintKind::kNone;
  bool not_permitted = false;  // kDenied by EPERM
  bool reading = false;        // was only reading, according to its words
  bool writing = false;
  // In the order of the line, relative ones too. Empty: the line names none.
  std::vector<std::string> paths;
};

Complaint read_complaint(std::string_view line);

// Returns true if one of `words` is in `text`; both are in lower case.
bool holds_any(std::string_view text, const std::vector<std::string_view>& words);
// The parts of a text between any of the characters, without those that are empty.
std::vector<std::string_view> split(std::string_view text, std::string_view separators);
std::string in_small_letters(std::string_view text);

}  // namespace gibbous
