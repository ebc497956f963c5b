#include "runtime/sandbox/covers.h"

#include <algorithm>
#include <utility>

namespace gibbous {
namespace {

// `above` is at the same path, or above it.
bool makes_needless(const Cover& above, const Cover& cover) {
  switch (above.kind) {
    case CoverKind::kHideDirectory:
    case CoverKind::kHideFile:
      return true;
    case CoverKind::kReadOnly:
      return cover.kind == CoverKind::kReadOnly || cover.kind == CoverKind::kPin;
    case CoverKind::kPin:
      return above.path == cover.path;
  }
  return false;
}

}  // namespace

void pin_above(const std::string& path, std::span<const ResolvedPath> write,
               std::vector<Cover>& covers) {
  std::string above = path;
  while (true) {
    above.resize(above.rfind('/'));
    // A write tree is a mount already.
    if (above.empty() || !is_within_any(above, write) || is_one_of(above, write)) return;
    covers.push_back({above, CoverKind::kPin});
  }
}

std::vector<Cover> needed_covers(std::vector<Cover> covers) {
  // For the same path the strongest first, which makes the others redundant.
  std::sort(covers.begin(), covers.end(), [](const Cover& a, const Cover& b) {
    if (a.path != b.path) return a.path < b.path;
    return a.kind != b.kind ? a.kind > b.kind : a.may_be_gone < b.may_be_gone;
  });
  std::vector<Cover> needed;
  for (Cover& cover : covers) {
    const bool done = std::any_of(needed.begin(), needed.end(), [&](const Cover& above) {
      return is_within(cover.path, above.path) && makes_needless(above, cover);
    });
    if (!done) needed.push_back(std::move(cover));
  }
  return needed;
}

}  // namespace gibbous
