// /proc/locks lists each lock with its pid, the file's inode and a range of bytes. SQLite locks
// ranges of the shared memory file in WAL mode, and of the database otherwise.
#include "runtime/journal/holder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <fstream>
#include <sstream>
#include <vector>

#include "runtime/journal/place.h"

namespace gibbous {
namespace {

constexpr int kMaxLocks = 20'000;              // lines of /proc/locks
constexpr unsigned kFirstWalLock = 120;        // of the shared memory file: the lock of the writer,
constexpr unsigned kLastWalLock = 122;         // of a checkpoint and of a recovery
constexpr unsigned kPendingByte = 0x40000000;  // of the database, in other modes

unsigned long inode_of(const std::string& path) {
  struct stat file {};
  return ::stat(path.c_str(), &file) == 0 ? static_cast<unsigned long>(file.st_ino) : 0;
}

std::string name_of(long pid) {
  std::ifstream file("/proc/" + std::to_string(pid) + "/comm");
  std::string name;
  std::getline(file, name);
  return name;
}

// A line is "1: POSIX  ADVISORY  WRITE 4711 08:01:123456 120 120".
bool holds(const std::string& line, unsigned long database, unsigned long shared, long* pid) {
  std::istringstream words(line);
  std::string number;
  std::string kind;
  std::string advisory;
  std::string access;
  std::string file;
  unsigned long from = 0;
  if (!(words >> number >> kind >> advisory >> access >> *pid >> file >> from)) return false;
  if (access != "WRITE" || *pid <= 0) return false;
  const std::size_t colon = file.rfind(':');
  if (colon == std::string::npos) return false;
  const std::string inode = file.substr(colon + 1);
  const bool of_shared =
      inode == std::to_string(shared) && from >= kFirstWalLock && from <= kLastWalLock;
  return of_shared || (inode == std::to_string(database) && from >= kPendingByte);
}

}  // namespace

std::string holder_of_journal(const std::string& directory) {
  const std::string path = journal_path(directory);
  const unsigned long database = inode_of(path);
  const unsigned long shared = inode_of(path + "-shm");
  if (database == 0) return "";
  std::ifstream locks("/proc/locks");
  std::string line;
  for (int i = 0; i < kMaxLocks && std::getline(locks, line); ++i) {
    long pid = 0;
    if (!holds(line, database, shared, &pid)) continue;
    if (pid == ::getpid()) return "this process, which is still writing";
    const std::string name = name_of(pid);
    return "process " + std::to_string(pid) + (name.empty() ? "" : " (" + name + ")");
  }
  return "";
}

}  // namespace gibbous
