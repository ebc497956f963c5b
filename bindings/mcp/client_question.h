// A question that the client of a call answers: the policy's about the call, or a script's to the
// person, the model or the client itself. Used by the server. Loop thread only.
#pragma once

#include <string>
#include <utility>
#include <variant>

#include "bindings/mcp/elicitation.h"
#include "bindings/mcp/json.h"
#include "bindings/mcp/protocol.h"
#include "gibbous/runtime.h"
#include "gibbous/status.h"

namespace gibbous::mcp {

class ClientQuestion {
 public:
  ClientQuestion() = default;
  explicit ClientQuestion(AskRequest request) : asked_(std::move(request)) {}
  explicit ClientQuestion(InputRequest request) : asked_(std::move(request)) {}

  // The id that the runtime gave it.
  const std::string& id() const;
  // The script's name for it; "": it has none.
  std::string key() const;
  const char* method() const;
  // Whether the client can answer it, and what it lacks where not.
  bool suits(const ClientAbilities& can) const;
  const char* inability() const;
  // Says again what was wrong with the last answer, if it did not fit.
  Json params(TitledEnum titled) const;
  // Says what of the client's answer does not fit the question, and takes nothing.
  Status check(const Json& result) const;
  // Whether the client is to be asked a script's form again, because its answer does not fit: a few
  // times, since a client without a person may give the same answer for ever.
  bool asks_again(const Json& result);
  // Passes the client's answer on. A second answer, of either kind, finds nothing.
  void take(const Json& result);
  // Says that the client has not answered, and why.
  void give_up(const AskAnswer& answer);

 private:
  enum class Kind { kForm, kModel, kRoots };
  Kind kind() const;

  std::variant<AskRequest, InputRequest> asked_;
  int wrong_answers_ = 0;
  std::string problem_;  // with the last one
};

}  // namespace gibbous::mcp
