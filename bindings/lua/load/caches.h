// The directories in which tools keep data that they have downloaded and built, by default.
#pragma once

#include <array>

namespace gibbous::lua {

// Builds write them, and so no program that people start lies in one: what those run, such as
// npx, pre-commit, playwright and gradlew, has a layer instead (policies/lib/sandbox.lua).
inline constexpr std::array kUsualCaches = {"~/.npm/_cacache",
                                            "~/.yarn/berry/cache",
                                            "~/.cache/yarn",
                                            "~/.pnpm-store",
                                            "~/.local/share/pnpm/store",
                                            "~/.bun/install/cache",
                                            "~/.cargo/registry/cache",
                                            "~/.cargo/registry/index",
                                            "~/go/pkg/mod/cache/download",
                                            "~/.cache/go-build",
                                            "~/.cache/golangci-lint",
                                            "~/.gradle/caches",
                                            "~/.m2/repository",
                                            "~/.ivy2/cache",
                                            "~/.cache/coursier/v1",
                                            "~/.nuget/packages",
                                            "~/.cache/pip",
                                            "~/.cache/pypoetry/cache",
                                            "~/.cache/pypoetry/artifacts",
                                            "~/.cache/pdm",
                                            "~/.cache/mypy",
                                            "~/.bundle/cache",
                                            "~/.composer/cache",
                                            "~/.cache/composer",
                                            "~/.cabal/packages",
                                            "~/.hex/packages",
                                            "~/.pub-cache/hosted",
                                            "~/.conan/data",
                                            "~/.conan2/p",
                                            "~/.ccache",
                                            "~/.cache/ccache",
                                            "~/.cache/sccache",
                                            "~/.cache/vcpkg",
                                            "~/.cache/zig",
                                            "~/.cache/huggingface/hub",
                                            "~/.cache/torch/hub/checkpoints"};

}  // namespace gibbous::lua
