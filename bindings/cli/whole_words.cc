#include "bindings/cli/whole_words.h"

#include <CLI/CLI.hpp>
#include <utility>

namespace gibbous::cli {
namespace {

// Behind a word that ends with a bracket while it is parsed. No argument of a program holds one.
constexpr char kMark = '\0';

std::string without_mark(std::string word) {
  if (!word.empty() && word.back() == kMark) word.pop_back();
  return word;
}

void remove_marks(CLI::App& app) {
  const auto takes_values = [](CLI::Option* option) {
    return option->get_items_expected_max() > 0;
  };
  for (CLI::Option* option : app.get_options(takes_values)) option->transform(without_mark);
  for (CLI::App* command : app.get_subcommands([](CLI::App*) { return true; }))
    remove_marks(*command);
}

}  // namespace

void keep_whole(CLI::App& app, std::vector<std::string>* words) {
  bool is_marked = false;
  for (std::string& word : *words) {
    if (!word.ends_with(']')) continue;
    word += kMark;
    is_marked = true;
  }
  if (is_marked) remove_marks(app);
}

}  // namespace gibbous::cli
