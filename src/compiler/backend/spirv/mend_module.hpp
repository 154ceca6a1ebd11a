// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// Replaces code of which LLVM 22's SPIR-V back end would make invalid or wrong SPIR-V:
/// - `any` and `all` of integer vectors become operations on vectors of booleans, which OpAny and OpAll take;
/// - saturating conversions between integers of one signedness become comparisons: the back end takes them for
///   conversions of different signedness;
/// - weak compare-exchange becomes strong, which is also correct: SPIR-V has the weak one up to 1.3.
/// Needs: clang's names of OpenCL C's functions.
void mendForSpirv(llvm::Module& module);

/// Allows the back end to contract products and sums, except for kernels with operations that may not be contracted.
void allowContraction(llvm::Module& module);

} // namespace clotho::compiler
