// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#pragma once

namespace llvm {
class Module;
} // namespace llvm

namespace clotho::compiler {

/// A target's address space for each of SPIR's.
struct AddressSpaces {
  unsigned global = 0, constant = 0, local = 0, generic = 0;

  unsigned of(unsigned spir) const {
    switch (spir) {
    case 1:
    case 5:                // global memory of the device
    case 6: return global; // and of the host
    case 2: return constant;
    case 3: return local;
    case 4: return generic;
    default: return spir; // private memory
    }
  }
};

/// Moves all pointers to the target's address spaces and replaces what else code generators do not know: the SPIR
/// calling conventions, and opaque target types, which become pointers of address space 0.
/// Needs: passes that distinguish SPIR's address spaces have run.
void mapAddressSpaces(llvm::Module& module, const AddressSpaces& spaces);

} // namespace clotho::compiler
