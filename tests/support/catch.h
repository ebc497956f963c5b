// Catch2, version 2 or 3: the one header that tests include for it.
#pragma once

#if GIBBOUS_CATCH2 == 2
#include <catch2/catch.hpp>
#else
#include <catch2/catch_all.hpp>
using Catch::Matchers::Contains;  // NOLINT: version 2 spelling used by the tests
#endif
