// TableReader reads the tables of a policy from the Lua stack, and reports for each fault its place
// and what was expected. The base of the readers of rules, knowledge and cases. Inside a protected
// call. Loop thread only.
//
// It uses raw access only, so that no metamethod runs, and writes nothing to Lua. The functions
// look at the value on top of the stack and leave it there. None raises, except where it says so;
// C++ frames are then unwound with their destructors (LuaJIT does so on every supported platform),
// and what was read is in objects of the caller of protect().
#pragma once

#include <algorithm>
#include <cstddef>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "bindings/lua/source/faults.h"
#include "runtime/command/facts.h"
#include "runtime/rules/rules.h"

struct lua_State;

namespace gibbous::lua {

inline constexpr std::size_t kMaxPolicyItems = 20'000;  // rules, programs or cases
inline constexpr std::size_t kMaxListItems = 1000;      // of any other list
inline constexpr std::size_t kMaxTextBytes = std::size_t{8} << 10;
inline constexpr std::size_t kMaxRegexBytes = std::size_t{32} << 10;  // because they are combined
inline constexpr std::size_t kMaxPolicyNodes = 1'000'000;  // values of all tables of one read
inline constexpr std::size_t kMaxPolicyBytes = std::size_t{16} << 20;  // of all their texts

inline constexpr int kAccessKinds = static_cast<int>(command::AccessKind::kName) + 1;
inline constexpr int kDecisions = static_cast<int>(rules::Decision::kDeny) + 1;

inline constexpr char kExampleMode[] = "auto";

// Returns "unknown <what> '<word>'; did you mean ...?", or lists the known words.
std::string unknown_word(const std::string& what, const std::string& word,
                         const std::vector<std::string>& known);

// Appends the words of a text.
void split_words(const std::string& text, std::vector<std::string>* out);

class TableReader {
 public:
  TableReader(lua_State* state, Faults* faults);

  lua_State* state() { return state_; }
  Faults& faults() { return *faults_; }
  // Returns true when this reader has found no fault.
  bool good() const { return found_ == 0; }
  std::size_t found() const { return found_; }

  // Returns true when the bounds are exceeded, which ends reading.
  bool over() const { return over_ || faults_->full(); }
  // Reports "rules[3] 'machine.stop': flags: " + what, at the line of `written` (a wrong word or
  // key) if it can be found, else at the item's line.
  void fault(const std::string& message, const std::string& written = "", bool is_key = false);
  // Reports "must be <expected>, not <the value on top>".
  void expected(const std::string& what);
  // Reports unknown_word() about the word on top or, with `is_key`, about the key below it.
  void unknown(const std::string& what, const std::string& word,
               const std::vector<std::string>& known, bool is_key = false);

  bool text(std::string* out);                                        // not empty
  bool any_text(std::string* out, std::size_t most = kMaxTextBytes);  // also empty
  bool flag(bool* out);
  bool flag(std::optional<bool>* out);
  bool integer(int least, int most, int* out);
  // A string, split at spaces, or a list of strings, optionally split too.
  bool words(std::vector<std::string>* out, bool split_items = false);
  // A list of strings, which may be empty.
  bool texts(std::vector<std::string>* out);
  // Like `words` or `texts`, compiled.
  bool patterns(std::vector<rules::Pattern>* out, bool words_too);
  // A word of the enum with `count` values that name_of() names.
  template <typename Enum>
  bool one_of(const char* what, const std::string& word, int count, Enum* out);
  template <typename Enum>
  void all_of(const char* what, int count, std::vector<Enum>* out) {
    std::vector<std::string> written;
    if (!words(&written)) return;
    for (const std::string& word : written) {
      Enum value{};
      if (one_of(what, word, count, &value)) out->push_back(value);
    }
  }
  bool access(command::AccessKind* out);
  // An absolute path.
  void directory(std::string* out);
  // A list of command lines, each a string, or a table with command or argv, cwd and mode, which
  // are
  // "" where absent.
  void command_lines(std::vector<rules::Example>* out);

