// The specs of what `gibbous new` writes. Pure, any thread.
#pragma once

#include "bindings/cli/new_templates.h"

namespace gibbous::cli {

// With @NAME@ for the name; "": this kind has none.
const char* new_spec_text(NewKind kind);

}  // namespace gibbous::cli
