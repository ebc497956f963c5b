// Finds which run stops the keeper and its wardens again and again. Nothing tells who has sent a
// SIGSTOP, so the lookout tries it out: it holds all that the keeper has started, lets a part of it
// go on, and sees whether the guards are stopped again; the part is halved until one is left. What
// is held goes on afterwards, and hardly notices: its clock has jumped. Lookout only.
//
// A run is a culprit only if the guards are left alone while everything is held, and are stopped
// again while this run alone goes on.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <utility>
#include <vector>

#include "runtime/keeper/survey.h"

namespace gibbous::keeper {

class WardenPage;

class CulpritSearch {
 public:
  // `is_pointless`: asked between two looks, ends the search.
  CulpritSearch(const Guards& guards, const WardenPage& page, std::function<bool()> is_pointless);
  // Lets go of everything that it still holds.
  ~CulpritSearch();
  CulpritSearch(const CulpritSearch&) = delete;
  CulpritSearch& operator=(const CulpritSearch&) = delete;

  // Takes seconds at most. Everything but the culprit is still held afterwards, or nothing.
  std::optional<Suspect> find();
  // Ends it. Returns false if something of it still lives.
  bool end(const Suspect& culprit);

 private:
  using Identity = std::pair<pid_t, std::uint64_t>;  // pid and start time
  using Keys = std::vector<std::uint64_t>;

  std::vector<Suspect> look();
  // Returns true when the guards are stopped while `free` alone goes on.
  bool are_stopped_by(const Keys& free, std::chrono::milliseconds patience);
  void hold_all_but(const Keys& free);
  // Returns true when it was not held yet.
  bool hold(const Survey& survey, const Suspect& suspect);
  bool is_held(const Suspect::Process& process) const;
  void let_go(const Suspect& suspect);
  void let_go_of_all();
  // The keys of what is not held.
  Keys loose();
  bool is_time_up() const;

  const Guards& guards_;
  const WardenPage& page_;
  std::function<bool()> is_pointless_;
  std::chrono::steady_clock::time_point until_;
  std::set<pid_t> sessions_;
  std::map<std::uint32_t, std::string> places_;  // the directories of the runs' control groups
  std::set<std::uint32_t> held_groups_;
  std::set<Identity> stopped_before_;  // by somebody else; they stay so
  std::vector<Identity> held_;         // parents before their children
};

}  // namespace gibbous::keeper
