// Cells of libvterm as text and styles. Only screen.cc uses it. Pure, any thread.
#pragma once

#include <vterm.h>

#include <span>
#include <string>
#include <vector>

#include "runtime/terminal/screen.h"

namespace gibbous {

// Returns the text without the blanks at its end.
std::string text_of(std::span<const VTermScreenCell> cells);
std::vector<StyledSpan> spans_of(std::span<const VTermScreenCell> cells);

}  // namespace gibbous
