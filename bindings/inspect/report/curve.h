// Two small SVG charts of a run: processor time and memory. Pure, any thread.
#pragma once

#include <span>
#include <string>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

// "" when there are too few samples.
std::string curves_html(std::span<const UsageSample> samples);

}  // namespace gibbous::report
