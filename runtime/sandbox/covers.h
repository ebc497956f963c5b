// Which mounts cover what in a sandbox. For prepare.cc.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "runtime/sandbox/entry.h"
#include "runtime/sandbox/paths.h"

namespace gibbous {

// Pins the directories above a path as far as they are in write trees: a process that can move one
// away and create another in its place has replaced its contents.
void pin_above(const std::string& path, std::span<const ResolvedPath> write,
               std::vector<Cover>& covers);

// Returns them parents first, without those that others make redundant.
std::vector<Cover> needed_covers(std::vector<Cover> covers);

}  // namespace gibbous
