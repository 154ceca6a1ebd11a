// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "base/opencl_version.hpp"

#include "base/log.hpp"
#include "base/options.hpp"

namespace clotho {

cl_version chosenOpenClVersion() {
  const std::string& chosen = options().openClVersion;
  if (chosen == "2.2") return CL_MAKE_VERSION(2, 2, 0);
  if (chosen == "3.1") return CL_MAKE_VERSION(3, 1, 0);
  if (chosen != "3.0")
    CLOTHO_LOG(Runtime, Warn, "CLOTHO_OPENCL_VERSION is '%s', none of 2.2, 3.0 and 3.1; 3.0 it stays", chosen.c_str());
  return CL_MAKE_VERSION(3, 0, 0);
}

} // namespace clotho
