// /proc/locks lists each lock with its pid, the file's inode and a range of bytes. SQLite locks
// ranges of the shared memory file in WAL mode, and of the database otherwise; while a connection
// uses WAL, it also keeps a lock for reading on the database.
#include "runtime/journal/holder.h"

#include <sys/stat.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <functional>
#include <sstream>
#include <system_error>
#include <vector>

#include "runtime/base/quiet_thread.h"
#include "runtime/journal/place.h"

namespace gibbous {
namespace {

constexpr int kMaxLocks = 20'000;              // lines of /proc/locks
constexpr unsigned kFirstWalLock = 120;        // of the shared memory file: the lock of the writer,
constexpr unsigned kLastWalLock = 122;         // of a checkpoint and of a recovery
constexpr unsigned kPendingByte = 0x40000000;  // of the database, in other modes
constexpr std::size_t kMaxNamedProcesses = 5;
constexpr std::size_t kMaxThreads = 1'000;

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

std::string described(long pid) {
  const std::string name = name_of(pid);
  return "process " + std::to_string(pid) + (name.empty() ? "" : " (" + name + ")");
}

struct FileLock {
  long pid = 0;
  bool for_writing = false;
  bool of_database = false;  // else of the shared memory
  unsigned long from = 0;    // byte
};

// A line is "1: POSIX  ADVISORY  WRITE 4711 08:01:123456 120 120".
bool parse_lock(const std::string& line, unsigned long database, unsigned long shared,
                FileLock* lock) {
  std::istringstream words(line);
  std::string number;
  std::string kind;
  std::string advisory;
  std::string access;
  std::string file;
  if (!(words >> number >> kind >> advisory >> access >> lock->pid >> file >> lock->from)) {
    return false;
  }
  const std::size_t colon = file.rfind(':');
  if (lock->pid <= 0 || colon == std::string::npos) return false;
  const std::string inode = file.substr(colon + 1);
  lock->for_writing = access == "WRITE";
  lock->of_database = inode == std::to_string(database);
  return lock->of_database || (shared != 0 && inode == std::to_string(shared));
}

// Calls `see` with the locks of the journal's files until it returns false.
void look_at_locks(const std::string& directory, const std::function<bool(const FileLock&)>& see) {
  const std::string path = journal_path(directory);
  const unsigned long database = inode_of(path);
  const unsigned long shared = inode_of(path + "-shm");
  if (database == 0) return;
  std::ifstream locks("/proc/locks");
  std::string line;
  for (int i = 0; i < kMaxLocks && std::getline(locks, line); ++i) {
    FileLock lock;
    if (parse_lock(line, database, shared, &lock) && !see(lock)) return;
  }
}

// Returns the process that holds a lock for writing; 0 when none is known to.
long writer_of(const std::string& directory) {
  long pid = 0;
  look_at_locks(directory, [&pid](const FileLock& lock) {
    const bool of_writer = lock.of_database
                               ? lock.from >= kPendingByte
                               : lock.from >= kFirstWalLock && lock.from <= kLastWalLock;
    if (!lock.for_writing || !of_writer) return true;
    pid = lock.pid;
    return false;
  });
  return pid;
}

struct Thread {
  std::string name;
  char state = '?';
};

// The state follows the name, which may itself contain a parenthesis: "4711 (a) R 1".
Thread thread_at(const std::filesystem::path& directory) {
  std::ifstream file(directory / "stat");
  std::string line;
  std::getline(file, line);
  const std::size_t name = line.find('(');
  const std::size_t name_end = line.rfind(") ");
  if (name_end == std::string::npos || name > name_end || name_end + 2 >= line.size()) return {};
  return {line.substr(name + 1, name_end - name - 1), line[name_end + 2]};
}

bool has_thread(long pid, const std::function<bool(const Thread&)>& is_it) {
  std::error_code gone;
  std::filesystem::directory_iterator thread("/proc/" + std::to_string(pid) + "/task", gone);
  for (std::size_t i = 0; !gone && i < kMaxThreads && thread != std::filesystem::end(thread); ++i) {
    if (is_it(thread_at(thread->path()))) return true;
    thread.increment(gone);
  }
  return false;
}

}  // namespace

std::string holder_of_journal(const std::string& directory) {
  const long pid = writer_of(directory);
  if (pid == 0) return "";
  return pid == ::getpid() ? "this process, which is still writing" : described(pid);
}

bool is_journal_at_work(const std::string& directory) {
  const long pid = writer_of(directory);
  const bool is_other = pid != 0 && pid != ::getpid();
  return has_thread(is_other ? pid : ::getpid(), [is_other](const Thread& thread) {
    // The host's threads compute for reasons of their own.
    const bool may_compute = is_other || thread.name == kDiskThread;
    return thread.state == 'D' || (may_compute && thread.state == 'R');
  });
}

std::set<long> users_of_journal(const std::string& directory) {
  std::set<long> pids;
  look_at_locks(directory, [&pids](const FileLock& lock) {
    if (lock.pid != ::getpid()) pids.insert(lock.pid);
    return true;
  });
  return pids;
}

std::string names_of_processes(const std::set<long>& pids) {
  std::string names;
  std::size_t left = pids.size();
  for (const long pid : pids) {
    if (pids.size() - left == kMaxNamedProcesses)
      return names + " and " + std::to_string(left) + " others";
    const char* const before = names.empty() ? "" : left == 1 ? " and " : ", ";
    names += before + described(pid);
    --left;
  }
  return names;
}

}  // namespace gibbous
