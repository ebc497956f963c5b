// CLI11 takes a word such as [a,b] for a list of an option that may have several values, and
// without its brackets. No option here means that: a word is what was written. Used by
// parse_options only.
#pragma once

#include <string>
#include <vector>

namespace CLI {
class App;
}

namespace gibbous::cli {

// Keeps the words from being taken for lists when `app`, whose options are all declared, parses
// them.
void keep_whole(CLI::App& app, std::vector<std::string>* words);

}  // namespace gibbous::cli
