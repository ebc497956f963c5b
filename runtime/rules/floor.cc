#include "runtime/rules/floor.h"

#include "runtime/rules/quote.h"

namespace gibbous::rules {
namespace {

using command::Doubt;

struct Sentence {
  const char* what;     // the detail of the doubt follows it
  const char* instead;  // the advice
};

Sentence sentence_of(Doubt doubt) {
  switch (doubt) {
    case Doubt::kUnparsed:
      return {"A part of the line is not understood", "Write it more simply."};
    case Doubt::kOverLimit:
      return {"The line is very long, or has very many commands", "Split it into several calls."};
    case Doubt::kUnknownProgram:
      return {"Which program runs is only computed when it runs", "Name the program itself."};
    case Doubt::kUnknownCode:
      return {"The code that a shell would run is only computed when it runs",
              "Write the commands themselves."};
    case Doubt::kPipedCode:
      return {"A shell or interpreter would run the output of another command",
              "Write the commands themselves, or let a person look at them."};
    case Doubt::kInlineCode:
      return {"It holds code for an interpreter, which is not analysed",
              "Use commands that say what they do."};
    case Doubt::kUnknownCommandArgument:
      return {"A program would run another command, which is not known",
              "Name the command itself."};
    case Doubt::kForkBomb:
      return {"A function starts itself more than once, so that there are ever more processes",
              "Use a loop."};
    case Doubt::kEncoding:
      return {"There are control or non-ASCII characters where a name stands",
              "Write the name in plain ASCII."};
    case Doubt::kDecodedCode:
      return {"A shell or interpreter would run what another command decodes",
              "Write what it decodes, or let a person look at it."};
    case Doubt::kUnreadFile:
      return {"It would run code from a file that is not in the workspace, or not known",
              "Let a person look at the file."};
    case Doubt::kUnansweredPath:
      return {"The file system of a path does not answer, so that it is not known where it leads",
              "Leave the path out, or try again when the file system answers."};
    case Doubt::kUnjudged:
      return {"The line is too long, too deep, or has too many commands to be examined whole",
              "Split it into several calls."};
  }
  return {"", ""};
}

}  // namespace

bool is_held_by_sandbox(Doubt doubt) {
  switch (doubt) {
    case Doubt::kUnparsed:
    case Doubt::kOverLimit:
    case Doubt::kUnknownProgram:
    case Doubt::kUnknownCode:
    case Doubt::kPipedCode:
    case Doubt::kInlineCode:
    case Doubt::kUnknownCommandArgument:
    case Doubt::kUnreadFile:
    case Doubt::kEncoding:
      return true;
    case Doubt::kForkBomb:
    case Doubt::kDecodedCode:
    case Doubt::kUnansweredPath:
    case Doubt::kUnjudged:
      return false;
  }
  return false;
}

std::string floor_reason(const command::DoubtFact& doubt) {
  const Sentence sentence = sentence_of(doubt.doubt);
  std::string reason = sentence.what;
  if (!doubt.detail.empty()) reason += ": " + quote(doubt.detail);
  reason += ". ";
  reason += sentence.instead;
  return reason;
}

}  // namespace gibbous::rules