  // Calls `item` with each element on top, path and place set. Returns true without new faults.
  bool each(std::size_t most, const std::function<void()>& item,
            const char* expected_list = "a list");
  // Calls `field(key)` with each value on top; keys that are no strings are faults.
  void each_key(std::size_t most, const char* expected_table,
                const std::function<void(const std::string&)>& field);
  // A list whose elements are tables of a kind, or lists of such tables: { require 'a', {...} }.
  // Charges the budget after each, so it raises.
  void items(const char* what, const std::function<void()>& item);
  // Returns true when the table on top has no named field: it is a list, or empty.
  bool is_list();

  // Returns a string field of the table on top, to name it before it is read; "" when it is absent.
  // Raises when the memory is used up.
  std::string peek_text(const char* name);
  // How faults name the current item, and where it is.
  void name_item(const std::string& name);
  void set_place(const SourcePlace& place) { place_ = place; }
  // The same for the field `name`, when the fault is there. "": none.
  void set_place_key(const std::string& name) { place_key_ = name; }
  const SourcePlace& place() const { return place_; }
  const std::string& path() const { return path_; }
  const std::string& file() const { return file_; }
  // The file of the module that returned the table on top becomes file(), if there is one. Raises.
  void enter_file();
  void restore_file(const std::string& file) { file_ = file; }

  void note_regex(std::size_t bytes);
  // Charges for what was read since the last call. Raises when the budget is used up.
  void charge();

  // Adds a part to the path while it exists.
  class Step {
   public:
    Step(TableReader& reader, const std::string& name) : path_(reader.path_), size_(path_.size()) {
      if (name.front() != '[' && !path_.empty()) path_ += '.';
      path_ += name;
    }
    ~Step() { path_.resize(size_); }
    Step(const Step&) = delete;
    Step& operator=(const Step&) = delete;

   private:
    std::string& path_;
    std::size_t size_;
  };

  // A table with named fields: reads each into `out`, with its value on top. Unknown keys and
  // missing required ones are faults.
  template <typename Reader, typename T>
  struct Field {
    const char* name;
    void (*read)(Reader&, T*);
    bool required = false;
  };
  template <typename Reader, typename T, std::size_t kCount>
  static bool fields(Reader& reader, const Field<Reader, T> (&known)[kCount], const char* shape,
                     T* out);

 private:
  bool take(std::size_t bytes);  // counts one more value with this many bytes
  bool list_size(std::size_t most, const char* expected_list, std::size_t* size);
  std::string shown() const;
  std::string shown_key() const;

  lua_State* state_;
  Faults* faults_;
  std::size_t found_ = 0;  // including faults that were not kept
  std::string item_;
  std::string path_;
  std::string file_;
  SourcePlace place_;
  std::string place_key_;
  std::size_t nodes_ = 0;
  std::size_t bytes_ = 0;
  std::size_t steps_ = 0;  // not charged yet
  bool over_ = false;
};

template <typename Reader, typename T, std::size_t kCount>
bool TableReader::fields(Reader& reader, const Field<Reader, T> (&known)[kCount], const char* shape,
                         T* out) {
  std::vector<bool> seen(kCount);
  const std::size_t before = reader.found();
  bool is_table = false;
  reader.each_key(kMaxListItems, shape, [&](const std::string& key) {
    is_table = true;
    std::size_t at = 0;
    while (at < kCount && key != known[at].name) ++at;
    if (at == kCount) {
      std::vector<std::string> names;
      for (const auto& field : known) names.emplace_back(field.name);
      reader.unknown("key", key, names, true);
      return;
    }
    seen[at] = true;
    const Step step(reader, key);
    known[at].read(reader, out);
  });
  if (!is_table && reader.found() != before) return false;
  for (std::size_t i = 0; i < kCount; ++i) {
    if (known[i].required && !seen[i]) {
      reader.fault(std::string(known[i].name) + " is missing: expected " + shape);
    }
  }
  return reader.found() == before;
}

template <typename Enum>
bool TableReader::one_of(const char* what, const std::string& word, int count, Enum* out) {
  std::vector<std::string> known;
  for (int i = 0; i < count; ++i) known.emplace_back(name_of(static_cast<Enum>(i)));
  const auto found = std::find(known.begin(), known.end(), word);
  if (found == known.end()) return unknown(what, word, known), false;
  *out = static_cast<Enum>(found - known.begin());
  return true;
}

}  // namespace gibbous::lua
