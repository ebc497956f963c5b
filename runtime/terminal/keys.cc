// Names in angle brackets, with modifiers in front: <C-Up>, <M-S-F5>. Case matters only for the
// character of <M-X>.
#include "runtime/terminal/keys.h"

#include <algorithm>
#include <array>
#include <optional>
#include <utility>

#include "runtime/base/nearest.h"
#include "runtime/output/text.h"
#include "runtime/output/utf8.h"
#include "runtime/terminal/code_point.h"

namespace gibbous {
namespace {

constexpr int kLastFunction = 12;
constexpr std::size_t kMaxNameBytes = 32;
constexpr char kControlMask = 0x1f;
constexpr char32_t kDeleteCharacter = 0x7f;

struct NamedKey {
  std::string_view name;
  Key key;
  char32_t character = 0;
};

constexpr std::array kNames = {
    NamedKey{"Enter", Key::kEnter},
    NamedKey{"CR", Key::kEnter},
    NamedKey{"Return", Key::kEnter},
    NamedKey{"Tab", Key::kTab},
    NamedKey{"BS", Key::kBackspace},
    NamedKey{"Backspace", Key::kBackspace},
    NamedKey{"Esc", Key::kEscape},
    NamedKey{"Escape", Key::kEscape},
    NamedKey{"Up", Key::kUp},
    NamedKey{"Down", Key::kDown},
    NamedKey{"Left", Key::kLeft},
    NamedKey{"Right", Key::kRight},
    NamedKey{"Insert", Key::kInsert},
    NamedKey{"Ins", Key::kInsert},
    NamedKey{"Delete", Key::kDelete},
    NamedKey{"Del", Key::kDelete},
    NamedKey{"Home", Key::kHome},
    NamedKey{"End", Key::kEnd},
    NamedKey{"PageUp", Key::kPageUp},
    NamedKey{"PgUp", Key::kPageUp},
    NamedKey{"PageDown", Key::kPageDown},
    NamedKey{"PgDn", Key::kPageDown},
    NamedKey{"Space", Key::kCharacter, U' '},
    NamedKey{"lt", Key::kCharacter, U'<'},
    NamedKey{"gt", Key::kCharacter, U'>'},
    NamedKey{"Bar", Key::kCharacter, U'|'},
    NamedKey{"Bslash", Key::kCharacter, U'\\'},
};

char lower(char letter) {
  return letter >= 'A' && letter <= 'Z' ? static_cast<char>(letter - 'A' + 'a') : letter;
}

bool same_name(std::string_view a, std::string_view b) {
  return std::equal(a.begin(), a.end(), b.begin(), b.end(),
                    [](char x, char y) { return lower(x) == lower(y); });
}

Status wrong(std::string message) {
  return Status::error("invalid_arguments", "keys: " + std::move(message));
}

// Removes "C-", "M-", "A-" and "S-" from the front. A '-' alone is a key.
std::string_view take_modifiers(std::string_view name, KeyStroke& stroke) {
  constexpr std::size_t kModifier = 2;
  while (name.size() > kModifier && name[1] == '-') {
    switch (lower(name[0])) {
      case 'c':
        stroke.control = true;
        break;
      case 'm':
      case 'a':
        stroke.alt = true;
        break;
      case 's':
        stroke.shift = true;
        break;
      default:
        return name;
    }
    name.remove_prefix(kModifier);
  }
  return name;
}

bool take_function(std::string_view name, KeyStroke& stroke) {
  if (name.size() < 2 || name.size() > 3 || lower(name[0]) != 'f') return false;
  int number = 0;
  for (const char digit : name.substr(1)) {
    if (digit < '0' || digit > '9') return false;
    number = number * 10 + (digit - '0');
  }
  if (number < 1 || number > kLastFunction) return false;
  stroke.key = Key::kFunction;
  stroke.number = number;
  return true;
}

bool take_name(std::string_view name, KeyStroke& stroke) {
  for (const NamedKey& known : kNames) {
    if (!same_name(known.name, name)) continue;
    stroke.key = known.key;
    stroke.character = known.character;
    return true;
  }
  return take_function(name, stroke);
}

std::string nearest_key(std::string_view name) {
  std::vector<std::string> known;
  for (const NamedKey& each : kNames) known.emplace_back(each.name);
  for (int number = 1; number <= kLastFunction; ++number) {
    known.push_back("F" + std::to_string(number));
  }
  return nearest_name(name, known);
}

Status unknown(std::string_view whole, std::string_view name) {
  std::string message = "there is no key <" + std::string(whole) + ">";
  const std::string prefix(whole.substr(0, whole.size() - name.size()));
  if (const std::string near = nearest_key(name); !near.empty()) {
    message += "; did you mean <" + prefix + near + ">?";
  }
  return wrong(message + " Write a literal '<' as <lt>.");
}

// `whole` is the text between the brackets.
Result<KeyStroke> parse_name(std::string_view whole) {
  KeyStroke stroke;
  const std::string_view name = take_modifiers(whole, stroke);
  if (take_name(name, stroke)) return stroke;
  const bool modified = stroke.control || stroke.alt || stroke.shift;
  const Utf8Step step = utf8_step(name);
  if (!modified || step.size != name.size()) return unknown(whole, name);
  stroke.character = code_point(name);
  // <C-A> and <C-a> are the same byte.
  if (stroke.control && name.size() == 1) stroke.character = static_cast<char32_t>(lower(name[0]));
  return stroke;
}

KeyStroke stroke_of(std::string_view sequence) {
  KeyStroke stroke;
  stroke.character = code_point(sequence);
  if (sequence == "\n" || sequence == "\r") stroke.key = Key::kEnter;
  if (sequence == "\t") stroke.key = Key::kTab;
  return stroke;
}

Status check_text(std::string_view text) {
  if (text.size() > kMaxKeysBytes) {
    return wrong("expected at most " + std::to_string(kMaxKeysBytes) + " bytes, got " +
                 std::to_string(text.size()));
  }
  if (!is_utf8(text)) return wrong("expected valid UTF-8");
  return {};
}

Result<KeyStroke> take_bracket(std::string_view& text) {
  const std::size_t close = text.substr(0, kMaxNameBytes).find('>', 2);
  if (close == std::string_view::npos) {
    return wrong("a '<' begins the name of a key, such as <Enter>; write a literal '<' as <lt>");
  }
  const std::string_view name = text.substr(1, close - 1);
  text.remove_prefix(close + 1);
  return parse_name(name);
}

std::optional<char> control_byte(char32_t character) {
  if (character == U' ' || character == U'@') return '\0';
  if (character == U'?' || character == U'8') return static_cast<char>(kDeleteCharacter);
  if (character == U'/') return control_byte(U'_');
  // Ctrl with a digit works as on the VT220.
  if (character == U'2') return '\0';
  if (character >= U'3' && character <= U'7') return control_byte(character - U'3' + U'[');
  const bool has =
      (character >= U'a' && character <= U'z') || (character >= U'[' && character <= U'_');
  if (!has) return std::nullopt;
  return static_cast<char>(static_cast<char>(character) & kControlMask);
}

std::string unmodified_bytes(const KeyStroke& stroke) {
  switch (stroke.key) {
    case Key::kCharacter:
      return to_utf8(stroke.shift && stroke.character >= U'a' && stroke.character <= U'z'
                         ? stroke.character - U'a' + U'A'
                         : stroke.character);
    case Key::kEnter:
      return "\n";
    case Key::kTab:
      return "\t";
    case Key::kBackspace:
      return "\x7f";
    case Key::kEscape:
      return "\x1b";
    case Key::kUp:
    case Key::kDown:
    case Key::kLeft:
    case Key::kRight:
    case Key::kInsert:
    case Key::kDelete:
    case Key::kHome:
    case Key::kEnd:
    case Key::kPageUp:
    case Key::kPageDown:
    case Key::kFunction:
      break;
  }
  return "";
}

// Returns true for keys after which a shell has read its line or discarded it.
bool ends_line(const KeyStroke& stroke) {
  if (stroke.key == Key::kEnter) return true;
  constexpr std::u32string_view kEnding = U"cdjmz\\";
  return stroke.control && !stroke.alt && stroke.key == Key::kCharacter &&
         kEnding.find(stroke.character) != std::u32string_view::npos;
}

// Whether the key hands the line to the shell, instead of abandoning it.
bool takes_line(const KeyStroke& stroke) {
  return stroke.key == Key::kEnter || stroke.character == U'j' || stroke.character == U'm';
}

}  // namespace

Result<std::vector<KeyStroke>> parse_keys(std::string_view text) {
  if (const Status good = check_text(text); !good) return good;
  std::vector<KeyStroke> strokes;
  while (!text.empty()) {
    if (text.front() == '<') {
      const auto stroke = take_bracket(text);
      if (!stroke) return stroke.status();
      strokes.push_back(*stroke);
      continue;
    }
    const std::size_t size = utf8_step(text).size;
    strokes.push_back(stroke_of(text.substr(0, size)));
    text.remove_prefix(size);
  }
  return strokes;
}

Result<std::vector<KeyStroke>> literal_keys(std::string_view text) {
  if (const Status good = check_text(text); !good) return good;
  std::vector<KeyStroke> strokes;
  while (!text.empty()) {
    const std::size_t size = utf8_step(text).size;
    strokes.push_back(stroke_of(text.substr(0, size)));
    text.remove_prefix(size);
  }
  return strokes;
}

std::string plain_bytes(const KeyStroke& stroke) {
  std::string bytes;
  if (stroke.control) {
    const auto byte = stroke.key == Key::kCharacter ? control_byte(stroke.character) : std::nullopt;
    if (!byte && stroke.key != Key::kCharacter) return "";
    // Characters without a control form are sent plain, as xterm does.
    bytes = byte ? std::string(1, *byte) : unmodified_bytes(stroke);
  } else if (stroke.shift && stroke.key != Key::kCharacter) {
    return "";
  } else {
    bytes = unmodified_bytes(stroke);
  }
  return stroke.alt && !bytes.empty() ? "\x1b" + bytes : bytes;
}

TypedText typed_text(const std::vector<KeyStroke>& strokes) {
  TypedText typed;
  for (const KeyStroke& stroke : strokes) {
    const bool plain = !stroke.control && !stroke.alt;
    const bool redraws = stroke.control && !stroke.alt && stroke.character == U'l';
    if (ends_line(stroke)) {
      typed.text += '\n';
      typed.interrupted = typed.interrupted || !takes_line(stroke);
    } else if (plain && stroke.key == Key::kCharacter && stroke.character >= U' ' &&
               stroke.character != kDeleteCharacter) {
      typed.text += to_utf8(stroke.character);
    } else if (!redraws) {
      typed.edited = true;
    }
  }
  return typed;
}

TypedText typed_bytes(std::string_view bytes) {
  TypedText typed;
  for (const char byte : bytes) {
    const auto value = static_cast<unsigned char>(byte);
    if (byte == '\n' || byte == '\r') {
      typed.text += '\n';
    } else if (value < ' ' || value == kDeleteCharacter) {
      typed.edited = true;
    } else {
      typed.text += byte;
    }
  }
  return typed;
}

}  // namespace gibbous
