// Runs, detached runs: the notes about one, and how the next host takes it over. A run whose pid
// now belongs to another process, by its start time, is lost.
#include <algorithm>
#include <array>
#include <cstdlib>
#include <set>
#include <utility>

#include "runtime/keeper/control_socket.h"
#include "runtime/process/pid_space.h"
#include "runtime/process/proc.h"
#include "runtime/runs/runs_entry.h"

namespace gibbous {
namespace {

constexpr char kSeparator = '\x1f';
constexpr const char* kNotesVersion = "4";
constexpr const char* kNotesWithoutLeftBehind = "3";
constexpr const char* kNotesWithoutClient = "2";
constexpr std::size_t kMaxNoteBytes = 250;  // of each text except the command
constexpr std::size_t kMaxCommandBytes = 2000;
// A keeper may not have noticed yet that its host is gone.
constexpr int kConnectAttempts = 10;
constexpr Millis kConnectPause{50};

std::string note(const std::string& text, std::size_t most) {
  std::string cut = text.substr(0, most);
  std::replace(cut.begin(), cut.end(), kSeparator, ' ');
  return cut;
}

std::vector<std::string> split_notes(const std::string& notes) {
  std::vector<std::string> fields;
  for (std::size_t at = 0; at <= notes.size();) {
    const std::size_t end = std::min(notes.find(kSeparator, at), notes.size());
    fields.push_back(notes.substr(at, end - at));
    at = end + 1;
  }
  return fields;
}

// A run that has ended meanwhile is still the same run: its exit follows.
bool is_another(const Started& started) {
  const auto stat = read_stat(started.pid);
  return stat && stat->start_time != started.start_time;
}

// Returns Run::origin of the stream.
std::int64_t take_over(Stream& stream, const EarlierOutput& earlier) {
  stream.append(earlier.bytes);
  return static_cast<std::int64_t>(earlier.end - std::min(earlier.end, stream.end()));
}

}  // namespace

std::string Runs::notes_of(const Run& run) const {
  std::string notes = kNotesVersion;
  const Millis limit = run.spec_.limits.wall_time;
  const Millis timeout = run.spec_.timeout.value_or(Millis{0});
  for (const std::string& field :
       {run.id_, note(run.spec_.session, kMaxNoteBytes), note(run.spec_.label, kMaxNoteBytes),
        std::to_string(run.created_wall_.count()), std::to_string(timeout.count()),
        std::to_string(limit.count()), std::to_string(run.spec_.limits.idle_time.count()),
        std::to_string(run.spec_.limits.output_bytes),
        run.spec_.sandbox ? note(run.spec_.sandbox->profile, kMaxNoteBytes) : std::string(),
        std::string(run.spec_.sandbox ? to_string(run.spec_.sandbox->network) : ""),
        run.spec_.terminal ? note(run.spec_.terminal->term, kMaxNoteBytes) : std::string(),
        note(run.command_text_, kMaxCommandBytes), note(run.spec_.client, kMaxNoteBytes),
        std::to_string(run.spec_.limits.left_behind.count())}) {
    notes += kSeparator + field;
  }
  return notes;
}

bool Runs::read_notes(const std::string& notes, Run& run) const {
  enum Field : std::size_t {
    kVersion,
    kId,
    kSession,
    kLabel,
    kCreated,
    kTimeout,
    kWall,
    kIdle,
    kOutput,
    kProfile,
    kNetwork,
    kTerminal,
    kCommand,
    kClient,
    kLeftBehind
  };
  const std::vector<std::string> fields = split_notes(notes);
  const auto is = [&fields](Field last, const char* version) {
    return fields.size() == last + 1U && fields[kVersion] == version;
  };
  const bool is_newest = is(kLeftBehind, kNotesVersion);
  const bool has_client = is_newest || is(kClient, kNotesWithoutLeftBehind);
  if ((!has_client && !is(kCommand, kNotesWithoutClient)) || fields[kId].empty()) return false;
  const auto millis = [&fields](Field field) {
    return Millis(std::strtoll(fields[field].c_str(), nullptr, 10));
  };
  run.id_ = fields[kId];
  run.spec_.session = fields[kSession];
  run.spec_.client = fields[has_client ? kClient : kSession];
  run.spec_.label = fields[kLabel];
  run.spec_.command = run.command_text_ = fields[kCommand];
  run.spec_.timeout = millis(kTimeout);
  run.spec_.limits.wall_time = millis(kWall);
  run.spec_.limits.idle_time = millis(kIdle);
  run.spec_.limits.output_bytes = static_cast<std::uint64_t>(millis(kOutput).count());
  if (is_newest) run.spec_.limits.left_behind = millis(kLeftBehind);
  if (!fields[kProfile].empty()) {
    SandboxSpec sandbox;  // for people; the keeper reports what is in force
    sandbox.profile = fields[kProfile];
    for (const auto network : {SandboxNetwork::kOn, SandboxNetwork::kChecked,
                               SandboxNetwork::kLoopback, SandboxNetwork::kOff}) {
      if (fields[kNetwork] == to_string(network)) sandbox.network = network;
    }
    run.spec_.sandbox = std::move(sandbox);
  }
  if (!fields[kTerminal].empty()) run.spec_.terminal = TerminalSpec{{}, fields[kTerminal]};
  run.spec_.keep = true;
  run.created_wall_ = run.started_wall_ = millis(kCreated);
  return true;
}

void Runs::recorded(const std::string& id, const std::array<Offset, kStreams>& to, bool end) {
  const auto found = by_id_.find(id);
  if (closing_ || found == by_id_.end() || !found->second->run.spec_.keep) return;
  const Entry& entry = *found->second;
  if (entry.fake) return;
  std::array<std::uint64_t, kStreams> raw{};
  for (std::size_t i = 0; i < kStreams; ++i) {
    raw[i] = static_cast<std::uint64_t>(entry.run.origins_[i]) + to[i];
  }
  entry.keeper->recorded(entry.run.key_, raw[0], raw[1], end);
}

void Runs::adopt_detached(std::function<void()> on_done) {
  if (on_done) on_adopted_.push_back(std::move(on_done));
  if (!options_.keep_directory.empty()) {
    for (const std::string& socket_path : list_control_sockets(options_.keep_directory)) {
      ++open_control_sockets_;
      connect_to(socket_path, kConnectAttempts);
    }
  }
  ++open_control_sockets_;
  deadlines_->defer([this] { on_control_answered(); });
}

void Runs::on_control_answered() {
  if (--open_control_sockets_ > 0) return;
  for (const auto& done : std::exchange(on_adopted_, {})) done();
}

void Runs::connect_to(const std::string& socket_path, int attempts) {
  if (closing_) return;
  auto adopted = std::make_unique<Adopted>();
  adopted->socket_path = socket_path;
  adopted->attempts = attempts;
  adopted->client = KeeperClient::adopt(loop_, socket_path, *this);
  adopted_.push_back(std::move(adopted));
}

// A keeper that is recorded may have been followed by another one, which its socket names.
Runs::KeeperPlace Runs::keeper_place(const std::string& space, const ProcessIdentity& keeper,
                                     const ProcessIdentity& host) const {
  std::set<std::string> here;  // sockets
  for (const auto& adopted : adopted_) {
    const pid_t pid = adopted->client->keeper_pid();
    if (pid == 0 || !adopted->complete) continue;
    if (pid == keeper.pid) return KeeperPlace::kHere;
    here.insert(adopted->socket_path);
  }
  const auto started = static_cast<std::int64_t>(keeper.start_time);
  if (keeper.pid != 0 && is_process_alive(space, keeper.pid, started).value_or(false)) {
    return KeeperPlace::kElsewhere;
  }
  KeeperPlace place = KeeperPlace::kGone;
  for (const std::string& path : list_control_sockets(options_.keep_directory)) {
    if (!is_control_of(path, host)) continue;
    if (here.count(path) == 0) return KeeperPlace::kElsewhere;
    place = KeeperPlace::kHere;
  }
  return place;
}

void Runs::on_adopted(KeeperClient& client, const Status& status) {
  const auto found = std::find_if(adopted_.begin(), adopted_.end(), [&](const auto& adopted) {
    return adopted->client.get() == &client;
  });
  if (status || status.code() == "keeper_lost") {
    if (found != adopted_.end()) (*found)->complete = true;
    deadlines_->defer([this] { on_control_answered(); });
    return;
  }
  if (found == adopted_.end()) return;
  Adopted* refused = found->get();
  // Closed in the loop's next turn, because this call comes from inside the client.
  deadlines_->defer([this, refused] {
    refused->client->close([this, refused] {
      refused->closed = true;
      if (closing_) {
        part_closed_();
        return;
      }
      deadlines_->defer([this, refused] {
        const std::string socket_path = refused->socket_path;
        const int attempts = refused->attempts - 1;
        std::erase_if(adopted_, [refused](const auto& each) { return each.get() == refused; });
        // The keeper is gone or has another host: its name is gone, or it refuses again.
        const auto controls = list_control_sockets(options_.keep_directory);
        if (attempts <= 0 ||
            std::find(controls.begin(), controls.end(), socket_path) == controls.end()) {
          on_control_answered();
          return;
        }
        deadlines_->after(kConnectPause,
                          [this, socket_path, attempts] { connect_to(socket_path, attempts); });
      });
    });
  });
}

void Runs::on_detached(KeeperClient& client, RunKey key, DetachedRun detached) {
  auto made = std::make_unique<Entry>();
  Entry& entry = *made;
  Run& run = entry.run;
  const bool known =
      read_notes(detached.notes, run) && by_id_.count(run.id_) == 0 && by_key_.count(key) == 0;
  if (!known) {
    client.forget(key);
    return;
  }
  run.key_ = key;
  run.adopted_ = true;
  run.pid_ = detached.started.pid;
  run.keeper_number_ = client.keeper_number();
  run.in_force_ = detached.started.in_force;
  run.sandbox_report_ = std::move(detached.started.sandbox);
  entry.keeper = &client;
  const RunLimits& limits = options_.limits;
  for (Stream& stream : run.streams_) stream = Stream(limits.max_buffer_bytes, limits.head_bytes);
  by_key_[key] = &entry;
  by_id_[run.id_] = &entry;
  entries_.push_back(std::move(made));
  take_place(entry);
  run.state_ = RunState::kRunning;
  const Millis passed = std::max(clock_.wall() - run.started_wall_, Millis{0});
  run.started_ = std::max(clock_.now() - Nanos(passed), Nanos{1});
  entry.cpu_share.begin(run.started_);
  run.last_output_ = clock_.now();
  run.output_rate_.start(run.last_output_);
  run.origins_ = {take_over(run.streams_[0], detached.out),
                  take_over(run.streams_[1], detached.err)};
  for (std::size_t i = 0; i < kStreams; ++i) {
    run.arrivals_.note(i, run.streams_[i], 0);
    run.output_times_[i].add(run.streams_[i].end(), run.last_output_);
  }
  if (detached.started.pidfd && is_another(detached.started)) {
    // A pid that now belongs to another process is left alone.
    leave_place(entry);
    run.pid_ = 0;
    finish(entry, RunState::kLost, "its pid belongs to another process now");
    client.forget(key);
    return;
  }
  if (run.spec_.terminal) {
    if (const auto size = terminal_size(detached.started.out.get()))
      run.spec_.terminal->size = *size;
    open_terminal(entry, detached.started);
    const auto origin = static_cast<std::uint64_t>(run.origins_[0]);
    show_again(entry, detached.out.sent - std::min(detached.out.sent, origin));
  }
  read_stream(entry, StreamId::kStdout, std::move(detached.started.out));
  read_stream(entry, StreamId::kStderr, std::move(detached.started.err));
  watch_time(entry);
  watch_idle(entry);
  notify_state(entry);
}

}  // namespace gibbous
