#include "bindings/lua/source_index.h"

#include <utility>

#include "bindings/lua/source_words.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxHits = 1000;  // of one text; a search looks at all of them

}  // namespace

SourceIndex::SourceIndex(const std::vector<SourceFile>& files) {
  for (const SourceFile& file : files) {
    for (SourceWord& word : source_words(file.text)) {
      const bool valued = word.is_literal && word.between == '=';
      std::vector<Hit>& hits = hits_[std::move(word.text)];
      if (hits.size() == kMaxHits) continue;
      hits.push_back({files_.size(), word.line, word.is_literal, valued ? word.name : ""});
    }
    files_.push_back(file.path);
  }
}

template <typename Fits>
SourcePlace SourceIndex::choose(const std::string& text, const std::string& file, int from,
                                Fits fits) const {
  const SourcePlace none{file, 0};
  const auto found = hits_.find(text);
  if (found == hits_.end()) return none;
  const Hit* behind = nullptr;
  const Hit* inside = nullptr;
  const Hit* elsewhere = nullptr;
  int others = 0;
  for (const Hit& hit : found->second) {
    if (!fits(hit)) continue;
    if (files_[hit.file] != file) {
      if (++others == 1) elsewhere = &hit;
      continue;
    }
    if (inside == nullptr) inside = &hit;
    if (behind == nullptr && hit.line >= from) behind = &hit;
  }
  const Hit* best = behind != nullptr ? behind : inside;
  if (best == nullptr && others == 1) best = elsewhere;
  return best == nullptr ? none : SourcePlace{files_[best->file], best->line};
}

SourcePlace SourceIndex::find(const std::string& text, const std::string& key,
                              const std::string& file, int from) const {
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
