#include "base/schedule.hpp"
