#include "runtime/sandbox/devices.h"

#include <fnmatch.h>
#include <sys/stat.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "runtime/sandbox/paths.h"

namespace gibbous {
namespace {

constexpr std::size_t kMostDevices = 64;
constexpr std::array kGraphics = {"/dev/nvidia[0-9]*",   "/dev/nvidiactl",
                                  "/dev/nvidia-uvm",     "/dev/nvidia-uvm-tools",
                                  "/dev/nvidia-modeset", "/dev/nvidia-caps/nvidia-cap[0-9]*",
                                  "/dev/dri/renderD*",   "/dev/kfd"};
constexpr std::array kAskedFor = {"/dev/kvm",         "/dev/dri/card*", "/dev/snd",
                                  "/dev/snd/*",       "/dev/bus/usb",   "/dev/bus/usb/*",
                                  "/dev/bus/usb/*/*", "/dev/ttyUSB*",   "/dev/ttyACM*",
                                  "/dev/i2c-*",       "/dev/video*"};

template <typename Patterns>
bool fits_one_of(const std::string& path, const Patterns& patterns) {
  return std::any_of(patterns.begin(), patterns.end(), [&path](const char* pattern) {
    return ::fnmatch(pattern, path.c_str(), FNM_PATHNAME) == 0;
  });
}

}  // namespace

bool is_graphics_device(const std::string& path) {
  return fits_one_of(path, kGraphics);
}

bool may_be_granted(const std::string& path) {
  return fits_one_of(path, kAskedFor);
}

std::vector<std::string> graphics_devices(const std::string& around) {
  std::vector<std::string> devices;
  for (const char* const directory : {"", "/dri", "/nvidia-caps"}) {
    for (const std::string& path : children_of(around + directory)) {
      struct stat info {};
      const bool fits = is_graphics_device("/dev" + path.substr(around.size()));
      if (fits && ::lstat(path.c_str(), &info) == 0 && S_ISCHR(info.st_mode) &&
          devices.size() < kMostDevices) {
        devices.push_back(path);
      }
    }
  }
  return devices;
}

}  // namespace gibbous
