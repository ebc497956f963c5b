// Signs what git makes in a sandbox, with a key outside of it. git there runs this program as
// DIR/gpg, DIR/gpgsm or DIR/ssh-keygen (links that bindings/host/signer.cc makes), which sends what
// git wants signed to DIR/socket. Outside, `gibbous sign DIR WORKSPACE` listens there: it signs a
// commit or a tag with the program and the key of the user's git, and can do nothing else.
#pragma once

#include <optional>
#include <string>

#include "bindings/cli/exit_code.h"

namespace gibbous::cli {

// Nothing: this process is for something else.
std::optional<ExitCode> run_sign(int argc, char** argv);

// Whether git makes such a commit or tag, as a whole.
bool is_signable(const std::string& text);

}  // namespace gibbous::cli
