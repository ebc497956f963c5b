// RE2's own FilteredRE2 says which literals ("atoms") matter, and whether a regex may match when
// only some of them are there. With fewer atoms a match never becomes more likely. So it is enough
// to search for a set of atoms without which the regex cannot match; dropping one after another,
// the short ones first, gives a set in which each is needed.
//
// FilteredRE2 wants text in Unicode's lower case. Literals are cut down to ASCII instead, and a
// line with one of the three characters that fold into ASCII letters is always tried.
#include "runtime/watch/required_literals.h"

#include <re2/filtered_re2.h>

#include <algorithm>

namespace gibbous {
namespace {

constexpr int kMinAtomBytes = 3;
static_assert(kMinAtomBytes == kMinLiteralBytes);
constexpr std::size_t kMaxSparedAtoms = 128;  // sparing is quadratic; with more, all are searched
                                              // for
constexpr std::size_t kMaxAtoms = 1024;

class Atoms {
 public:
  explicit Atoms(const std::string& regex) : filter_(kMinAtomBytes) {
    re2::RE2::Options options;
    options.set_log_errors(false);
    int id = 0;
    if (filter_.Add(regex, options, &id) != re2::RE2::NoError) return;
    filter_.Compile(&texts_);
    if (texts_.size() > kMaxAtoms) texts_.clear();
  }

  // Returns true if the regex cannot match a text that has none of the atoms in `without`.
  bool needs(const std::vector<std::size_t>& without) const {
    std::vector<int> present;
    for (std::size_t atom = 0; atom < texts_.size(); ++atom) {
      if (std::find(without.begin(), without.end(), atom) == without.end()) {
        present.push_back(static_cast<int>(atom));
      }
    }
    std::vector<int> possible;
    filter_.AllPotentials(present, &possible);
    return possible.empty();
  }
  const std::vector<std::string>& texts() const { return texts_; }

 private:
  re2::FilteredRE2 filter_;
  std::vector<std::string> texts_;
};

// Returns the longest part that a search can compare byte by byte: the atoms are in Unicode's lower
// case.
std::string searchable(std::string_view atom) {
  std::string_view best;
  for (std::size_t begin = 0; begin < atom.size(); ++begin) {
    std::size_t end = begin;
    while (end < atom.size() && static_cast<unsigned char>(atom[end]) < 0x80 && atom[end] != '\n') {
      ++end;
    }
    if (end - begin > best.size()) best = atom.substr(begin, end - begin);
    begin = end;
  }
  return std::string(best);
}

// Only a line with folding characters holds such an atom, so there is nothing to search for.
bool is_folded(std::string_view atom) {
  return std::any_of(
      std::begin(kFoldingCharacters), std::end(kFoldingCharacters),
      [&](std::string_view each) { return atom.find(each) != std::string_view::npos; });
}

// Removes from `needed` the atoms that can be spared, in the order of `candidates`.
void spare(const Atoms& atoms, const std::vector<std::size_t>& candidates,
           std::vector<std::size_t>* needed) {
  if (candidates.size() > kMaxSparedAtoms) return;
  for (const std::size_t atom : candidates) {
    std::vector<std::size_t> fewer = *needed;
    std::erase(fewer, atom);
    if (atoms.needs(fewer)) *needed = std::move(fewer);
  }
}

}  // namespace

std::vector<std::string> required_literals(const std::string& regex) {
  const Atoms atoms(regex);
  std::vector<std::string> literals;
  std::vector<std::size_t> needed;
  for (const std::string& atom : atoms.texts()) {
    needed.push_back(literals.size());
    literals.push_back(is_folded(atom) ? "" : searchable(atom));
  }
  if (needed.empty() || !atoms.needs(needed)) return {};
  std::vector<std::size_t> candidates;
  for (const std::size_t atom : needed) {
    if (!is_folded(atoms.texts()[atom])) candidates.push_back(atom);
  }
  std::stable_sort(candidates.begin(), candidates.end(), [&](std::size_t left, std::size_t right) {
    return literals[left].size() < literals[right].size();
  });
  spare(atoms, candidates, &needed);
  std::vector<std::string> result;
  for (const std::size_t atom : needed) {
    if (is_folded(atoms.texts()[atom])) continue;
    if (literals[atom].size() < kMinLiteralBytes) return {};
    result.push_back(literals[atom]);
  }
  return result;
}

}  // namespace gibbous
