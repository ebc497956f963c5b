// Curves: what a run cost over its time, as two small charts (processor, memory) in SVG. Pure, any
// thread.
#pragma once

#include <span>
#include <string>

#include "bindings/inspect/report/story.h"

namespace gibbous::report {

// "" when there are not enough samples for a curve.
std::string curves_html(std::span<const UsageSample> samples);

}  // namespace gibbous::report
