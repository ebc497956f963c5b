// The only header through which tests include Catch2, version 2 or 3.
#pragma once

#if GIBBOUS_CATCH2 == 2
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Matchers::Contains;  // NOLINT: version 2 spelling used by the tests
#endif
