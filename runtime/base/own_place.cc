#include "runtime/base/own_place.h"

#include <dlfcn.h>
#include <limits.h>
#include <link.h>
#include <stdlib.h>
#include <unistd.h>

#include <array>
#include <memory>

namespace gibbous {
namespace {

std::string directory_of(const std::string& file) {
  return file.substr(0, file.rfind('/'));
}

// "" for the program itself, whose name here would be whatever its caller called it.
std::string library_directory() {
  Dl_info info = {};
  link_map* map = nullptr;
  // Any object of ours does.
  static const char here = 0;
  if (::dladdr1(&here, &info, reinterpret_cast<void**>(&map), RTLD_DL_LINKMAP) == 0) return "";
  if (map == nullptr || map->l_name == nullptr || *map->l_name == '\0') return "";
  const std::unique_ptr<char, decltype(&::free)> real(::realpath(map->l_name, nullptr), &::free);
  return real == nullptr ? "" : directory_of(real.get());
}

// While the library is loaded: its name may be relative to the directory of that moment.
const std::string kLibraryDirectory = library_directory();

std::string program_directory() {
  // A program that was replaced has a name that leads nowhere, but still in its directory.
  std::array<char, PATH_MAX> path;
  const ssize_t length = ::readlink("/proc/self/exe", path.data(), path.size());
  return length <= 0 ? "" : directory_of({path.data(), static_cast<std::size_t>(length)});
}

}  // namespace

std::vector<std::string> installed_places(const std::string& beside, const std::string& name) {
  std::vector<std::string> places;
  const auto add = [&](const std::string& directory, bool is_library) {
    if (directory.empty()) return;
    places.push_back(directory + "/" + beside);
    places.push_back(directory + "/../" + name);
    if (is_library) places.push_back(directory + "/../../" + name);
  };
  add(kLibraryDirectory, true);
  add(program_directory(), false);
  if (&gibbous_installed_directory != nullptr) add(gibbous_installed_directory, false);
  return places;
}

}  // namespace gibbous
