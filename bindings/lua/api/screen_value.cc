#include "bindings/lua/api/screen_value.h"

#include <algorithm>

#include "bindings/lua/check/fields.h"

namespace gibbous::lua {
namespace {

constexpr std::int64_t kMaxVersion = std::int64_t{1} << 53;

std::optional<std::uint16_t> rows_of(Fields& fields) {
  const auto rows = fields.integer("rows", kMinTerminalRows, kMaxTerminalRows);
  return rows ? std::optional(static_cast<std::uint16_t>(*rows)) : std::nullopt;
}

std::optional<std::uint16_t> cols_of(Fields& fields) {
  const auto cols = fields.integer("cols", kMinTerminalCols, kMaxTerminalCols);
  return cols ? std::optional(static_cast<std::uint16_t>(*cols)) : std::nullopt;
}

Json style_value(int row, const StyledSpan& span) {
  Json value = {{"row", row}, {"from", span.from + 1}, {"to", span.to}};
  const TextStyle& style = span.style;
  const auto flag = [&value](const char* name, bool set) {
    if (set) value[name] = true;
  };
  flag("bold", style.bold);
  flag("italic", style.italic);
  flag("underline", style.underline);
  flag("blink", style.blink);
  flag("reverse", style.reverse);
  flag("strike", style.strike);
  if (!style.foreground.empty()) value["foreground"] = style.foreground;
  if (!style.background.empty()) value["background"] = style.background;
  return value;
}

Json styles_value(const std::vector<ScreenRow>& rows) {
  Json styles = Json::array();
  int number = 0;
  for (const ScreenRow& row : rows) {
    ++number;
    for (const StyledSpan& span : row.spans) styles.push_back(style_value(number, span));
  }
  return styles;
}

Json changed_value(const std::vector<ScreenRow>& rows, std::uint64_t since) {
  Json changed = Json::array();
  int number = 0;
  for (const ScreenRow& row : rows) {
    ++number;
    if (row.changed > since) changed.push_back(number);
  }
  return changed;
}

Json newest_lines(const std::deque<std::string>& lines, std::size_t count) {
  Json newest = Json::array();
  for (std::size_t i = lines.size() - std::min(count, lines.size()); i < lines.size(); ++i) {
    newest.push_back(lines[i]);
  }
  return newest;
}

}  // namespace

std::optional<TerminalSpec> parse_pty(const FieldPath& place, const Json& value) {
  if (value.is_null() || value == false) return std::nullopt;
  TerminalSpec spec;
  if (value == true) return spec;
  const bool empty_table = value.is_array() && value.empty();
  Fields fields(place, empty_table ? Json::object() : value);
  spec.size.rows = rows_of(fields).value_or(spec.size.rows);
  spec.size.cols = cols_of(fields).value_or(spec.size.cols);
  spec.term = fields.text("term").value_or(spec.term);
  fields.done();
  return spec;
}

TerminalSize parse_size(const std::string& function, const Json& options) {
  Fields fields(function, options);
  const auto rows = rows_of(fields);
  const auto cols = cols_of(fields);
  fields.done();
  if (!rows) fields.fail("rows", "a number of rows", nullptr);
  if (!cols) fields.fail("cols", "a number of columns", nullptr);
  return {*rows, *cols};
}

ScreenOptions parse_screen_options(const Json& options) {
  Fields fields("run:screen", options);
  ScreenOptions parsed;
  if (const auto since = fields.integer("since", 0, kMaxVersion)) {
    parsed.since = static_cast<std::uint64_t>(*since);
  }
  parsed.attributes = fields.flag("attributes").value_or(false);
  const auto lines = fields.integer("scrollback", 0, kMaxScrollbackLines);
  parsed.scrollback = static_cast<std::size_t>(lines.value_or(0));
  fields.done();
  return parsed;
}

Json screen_value(Screen& screen, const ScreenOptions& options) {
  const std::vector<ScreenRow>& rows = screen.rows();
  const ScreenCursor cursor = screen.cursor();
  Json lines = Json::array();
  for (const ScreenRow& row : rows) lines.push_back(row.text);
  Json value = {
      {"lines", std::move(lines)},
      {"rows", screen.size().rows},
      {"cols", screen.size().cols},
      {"cursor", {{"row", cursor.row + 1}, {"col", cursor.col + 1}, {"visible", cursor.visible}}},
      {"title", screen.title()},
      {"alternate", screen.alternate()},
      {"version", screen.version()},
      {"scrolled", screen.scrolled()}};
  if (options.since) value["changed"] = changed_value(rows, *options.since);
  if (options.attributes) value["styles"] = styles_value(rows);
  if (options.scrollback > 0) {
    value["scrollback"] = newest_lines(screen.scrollback(), options.scrollback);
  }
  return value;
}

}  // namespace gibbous::lua
