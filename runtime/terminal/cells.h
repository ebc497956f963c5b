// Cells of libvterm as text and styles. For screen.cc alone. Pure, any thread.
#pragma once

#include <vterm.h>

#include <span>
#include <string>
#include <vector>

#include "runtime/terminal/screen.h"

namespace gibbous {

// Without the blanks at the end.
std::string text_of(std::span<const VTermScreenCell> cells);
std::vector<StyledSpan> spans_of(std::span<const VTermScreenCell> cells);

}  // namespace gibbous
