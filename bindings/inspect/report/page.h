// The page about a session: one HTML file that loads nothing and runs only its own script. Pure but
// for the time zone; any thread.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

inline constexpr std::size_t kMaxPageBytes = std::size_t{8} << 20;

// At most kMaxPageBytes; what was left out is said in its place.
std::string page_html(const Story& story);

// page_style.cc and page_script.cc
std::string_view page_style();
std::string_view page_script();

}  // namespace gibbous::report
