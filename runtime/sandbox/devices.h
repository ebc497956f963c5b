// Devices beyond those that every program needs: graphics cards compute for runs, and others are
// granted one by one to those that ask (`write` in a profile). For prepare.cc and refusal.cc.
#pragma once

#include <string>
#include <vector>

namespace gibbous {

// By its name alone: computes, and shows nothing on a screen.
bool is_graphics_device(const std::string& path);
// By its name alone: a virtual machine, a screen, sound, USB, a serial line or a camera.
bool may_be_granted(const std::string& path);
// Those of the first kind that this machine has. `around`: where its devices are.
std::vector<std::string> graphics_devices(const std::string& around = "/dev");

}  // namespace gibbous
