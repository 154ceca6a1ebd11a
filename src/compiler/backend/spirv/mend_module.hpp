// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
}

namespace clotho::compiler {

/// Writes differently what LLVM 22's SPIR-V back end would make invalid or wrong SPIR-V of:
///  - `any` and `all` of vectors of integers become operations on vectors of booleans, which OpAny and OpAll take;
///  - saturating conversions between integers of one signedness become comparisons: the back end takes the instructions
///    for those of different signedness;
///  - weak compare-and-exchange becomes the strong one, which serves as well: SPIR-V has the weak one up
///    to 1.3.
/// Needs: clang's names of OpenCL C's functions.
void mendForSpirv(llvm::Module& module);

/// Tells the back end that products and sums may be contracted, but for kernels that run some which may not be.
void allowContraction(llvm::Module& module);

} // namespace clotho::compiler
