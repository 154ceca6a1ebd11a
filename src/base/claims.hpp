// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <CL/cl.h>
#include <CL/cl_ext.h>

#include <algorithm>
#include <array>
#include <cstddef>
#include <string_view>

/// The table of claims as constants.
namespace clotho::claims {

#define CLAIM_TEXT(field, string) inline constexpr std::string_view field = string;
#include "base/claims.def"

/// Separated by spaces, as CL_*_EXTENSIONS want them.
inline constexpr auto kExtensionsText = std::to_array(
#define CLAIM_EXTENSION(name, major, minor, patch, language) #name " "
#include "base/claims.def"
);
inline constexpr std::string_view kExtensions(kExtensionsText.data(), kExtensionsText.size() - 2);

constexpr cl_name_version nameVersion(std::string_view name, cl_version version) {
  cl_name_version result{};
  result.version = version;
  std::copy_n(name.begin(), std::min<std::size_t>(name.size(), CL_NAME_VERSION_MAX_NAME_SIZE - 1), result.name);
  return result;
}

inline constexpr std::array kExtensionVersions = {
#define CLAIM_EXTENSION(name, major, minor, patch, language) nameVersion(#name, CL_MAKE_VERSION(major, minor, patch)),
#include "base/claims.def"
};
inline constexpr std::array kOpenClCVersions = {
#define CLAIM_OPENCL_C(major, minor) nameVersion("OpenCL C", CL_MAKE_VERSION(major, minor, 0)),
#include "base/claims.def"
};
inline constexpr std::array kFeatures = {
#define CLAIM_FEATURE(name) nameVersion(#name, CL_MAKE_VERSION(3, 0, 0)),
#include "base/claims.def"
};

} // namespace clotho::claims
