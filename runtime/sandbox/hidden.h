// What a profile hides by shape: names as they are when a program starts. For prepare.cc; what a
// shape means without looking at the disk is for everybody.
#pragma once

#include <string>
#include <string_view>
#include <vector>

#include "runtime/sandbox/lookups.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// Returns true for a path that the shape means (SandboxSpec::shapes), or that is below such a one.
bool is_meant(std::string_view path, const std::string& shape);
// Returns true for what one of SandboxSpec::visible names, holds or is below.
bool is_visible(std::string_view path, const SandboxSpec& spec);
// Returns true when the profile hides the path, as it is written.
bool is_hidden(std::string_view path, const SandboxSpec& spec);

// Returns `unreadable` with the names that the shapes mean now, and with what is in it in place of
// a directory in which something is visible. `gaps` gets sentences about what was not listed.
std::vector<std::string> hidden_names(const SandboxSpec& spec, Lookups& lookups,
                                      std::vector<std::string>& gaps);

// Returns what a hidden file reads as, by its name; "" for an empty one.
std::string_view blank_of(std::string_view path);

}  // namespace gibbous
