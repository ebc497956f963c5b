// Complaint: what one line of a program's output says about something that it could not do, and the
// names in it that may be paths. Words only: refusal.cc asks the profile. Any thread.
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
  kBusy,         // EBUSY: what is mounted can be neither moved nor removed
  kMissing,      // ENOENT
  kUnconnected,  // nobody listens, or not to this program
};

struct Complaint {
  ComplaintKind kind = ComplaintKind::kNone;
  bool not_permitted = false;  // kDenied by EPERM
  bool reading = false;        // was only reading, as far as its words tell
  bool writing = false;
  // In the order of the line; relative ones too. Empty: it names none.
  std::vector<std::string> paths;
};

Complaint read_complaint(std::string_view line);

// Whether one of `words`, in small letters, is in `text`, which is in small letters too.
bool holds_any(std::string_view text, const std::vector<std::string_view>& words);
std::string in_small_letters(std::string_view text);

}  // namespace gibbous
