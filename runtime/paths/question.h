// What is asked about a path, and the answer: one packet each between a process and its helpers.
#pragma once

#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <string_view>
#include <vector>

namespace gibbous::paths {

enum class Ask : std::uint8_t {
  kReal,      // the path with its links resolved, as real_path() returns it
  kExists,    // whether there is such a file, links followed
  kEnter,     // enters the directory and reads the beginning of each file, as a start does
  kGitPlaces  // where git keeps things for the workspace, and what it obeys there (git_places.h)
};

struct Question {
  Ask ask = Ask::kReal;
  std::string path;                // absolute
  std::vector<std::string> files;  // of kEnter; relative ones are in `path`
};

inline constexpr std::size_t kMaxAnswerBytes = 65'536;
inline constexpr std::size_t kMaxQuestionBytes = 65'536;

struct Answer {
  bool answered = false;  // false: not in time, or there is no helper
  int error = 0;          // errno; 0: found
  std::string text;       // of kReal: the path; of kGitPlaces: to_text() of them
};

// Returns nullopt for a question that is too long.
std::optional<std::string> encode(const Question& question);
std::optional<Question> decode_question(std::span<const char> packet);
std::string encode(const Answer& answer);
std::optional<Answer> decode_answer(std::span<const char> packet);

// Answers it, for as long as that takes.
Answer answer(const Question& question);

// Returns the interpreter of a script, by its beginning: "#! /bin/sh -e" gives "/bin/sh".
std::string interpreter_of(std::string_view beginning);

}  // namespace gibbous::paths
