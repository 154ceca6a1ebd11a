// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include "base/command_buffer_header.hpp"
#include "base/later_headers.hpp"

#include <CL/cl.h>
#include <CL/cl_egl.h>
#include <CL/cl_ext.h>
#include <CL/cl_gl.h>

/// The OpenCL functions under their own names but in our namespace: the library exports none of them, the loader finds
/// them through the dispatch table or by name. The Khronos headers give the signatures.
namespace clotho::api {
#define ENTRY(name) decltype(::name) name; // NOLINT(bugprone-macro-parentheses)
#define OPAQUE_ENTRY(name)
#define NEWER_ENTRY(name) decltype(::name) name;     // NOLINT(bugprone-macro-parentheses)
#define EXTENSION_ENTRY(name) decltype(::name) name; // NOLINT(bugprone-macro-parentheses)
#define LATER_ENTRY(name) khr::name##_t name;
#include "api/entry_points.def"
} // namespace clotho::api
