// The page about a session: one self-contained HTML file that runs only its own script. Pure except
// for the time zone; any thread.
//
// The newest runs get their share of the bytes first, each an equal part of what is left. Positions
// on the timeline are percentages, so that the page fits any window without a script.
#pragma once

#include <cstddef>
#include <string>
#include <string_view>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

inline constexpr std::size_t kMaxPageBytes = std::size_t{8} << 20;

// Returns at most kMaxPageBytes; notes say what was left out.
std::string page_html(const Story& story);

// Defined in page_style.cc and page_script.cc.
std::string_view page_style();
std::string_view page_script();

}  // namespace gibbous::report
