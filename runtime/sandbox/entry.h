// What a child needs in order to enter a sandbox, as plain pointers and numbers: prepare.cc fills
// it, enter.cc reads it where nothing may be allocated, and support.cc enters small ones to see
// what works.
#pragma once

#include <linux/filter.h>

#include <cstddef>
#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "runtime/base/unique_fd.h"
#include "runtime/sandbox/kernel.h"
#include "runtime/sandbox/ruleset.h"
#include "runtime/sandbox/sandbox.h"

namespace gibbous {

// The weakest first: of two for the same path, the later one applies.
enum class CoverKind : std::uint8_t { kPin, kReadOnly, kHideFile, kHideDirectory };

struct Cover {
  std::string path;  // without symbolic links
  CoverKind kind = CoverKind::kPin;
  bool may_be_gone = false;  // then there is nothing to do
};

struct MountedTree {
  std::string source;  // both without symbolic links
  std::string target;
  bool writable = true;
  bool may_be_gone = false;  // then there is nothing to do
};

// An overlay. It is mounted in its room first, which what is mounted later covers.
constexpr std::size_t kMostLowers = 2;
struct MountedLayer {
  std::string room;                // without symbolic links, as all of these
  std::vector<std::string> lower;  // what is seen beneath, topmost first: kMostLowers at most
  std::vector<std::string> made;   // directories to make in it, parents first
  bool is_copy = false;            // for one run alone: nothing of it has to reach the disk
  std::string upper() const { return room + "/upper"; }
  std::string work() const { return room + "/work"; }
  bool make_room() const;
};

// A directory of a layer, and where it is mounted: what is changed there is in the layer.
struct LayerPart {
  std::string target;  // without symbolic links
  std::string below;   // in the layer; "": all of it
  std::size_t layer = 0;
  bool writable = true;
};

// A directory in which names are missing for mounts: a layer, which has them, stands in its place,
// and what is in it is mounted there, name by name.
struct Stand {
  std::string target;  // without symbolic links
  std::string below;   // in the layer
  std::size_t layer = 0;
  std::vector<std::string> names;
};

struct SandboxEntry {
  // enter_namespaces
  // Descriptors of namespaces to join before those are made; -1: none.
  int user_namespace = -1;
  int network_namespace = -1;
  unsigned long namespaces = 0;  // CLONE_NEW*
  bool loopback = false;
  std::string uid_map;  // of a new user namespace
  std::string gid_map;
  // What is not read-only, and what has another place than outside; parents first.
  std::vector<MountedTree> trees;
  mutable std::vector<int> tree_fds;  // space for the child: one for each of them
  std::vector<MountedLayer> layers;
  std::vector<LayerPart> parts;                  // parents first
  std::vector<Stand> stands;                     // the same
  mutable std::vector<int> layer_fds, part_fds;  // space for the child, too
  std::vector<Cover> covers;                     // parents first
  bool private_terminals = false;                // an instance of devpts of its own

  // restrict_self
  std::vector<int> dropped_capabilities;   // from the bounding set
  std::shared_ptr<const Ruleset> ruleset;  // of Landlock
  sock_fprog filter{};                     // of seccomp; lives as long as the process
  // Before it, one that asks; the other closes what that leaves open.
  std::vector<sock_filter> questions;
  sock_fprog asking{};  // of these
  int connects = -1;    // where the listener of that goes; -1: there is none

  void have_room_for_layers();
  bool is_in_user_namespace() const {
    return user_namespace >= 0 || (namespaces & kernel::kCloneNewUser) != 0;
  }
};

// Tries in a child whether the namespaces of a sandbox can be entered.
bool can_enter_namespaces(const PreparedSandbox& sandbox);

// For a child that shares its caller's memory: 0 when a network of its own and mounts of its own
// work, with the caller's rights or in a user namespace.
int try_own_network(void* unused);

// Those that a sandbox takes from its programs. A new user namespace starts with all of them.
std::vector<int> capabilities_to_drop(bool in_user_namespace);

// A program in the sandbox keeps these if it had them: what root needs to work on its own files.
std::uint64_t kept_capabilities();

}  // namespace gibbous
