// The directories in which tools keep what they have downloaded and built, by default.
#pragma once

#include <array>

namespace gibbous::lua {

// Package managers, compilers and what else would begin anew each time.
inline constexpr std::array kUsualCaches = {"~/.cache",
                                            "~/.npm",
                                            "~/.yarn",
                                            "~/.pnpm-store",
                                            "~/.local/share/pnpm",
                                            "~/.bun/install",
                                            "~/.deno",
                                            "~/.cargo/registry",
                                            "~/.cargo/git",
                                            "~/.rustup",
                                            "~/go/pkg",
                                            "~/.gradle",
                                            "~/.m2/repository",
                                            "~/.ivy2",
                                            "~/.sbt",
                                            "~/.nuget/packages",
                                            "~/.local/share/NuGet",
                                            "~/.gem",
                                            "~/.bundle/cache",
                                            "~/.composer/cache",
                                            "~/.cabal/packages",
                                            "~/.stack",
                                            "~/.mix",
                                            "~/.hex",
                                            "~/.pub-cache",
                                            "~/.conan",
                                            "~/.conan2",
                                            "~/.ccache",
                                            "~/.local/share/virtualenvs",
                                            "~/.pyenv"};

}  // namespace gibbous::lua
