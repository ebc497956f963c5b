// What Gibbous promises, and which promises this machine lets it keep: the table that SECURITY.md
// explains, row by row. Any thread.
#pragma once

#include <string>
#include <vector>

#include "gibbous/doctor.h"
#include "runtime/process/cgroup_places.h"
#include "runtime/process/mark.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous::host {

// What the answer depends on.
struct Machine {
  bool keeper = false;    // the program is there, and of this version
  bool recorded = false;  // the journal can be written, or made
  bool root = false;
  bool proc = false;  // /proc can be read
  MarkMode marks = MarkMode::kNone;
  CgroupPlaces groups;
  // The same from the first answer on: a keeper that can make no groups gets a scope of the user's
  // manager then.
  CgroupPlaces scope_groups;
  std::string no_scope;  // why there are none; "" where none are needed
  SandboxSupport sandbox;
};

// What modes that run commands in a sandbox lack here, and what they do instead; "": nothing.
const std::string& sandbox_gap();

// Findings named "guarantee.…", whose values are yes, partly or no; what is not "yes" says why.
std::vector<Finding> guarantees(const Machine& machine);

}  // namespace gibbous::host
