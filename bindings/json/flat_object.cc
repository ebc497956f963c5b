#include "bindings/json/flat_object.h"

#include <algorithm>

#include "bindings/json/text.h"

namespace gibbous {
namespace {

bool is_plain(char byte) {
  const auto code = static_cast<unsigned char>(byte);
  return code >= 0x20 && code < 0x7F && byte != '"' && byte != '\\';
}

class FlatReader {
 public:
  explicit FlatReader(std::string_view text) : text_(text) {}

  bool read(FlatMembers* members) {
    if (!take('{')) return false;
    if (!take('}')) {
      do {
        auto& [name, value] = members->emplace_back();
        if (!string(&name) || !take(':') || !string(&value)) return false;
        const auto same = [&name = name](const auto& each) { return each.first == name; };
        if (std::any_of(members->begin(), members->end() - 1, same)) return false;
      } while (take(','));
      if (!take('}')) return false;
    }
    skip_blanks();
    return at_ == text_.size();
  }

 private:
  void skip_blanks() {
    while (at_ < text_.size() &&
           (text_[at_] == ' ' || text_[at_] == '\n' || text_[at_] == '\t' || text_[at_] == '\r')) {
      ++at_;
    }
  }

  bool take(char wanted) {
    skip_blanks();
    if (at_ == text_.size() || text_[at_] != wanted) return false;
    ++at_;
    return true;
  }

  bool string(std::string* to) {
    if (!take('"')) return false;
    for (;;) {
      const std::size_t begin = at_;
      while (at_ < text_.size() && is_plain(text_[at_])) ++at_;
      to->append(text_, begin, at_ - begin);
      if (at_ == text_.size()) return false;
      if (text_[at_] == '"') return ++at_, true;
      if (!escape(to)) return false;
    }
  }

  bool escape(std::string* to) {
    constexpr std::string_view kNames = "\"\\/bfnrt";
    constexpr std::string_view kBytes = "\"\\/\b\f\n\r\t";
    if (text_[at_] != '\\' || at_ + 1 == text_.size()) return false;
    const std::size_t which = kNames.find(text_[at_ + 1]);
    if (which == std::string_view::npos) return false;
    *to += kBytes[which];
    at_ += 2;
    return true;
  }

  std::string_view text_;
  std::size_t at_ = 0;
};

}  // namespace

bool read_flat_object(std::string_view text, FlatMembers* members) {
  members->clear();
  return FlatReader(text).read(members);
}

void append_json_text(std::string_view text, std::string* to) {
  if (!std::all_of(text.begin(), text.end(), is_plain)) {
    *to += to_text(Json(std::string(text)));
    return;
  }
  *to += '"';
  *to += text;
  *to += '"';
}

}  // namespace gibbous
