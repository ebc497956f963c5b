// Conditions about the world outside a run: port, http, file, timer. With a run, they become
// impossible when it has ended, nothing of its tree is left, and one last look does not find them
// true.
#include <sys/stat.h>
#include <unistd.h>

#include <algorithm>
#include <array>
#include <cerrno>
#include <climits>
#include <cstring>
#include <memory>
#include <string>
#include <utility>

#include "runtime/output/text.h"
#include "runtime/paths/walk.h"
#include "runtime/runs/describe.h"
#include "runtime/runs/path_lookups.h"
#include "runtime/wait/connect_probe.h"
#include "runtime/wait/pending_condition.h"
#include "runtime/wait/port_owner.h"
#include "runtime/wait/port_prober.h"
#include "runtime/wait/run_network.h"
#include "runtime/wait/socket_owner.h"

namespace gibbous {
namespace {

constexpr int kMaxPort = 65535;
constexpr Millis kNetworkSettles{10'000};
constexpr int kMinStatus = 200;  // 1xx are interim answers
constexpr int kFirstErrorStatus = 400;
constexpr int kMaxStatus = 599;
constexpr Millis kOwnNetworkInterval{200};  // between two looks, which take milliseconds
constexpr Millis kFirstFileInterval{20};
constexpr Millis kLongestFileInterval{100};

class ProbeCondition : public LivingCondition {
 public:
  using LivingCondition::LivingCondition;

  void on_run_changed() override {
    if (fakes_decide()) return;
    know_run();
    LivingCondition::on_run_changed();
  }

 protected:
  // A fake run listens where its spec says, and nowhere else. Returns false where others may.
  bool fakes_decide() {
    if (settled() || port_ == 0) return settled();
    const int wanted = spec_.status;
    const int status = fake_status();
    const bool fits = spec_.kind == ConditionKind::kPort || wanted == status ||
                      (wanted == 0 && status >= kMinStatus && status < kFirstErrorStatus);
    if (status != 0 && fits) {
      Fired fired;
      fired.address = "127.0.0.1:" + std::to_string(port_);
      fired.status = status;
      fire(std::move(fired));
    }
    const bool is_fake = run_ != nullptr && context_.runs.is_fake(*run_);
    if (is_fake && !settled() && run_is_over()) give_up();
    return settled() || is_fake;
  }

  // The status that a fake run answers at the port; 0: none listens there.
  int fake_status() const {
    for (const auto& [id, ports] : context_.fakes) {
      const Run* run = context_.runs.find(id);
      const auto found = ports.find(port_);
      const bool counts = run != nullptr && !run->ended() && (run_ == nullptr || run_ == run);
      if (counts && found != ports.end()) return found->second;
    }
    return 0;
  }

  // Remembers the mark of the run while its first process lives.
  void know_run() {
    if (!owner_ && run_ != nullptr && run_->pid() > 0 && !run_->ended())
      owner_.emplace(run_->pid());
  }
  // Says which other program has the port; nothing when the run has it or it cannot be found out.
  // `listener` becomes the run's own where several listen.
  std::optional<std::string> other_owner(int port, Listener* listener, pid_t* pid) {
    know_run();
    if (!owner_) {
      *pid = find_socket_owner(listener->inode, 0);
      return std::nullopt;
    }
    std::optional<std::string> other = owner_->other(*listener, pid);
    if (!other) return other;
    for (const Listener& each : context_.ports.look_at_all(port)) {
      pid_t holder = 0;
      if (each.inode == listener->inode || owner_->other(each, &holder)) continue;
      *listener = each;
      *pid = holder;
      return std::nullopt;
    }
    return "port " + std::to_string(port) + " is that of " + *other + ", not of run " + spec_.run;
  }

 private:
  std::optional<PortOwner> owner_;

 protected:
  int port_ = 0;  // what it is about; 0: none
};

class PortCondition final : public ProbeCondition {
 public:
  PortCondition(const Condition& spec, Run* run, ConditionContext& context, Owner& owner)
      : ProbeCondition(spec, run, context, owner) {
    port_ = query_.port = spec.port;
    query_.to = known_addresses(spec.host);
    query_.any_loopback = spec.host.empty();
  }
  ~PortCondition() override {
    if (looking_) context_.ports.remove(ticket_);
    context_.probes.deadlines.cancel(network_look_);
  }

  void begin() override {
    if (fakes_decide()) return;
    if (run_ != nullptr && spec_.host.empty() && spec_.mapped_from == 0) look_in_own_network();
    if (settled()) return;
    // For a name, or an address elsewhere, only connecting works.
    const bool local =
        !query_.to.empty() && std::all_of(query_.to.begin(), query_.to.end(),
                                          [](const Address& to) { return to.is_local(); });
    if (local && spec_.mapped_from == 0 && context_.ports.available()) {
      if (const auto found = context_.ports.look(query_)) return report(*found);
      query_.on_found = [this](const Listener& found) { report(found); };
      ticket_ = context_.ports.add(query_);
      looking_ = true;
    } else {
      const auto on_done = [this](const auto& reached) {
        if (!reached) return give_up();
        Fired fired;
        fired.address = reached->address.text();
        fire(std::move(fired));
      };
      if (spec_.mapped_from != 0) {
        const bool settled =
            run_ != nullptr && run_->runtime(context_.probes.clock) > kNetworkSettles;
        probe_ = std::make_unique<ForwardedProbe>(context_.probes, spec_.host, spec_.port, settled,
                                                  on_done);
      } else {
        probe_ = std::make_unique<ConnectProbe>(context_.probes, spec_.host, spec_.port, on_done);
      }
      probe_->start();
    }
    on_run_changed();
  }

  std::string wanted() const override {
    return "port " + std::to_string(spec_.port) +
           (spec_.mapped_from == 0 ? "" : ", mapped from " + std::to_string(spec_.mapped_from)) +
           (spec_.host.empty() ? "" : " of " + to_utf8(spec_.host)) + " was listening";
  }

  std::string last_seen() const override { return probe_ == nullptr ? "" : probe_->trouble(); }

 private:
  void last_look() override {
    if (probe_ != nullptr) return probe_->finish();
    if (const auto found = context_.ports.look(query_)) report(*found);
    if (!settled()) give_up();
  }

  // A run with a network of its own has its ports there, whatever listens here.
  void look_in_own_network() {
    // In a network that is forwarded, "ready" means that others can reach it.
    const auto& sandbox = run_->spec().sandbox;
    const bool forwarded = sandbox && sandbox->network == SandboxNetwork::kLoopback;
    const auto found = find_in_own_network(run_->pid(), query_.port);
    if (found && (!forwarded || is_forwarded(run_->pid(), query_.port))) {
      Fired fired;
      fired.address = found->address;
      fired.pid = found->pid;
      return fire(std::move(fired));
    }
    network_look_ = context_.probes.deadlines.after(kOwnNetworkInterval, [this] {
      network_look_ = 0;
      if (!settled()) look_in_own_network();
    });
  }

  void report(const Listener& listener) {
    Listener own = listener;
    Fired fired;
    auto other = other_owner(query_.port, &own, &fired.pid);
    // The run may have its port in a network of its own; look_in_own_network() goes on.
    const bool surely_own = !other && fired.pid != 0;
    if (!surely_own && run_ != nullptr && has_own_network(run_->pid())) return;
    if (std::exchange(looking_, false)) context_.ports.remove(ticket_);
    if (other) return meet(std::move(*other));
    fired.address = own.address.text();
    fire(std::move(fired));
  }

  PortProber::Query query_;
  PortProber::Ticket ticket_;
  bool looking_ = false;  // ticket_ is valid
  Deadlines::Token network_look_ = 0;
  std::unique_ptr<ConnectProbe> probe_;
};

class HttpCondition final : public ProbeCondition {
 public:
  HttpCondition(const Condition& spec, Run* run, ConditionContext& context, Owner& owner,
                const HttpUrl& url)
      : ProbeCondition(spec, run, context, owner),
        probe_(context.probes, url, spec.status, !spec.mapped_url.empty(),
               [this](const auto& reached) {
                 if (!reached) return give_up();
                 if (others_answer()) return;
                 Fired fired;
                 fired.status = reached->status;
                 fired.address = reached->address.text();
                 fire(std::move(fired));
               }) {
    port_ = query_.port = url.port;
    query_.to = known_addresses(url.host);
    query_.any_loopback = false;
  }

  void begin() override {
    if (fakes_decide()) return;
    know_run();
    if (others_answer()) return;
    probe_.start();
    on_run_changed();
  }

  std::string wanted() const override {
    return spec_.url + (spec_.mapped_url.empty() ? "" : ", asked as " + spec_.mapped_url + ",") +
           " answered with " +
           (spec_.status == 0 ? "a status from 200 to 399"
                              : "status " + std::to_string(spec_.status));
  }

  std::string last_seen() const override { return probe_.trouble(); }

 private:
  void last_look() override { probe_.finish(); }

  // Settles when another program than the run has the port. Where the run's port leads elsewhere,
  // or the host is another machine, that cannot be found out.
  bool others_answer() {
    const bool local = std::all_of(query_.to.begin(), query_.to.end(),
                                   [](const Address& to) { return to.is_local(); });
    if (run_ == nullptr || query_.to.empty() || !local || !spec_.mapped_url.empty() ||
        !context_.ports.available()) {
      return false;
    }
    // Its network is forwarded, by a process that is not the run's.
    const auto& sandbox = run_->spec().sandbox;
    const bool forwarded = sandbox && sandbox->network == SandboxNetwork::kLoopback;
    if (forwarded && is_forwarded(run_->pid(), query_.port)) return false;
    auto found = context_.ports.look(query_);
    pid_t pid = 0;
    auto other = found ? other_owner(query_.port, &*found, &pid) : std::nullopt;
    if (!other) return false;
    meet(std::move(*other));
    return true;
  }

  PortProber::Query query_;
  HttpProbe probe_;
};

class FileCondition final : public ProbeCondition {
 public:
  using ProbeCondition::ProbeCondition;
  ~FileCondition() override {
    context_.probes.deadlines.cancel(timer_);
    if (asked_ != 0) context_.runs.paths().drop(asked_);
  }

  void begin() override {
    look();
    on_run_changed();
  }

  std::string wanted() const override {
    return to_utf8(spec_.path) + (spec_.absent ? " was gone" : " existed");
  }

  std::string last_seen() const override {
    if (unanswered_) return "the file system of the path does not answer";
    return trouble_ == 0 ? "" : std::strerror(trouble_);
  }

 private:
  // Looks at once where that cannot take long, and otherwise asks.
  void look() {
    timer_ = 0;
    if (settled() || asked_ != 0) return;
    if (context_.runs.has_temporary(session(), absolute())) return seen(0);
    PathLookups& lookups = context_.runs.paths();
    const auto mounts = lookups.mounts()->now();
    if (mounts->all_local()) {
      struct stat status {};
      return seen(::stat(spec_.path.c_str(), &status) == 0 ? 0 : errno);
    }
    const paths::Walked walked = paths::walk(absolute(), mounts.get());
    if (walked.reached != paths::Reached::kDoubtful) {
      return seen(walked.reached == paths::Reached::kFound ? 0 : walked.error);
    }
    const auto answered = [this](const paths::Answer& answer) {
      asked_ = 0;
      unanswered_ = !answer.answered;
      if (answer.answered) return seen(answer.error);
      is_last_ ? give_up() : look_again();
    };
    asked_is_last_ = is_last_;
    asked_ = lookups.ask({paths::Ask::kExists, absolute(), {}}, walked.mount, answered);
  }

  // `error`: 0 when the file exists, else what stat(2) reports.
  void seen(int error) {
    const bool gone = error == ENOENT || error == ENOTDIR;
    trouble_ = gone ? 0 : error;
    if (spec_.absent ? gone : error == 0) return fire();
    if (!is_last_) return look_again();
    // What was asked before the run's end may have changed with it.
    if (!std::exchange(asked_is_last_, true)) return look();
    give_up();
  }

  void look_again() {
    timer_ = context_.probes.deadlines.after(interval_, [this] { look(); });
    interval_ = std::min(interval_ * 3 / 2, kLongestFileInterval);
  }

  void last_look() override {
    is_last_ = true;
    context_.probes.deadlines.cancel(timer_);
    if (asked_ != 0) return;
    asked_is_last_ = true;
    look();
  }

  const std::string& session() const {
    return spec_.session.empty() && run_ != nullptr ? run_->spec().session : spec_.session;
  }

  std::string absolute() const {
    return spec_.path.rfind('/', 0) == 0 ? spec_.path : own_directory_ + "/" + spec_.path;
  }

  static std::string working_directory() {
    std::array<char, PATH_MAX> path{};
    return ::getcwd(path.data(), path.size()) == nullptr ? "" : path.data();
  }

  const std::string own_directory_ = spec_.path.rfind('/', 0) == 0 ? "" : working_directory();
  Deadlines::Token timer_ = 0;
  Millis interval_ = kFirstFileInterval;
  PathLookups::Ticket asked_ = 0;  // a question that is not answered yet
  bool is_last_ = false;           // nothing changes the file any more
  bool asked_is_last_ = false;     // the question was asked since then
  bool unanswered_ = false;
  int trouble_ = 0;  // errno of a look that decided nothing
};

class TimerCondition final : public PendingCondition {
 public:
  using PendingCondition::PendingCondition;
  ~TimerCondition() override { context_.probes.deadlines.cancel(timer_); }

  void begin() override {
    timer_ = context_.probes.deadlines.after(spec_.duration, [this] {
      timer_ = 0;
      fire();
    });
  }

  std::string wanted() const override { return format_seconds(spec_.duration) + " had passed"; }

 private:
  Deadlines::Token timer_ = 0;
};

Status wrong(std::string message) {
  return Status::error("invalid_arguments", std::move(message));
}

Status check_port(const Condition& spec) {
  if (spec.port < 1 || spec.port > kMaxPort) {
    return wrong("port: expected a number from 1 to 65535, got " + std::to_string(spec.port));
  }
  constexpr std::size_t kMaxHostBytes = 253;  // RFC 1035
  const bool plain = std::all_of(spec.host.begin(), spec.host.end(), [](char c) {
    return static_cast<unsigned char>(c) > ' ' && c != '/' && c != '[' && c != ']';
  });
  if (!plain || spec.host.size() > kMaxHostBytes) {
    return wrong("host: expected a name or an address, got \"" + to_utf8(spec.host) + "\"");
  }
  return {};
}

}  // namespace

Result<std::unique_ptr<PendingCondition>> make_probe_condition(const Condition& spec, Run* run,
                                                               ConditionContext& context,
                                                               PendingCondition::Owner& owner) {
  using Made = std::unique_ptr<PendingCondition>;
  if (spec.kind == ConditionKind::kPort) {
    if (Status status = check_port(spec); !status) return status;
    return Made(std::make_unique<PortCondition>(spec, run, context, owner));
  }
  if (spec.kind == ConditionKind::kHttp) {
    if (spec.status != 0 && (spec.status < kMinStatus || spec.status > kMaxStatus)) {
      return wrong("status: expected 0 or a number from 200 to 599, got " +
                   std::to_string(spec.status));
    }
    auto url = HttpUrl::parse(spec.mapped_url.empty() ? spec.url : spec.mapped_url);
    if (!url) return wrong_field("url", url.status());
    return Made(std::make_unique<HttpCondition>(spec, run, context, owner, url.value()));
  }
  if (spec.kind == ConditionKind::kFile) {
    if (spec.path.empty() || spec.path.front() != '/' ||
        spec.path.find('\0') != std::string::npos) {
      return wrong("path: expected an absolute path, got \"" + to_utf8(spec.path) + "\"");
    }
    return Made(std::make_unique<FileCondition>(spec, run, context, owner));
  }
  if (spec.duration < Millis{0}) {
    return wrong("ms: expected at least 0, got " + std::to_string(spec.duration.count()));
  }
  return Made(std::make_unique<TimerCondition>(spec, run, context, owner));
}

}  // namespace gibbous
