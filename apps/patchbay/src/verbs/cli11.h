// What the verbs use of CLI11. Precompiled; with an include guard, because ccache may return a precompiled
// header made from a file with other comments, which #pragma once does not recognise.
#ifndef PATCHBAY_VERBS_CLI11_H
#define PATCHBAY_VERBS_CLI11_H

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>

#endif
