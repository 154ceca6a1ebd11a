// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

#include <string>

namespace bench {

/// Prints what a number costs in each math builtin of float whose name matches, on one thread and in cache, beside the
/// C library's scalar function and SLEEF's vector function of 1 ulp. Runs on the platform of OCL_ICD_VENDORS; binds the
/// process to one CPU.
void measureMathThroughput(const std::string& pattern, bool quick);

} // namespace bench
