// Catch2 version 2's main, compiled once.
#define CATCH_CONFIG_MAIN
#include <catch2/catch.hpp>

#include "tests/support/turn_listener.h"
