// gcc.hpp - the headers of gcc, in the order that they need
#ifndef MARGAY_TRACES_CAPTURE_GCC_GCC_HPP
#define MARGAY_TRACES_CAPTURE_GCC_GCC_HPP

#include <vector>

#include <gcc-plugin.h>

#include <tree.h>

#include <gimple.h>

#include <cfghooks.h>
#include <cfgloop.h>
#include <cgraph.h>
#include <gimple-iterator.h>
#include <ssa.h>
#include <stringpool.h>
#include <tree-cfg.h>
#include <tree-into-ssa.h>
#include <tree-pass.h>
#include <varasm.h>

#endif
