// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Function;
} // namespace llvm

namespace clotho::compiler {

/// Whether nobody can notice that a work-item of the kernel stores back, as it was, what it has loaded from memory that
/// others see. Somebody else may write there only before the load or after something by which the work-item lets it be
/// known that it has loaded (OpenCL C 3.0, section 6.15.12.8.1, data races), so the kernel must do nothing of the kind
/// before it ends. Of kernels that store where data says, too, this is not believed: there are programs that count on
/// the better of two stores to last, though they have a race.
bool mayStoreBackWhatItLoads(const llvm::Function& kernel);

} // namespace clotho::compiler
