// The output of a command, as far as its words determine it. The output may be code for the next
// command, or words for xargs.
#include <algorithm>
#include <utility>

#include "runtime/command/analyser.h"

namespace gibbous::command {
namespace {

constexpr std::size_t kMaxWords = 1024;

void add_text(const Value& word, bool unclear, Value* into) {
  append_value(unclear && word.literal() ? hole_value(word.text) : word, into);
}

}  // namespace

// Notes what the next command of a pipeline reads: printed text, of which escapes and formats are
// unknown parts, or paths.
void Analyser::print_output(const SimpleCommand& command, const Arguments& arguments,
                            const Feed& feed) {
  printed_ = {};
  const ProgramSpec* spec = arguments.spec;
  if (spec == nullptr) return;
  printed_.decodes = spec->decodes && (spec->decodes_when.empty() ||
                                       any_flag(command.argv, arguments, spec->decodes_when));
  const auto into_file = [](const Access& access) {
    return access.redirection && access.kind == AccessKind::kWrite;
  };
  if (std::any_of(command.accesses.begin(), command.accesses.end(), into_file)) return;
  const bool passes = command.program == "cat" && command.operands.empty();
  if (passes || command.program == "tee") printed_.text = feed.text;
  if (spec->lists) printed_.words = listed_below(arguments, command.argv);
  if (!spec->prints || command.argv.size() > kMaxWords) return;
  Value text;
  for (std::size_t at = 1; at < command.argv.size(); ++at) {
    const Value& word = command.argv[at];
    if (!spend(word.text.size())) return;
    const bool option = at == 1 && word.text.size() > 1 && word.text[0] == '-';
    if (option && word.text == "-n") continue;
    if (!text.text.empty()) text.text += ' ';
    const bool format = command.program == "printf" && word.text.find('%') != std::string::npos;
    add_text(word, option || format || word.text.find('\\') != std::string::npos, &text);
  }
  printed_.text = std::move(text);
}

}  // namespace gibbous::command
