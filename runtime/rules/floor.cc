#include "runtime/rules/floor.h"

#include <cstddef>
#include <iterator>

#include "runtime/rules/quote.h"

namespace gibbous::rules {
namespace {

struct Floor {
  bool held;            // see is_held_by_sandbox()
  const char* what;     // the detail of the doubt follows it
  const char* instead;  // the advice
};

// In the order of command::Doubt.
constexpr Floor kFloors[] = {
    {true, "A part of the line is not understood", "Write it more simply."},
    {true, "The line is very long, or has very many commands", "Split it into several calls."},
    {true, "Which program runs is only computed when it runs", "Name the program itself."},
    {true, "The code that a shell would run is only computed when it runs",
     "Write the commands themselves."},
    {true, "A shell or interpreter would run the output of another command",
     "Write the commands themselves, or let a person look at them."},
    {true, "It holds code for an interpreter, which is not analysed",
     "Use commands that say what they do."},
    {true, "A program would run another command, which is not known", "Name the command itself."},
    {false, "A function starts itself more than once, so that there are ever more processes",
     "Use a loop."},
    {true, "There are control or non-ASCII characters where a name stands",
     "Write the name in plain ASCII."},
    {false, "A shell or interpreter would run what another command decodes",
     "Write what it decodes, or let a person look at it."},
    {true, "It would run code from a file that is not in the workspace, or not known",
     "Let a person look at the file."},
    {false, "The file system of a path does not answer, so that it is not known where it leads",
     "Leave the path out, or try again when the file system answers."},
    {false, "The line is too long, too deep, or has too many commands to be examined whole",
     "Split it into several calls."},
};
static_assert(std::size(kFloors) == command::kDoubts);

const Floor& floor_of(command::Doubt doubt) {
  return kFloors[static_cast<std::size_t>(doubt)];
}

}  // namespace

bool is_held_by_sandbox(command::Doubt doubt) {
  return floor_of(doubt).held;
}

std::string floor_reason(const command::DoubtFact& doubt) {
  const Floor& floor = floor_of(doubt.doubt);
  std::string reason = floor.what;
  if (!doubt.detail.empty()) reason += ": " + quote(doubt.detail);
  reason += ". ";
  reason += floor.instead;
  return reason;
}

}  // namespace gibbous::rules
