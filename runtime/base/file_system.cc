#include "runtime/base/file_system.h"

#include <sys/statfs.h>
#include <sys/statvfs.h>

#include <array>

namespace gibbous {
namespace {

struct Network {
  unsigned type;  // of statfs(2)
  const char* name;
};

// Several machines may have these mounted, and do not share memory.
constexpr std::array<Network, 9> kNetworks = {{
    {0x6969, "nfs"},
    {0x517B, "smb"},
    {0xFF534D42, "cifs"},
    {0xFE534D42, "smb2"},
    {0x01021997, "9p"},
    {0x00C36400, "ceph"},
    {0x5346414F, "afs"},
    {0x0BD00BD0, "lustre"},
    {0x47504653, "gpfs"},
}};

}  // namespace

FileSystem file_system_of_type(long type) {
  for (const Network& network : kNetworks) {
    // The kernel's type is a signed word on some machines.
    if (static_cast<unsigned>(type) == network.type) return {network.name, false, false, false};
  }
  constexpr unsigned kFuse = 0x65735546;
  FileSystem local;
  local.reports_changes = static_cast<unsigned>(type) != kFuse;
  return local;
}

FileSystem file_system_of(const std::string& path) {
  struct statfs found {};
  if (::statfs(path.c_str(), &found) != 0) return {};
  FileSystem system = file_system_of_type(static_cast<long>(found.f_type));
  system.is_read_only = (static_cast<unsigned long>(found.f_flags) & ST_RDONLY) != 0;
  return system;
}

}  // namespace gibbous
