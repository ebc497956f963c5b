#include "bindings/lua/source/source_index.h"

#include <algorithm>
#include <utility>

#include "bindings/lua/source/source_words.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxHits = 1000;  // of one text; a search visits all of them

}  // namespace

SourceIndex::SourceIndex(std::vector<SourceFile> files)
    : files_(std::move(files)), hits_(files_.size()) {}

const SourceIndex::Hits& SourceIndex::hits(std::size_t file) const {
  if (hits_[file] != nullptr) return *hits_[file];
  auto made = std::make_unique<Hits>();
  for (SourceWord& word : source_words(files_[file].text)) {
    const bool valued = word.is_literal && word.between == '=';
    std::vector<Hit>& hits = (*made)[std::move(word.text)];
    if (hits.size() == kMaxHits) continue;
    hits.push_back({word.line, word.is_literal, valued ? word.name : ""});
  }
  hits_[file] = std::move(made);
  return *hits_[file];
}

template <typename Fits>
SourcePlace SourceIndex::choose(const std::string& text, const std::string& file, int from,
                                Fits fits) const {
  SourcePlace first{file, 0};
  int others = 0;
  const auto look = [&](std::size_t at, bool own) {
    const auto found = hits(at).find(text);
    if (found == hits(at).end()) return false;
    for (const Hit& hit : found->second) {
      if (!fits(hit)) continue;
      if (!own) ++others;
      if (first.line == 0) first = {files_[at].path, hit.line};
      if (own && hit.line >= from) {
        first.line = hit.line;
        return true;
      }
    }
    return own && first.line != 0;
  };
  for (std::size_t at = 0; at < files_.size(); ++at) {
    if (files_[at].path == file && look(at, true)) return first;
  }
  for (std::size_t at = 0; at < files_.size() && others < 2; ++at) {
    if (files_[at].path != file) look(at, false);
  }
  return others == 1 ? first : SourcePlace{file, 0};
}

// Lines that begin with `key = 'text'`, the form of most rules: found without looking at anything
// else.
const SourceIndex::Plain& SourceIndex::plain(const std::string& key) const {
  const auto known = plain_.find(key);
  if (known != plain_.end()) return known->second;
  Plain& found = plain_[key];
  const std::string begin = key + " = '";
  for (const SourceFile& file : files_) {
    const std::string_view text = file.text;
    int line = 1;
    std::size_t counted = 0;
    for (std::size_t at = text.find(begin); at != std::string::npos;
         at = text.find(begin, at + 1)) {
      const std::size_t before = at == 0 ? 0 : text.find_last_not_of(" \t", at - 1);
      const std::size_t from = at + begin.size();
      const std::size_t end = text.find_first_of("'\\\n", from);
      if (before == std::string::npos || end == std::string::npos) continue;
      if (text[before] != '\n' || text[end] != '\'') continue;
      line += static_cast<int>(std::count(text.begin() + static_cast<std::ptrdiff_t>(counted),
                                          text.begin() + static_cast<std::ptrdiff_t>(at), '\n'));
      counted = at;
      found[std::string(text.substr(from, end - from))].push_back({file.path, line});
    }
  }
  return found;
}

SourcePlace SourceIndex::find(const std::string& text, const std::string& key,
                              const std::string& file, int from) const {
  if (!key.empty() && from == 0) {
    const auto found = plain(key).find(text);
    if (found != plain(key).end() && found->second.size() == 1) return found->second.front();
  }
  return choose(text, file, from,
                [&key](const Hit& hit) { return hit.literal && (key.empty() || hit.key == key); });
}

SourcePlace SourceIndex::find_key(const std::string& name, const std::string& file,
                                  int from) const {
  const SourcePlace place = choose(name, file, from, [](const Hit& hit) { return !hit.literal; });
  if (place.line != 0) return place;
  return choose(name, file, from, [](const Hit& hit) { return hit.key.empty(); });
}

}  // namespace gibbous::lua
