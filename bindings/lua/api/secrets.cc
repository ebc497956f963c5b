#include "bindings/lua/api/secrets.h"

#include <filesystem>
#include <fstream>
#include <memory>
#include <system_error>
#include <utility>
#include <vector>

#include "bindings/lua/call/call.h"
#include "bindings/lua/call/context.h"
#include "bindings/lua/call/engine.h"
#include "runtime/base/nearest.h"
#include "runtime/paths/walk.h"
#include "runtime/runs/path_lookups.h"
#include "runtime/runs/runs.h"

namespace gibbous::lua {
namespace {

constexpr std::size_t kMaxSecretBytes = std::size_t{64} << 10;

Status unavailable(const std::string& name, const std::string& why) {
  return Status::error("secret_unavailable", "secret " + name + ": " + why);
}

// Files and commands end with a line break that is no part of the value.
std::string without_line_end(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  if (!text.empty() && text.back() == '\r') text.pop_back();
  return text;
}

Result<std::string> read_file(const std::string& name, const std::string& path) {
  // Anything else could block the loop.
  std::error_code error;
  if (!std::filesystem::is_regular_file(path, error)) {
    return unavailable(name, path + " is no file, or cannot be read");
  }
  std::ifstream file(path, std::ios::binary);
  std::string text(kMaxSecretBytes + 1, '\0');
  file.read(text.data(), static_cast<std::streamsize>(text.size()));
  const auto size = static_cast<std::size_t>(file.gcount());
  if (!file.is_open() || file.bad()) return unavailable(name, path + " cannot be read");
  if (size > kMaxSecretBytes) return unavailable(name, path + " has more than 64 KB");
  text.resize(size);
  return without_line_end(std::move(text));
}

Result<std::string> known_value(const std::string& name, const SecretSource& source) {
  if (source.value) return *source.value;
  if (!source.file.empty()) return read_file(name, source.file);
  return unavailable(name, "the variable " + source.variable + " was not set when Gibbous started");
}

// Looks up one after the other, so that a password manager asks once.
class Lookup : public std::enable_shared_from_this<Lookup> {
 public:
  Lookup(Context& context, const Call& call, const SecretNames& wanted,
         std::function<void(Result<SecretValues>)> on_done)
      : context_(context),
        session_(call.session()),
        wanted_(wanted.begin(), wanted.end()),
        on_done_(std::move(on_done)) {}

  void next() {
    if (wanted_.empty()) return on_done_(std::move(values_));
    const std::string name = wanted_.back().second;
    const auto found = context_.secrets.find(name);
    if (found == context_.secrets.end()) return on_done_(check_secrets({wanted_.back()}, context_));
    if (!found->second.command.empty()) return run(name, found->second.command);
    const std::string& file = found->second.file;
    PathLookups& paths = context_.runs->paths();
    if (file.empty() || !paths.is_open() || paths::answers_at_once(file)) {
      return take(known_value(name, found->second));
    }
    const std::filesystem::path path(file);
    (void)paths.ask({paths::Ask::kEnter, path.parent_path(), {path.filename()}}, 0,
                    [self = shared_from_this(), name, file](const paths::Answer& answer) {
                      const auto source = self->context_.secrets.find(name);
                      if (source == self->context_.secrets.end()) return;
                      self->take(answer.answered ? known_value(name, source->second)
                                                 : unavailable(name, "the file system of " + file +
                                                                         " does not answer"));
                    });
  }

 private:
  void take(Result<std::string> value) {
    if (!value) return on_done_(value.status());
    if (value->empty()) return on_done_(unavailable(wanted_.back().second, "its value is empty"));
    values_[wanted_.back().first] = std::move(*value);
    wanted_.pop_back();
    next();
  }

  void run(const std::string& name, const std::vector<std::string>& command) {
    CallSpec hook;
    hook.function = &context_.engine->current()->read_secret_hook();
    hook.internal = true;
    hook.tool = "secrets." + name;
    hook.session = session_;
    hook.values = {{"argv", command}};
    hook.on_done = [self = shared_from_this(), name](const CallResult& result) {
      if (result.code == "shutdown") return;
      if (!result.ok) return self->take(unavailable(name, result.message));
      const Json data = Json::parse(result.data, nullptr, false);
      const auto value = data.find("value");
      if (value == data.end() || !value->is_string()) {
        return self->take(unavailable(name, "its command printed nothing"));
      }
      self->take(without_line_end(value->get<std::string>()));
    };
    (void)context_.engine->run_hook(std::move(hook));
  }

  Context& context_;
  std::string session_;
  std::vector<std::pair<std::string, std::string>> wanted_;
  SecretValues values_;
  std::function<void(Result<SecretValues>)> on_done_;
};

}  // namespace

Status check_secrets(const SecretNames& wanted, const Context& context) {
  for (const auto& [variable, name] : wanted) {
    if (context.secrets.count(name) != 0) continue;
    std::vector<std::string> known;
    std::string list;
    for (const auto& [each, source] : context.secrets) {
      known.push_back(each);
      list += (list.empty() ? "" : ", ") + each;
    }
    return Status::error("unknown_secret",
                         "env." + variable + ".secret: there is no secret '" + name + "'" +
                             (list.empty() ? "; the configuration names them: secrets = { " + name +
                                                 " = { file = '...' } }"
                                           : "; known are " + list) +
                             did_you_mean(nearest_name(name, known)));
  }
  return {};
}

void look_up_secrets(Context& context, const Call& call, const SecretNames& wanted,
                     std::function<void(Result<SecretValues>)> on_done) {
  if (wanted.empty()) return on_done(SecretValues());
  std::make_shared<Lookup>(context, call, wanted, std::move(on_done))->next();
}

}  // namespace gibbous::lua
