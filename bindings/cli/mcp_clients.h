// McpClients: the clients of `gibbous mcp --http` that have tokens of their own (`mcp.tokens` of
// the configuration), each with a runtime of its own. It looks again when a file of the
// configuration or of a token has changed. Main thread.
//
// Mode, workspace, sessions, runs and questions belong to a runtime. One runtime for all tokens
// would need a check at each of these, and a forgotten one would show a client what is another's. A
// token costs a Lua state (3.6 MB), and a keeper once it starts something.
#pragma once

#include <map>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "bindings/mcp/http/transport.h"
#include "bindings/mcp/runtime_backend.h"
#include "gibbous/layers.h"
#include "gibbous/runtime.h"
#include "gibbous/status.h"
#include "runtime/base/unique_fd.h"

namespace gibbous::cli {

class McpClients {
 public:
  // Reads the tokens and makes their runtimes. `options`: those of the server's own runtime; what a
  // token says takes the place of theirs. Fails with what is wrong about a token, and its field.
  static Result<std::unique_ptr<McpClients>> create(const RuntimeOptions& options);
  ~McpClients();
  McpClients(const McpClients&) = delete;
  McpClients& operator=(const McpClients&) = delete;

  bool empty() const { return clients_.empty(); }
  // Serves them. `transport` must outlive this.
  void serve(mcp::http::Transport& transport);
  // Readable when something may have changed: call look_again(). -1: the system cannot tell.
  int fd() const { return watch_.get(); }
  // A token that is gone, or whose file may no longer be used, ends at once; what is wrong goes to
  // the log, and all other clients go on.
  void look_again();
  // The mode of tokens that name none.
  void set_own_mode(std::string mode) { own_mode_ = std::move(mode); }
  // Why the journal of one of them may lack something.
  void tell_end_problems() const;

 private:
  struct Client;

  explicit McpClients(const RuntimeOptions& options);
  Status read(bool first);
  void look_at_all();
  Result<std::unique_ptr<Client>> make(const ClientToken& token, std::string digest);
  void change(Client& client, const ClientToken& token, const std::string& digest);
  void remove(const std::string& name);
  // Returns true if a directory is watched now that was not.
  bool watch(const std::vector<std::string>& files);
  bool has_changed();
  void say(const std::string& text);

  const RuntimeOptions options_;
  std::string own_mode_;
  mcp::http::Transport* transport_ = nullptr;
  std::map<std::string, std::unique_ptr<Client>> clients_;
  std::map<std::string, std::unique_ptr<Client>> leaving_;  // until they are closed
  UniqueFd watch_;                                          // inotify
  std::map<int, std::set<std::string>> watched_;            // names, by the watch of a directory
};

}  // namespace gibbous::cli
