# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Run by CPack before it makes the package: tells dpkg-shlibdeps which package LLVM's library is from. The compiler's
# RUNPATH leads to a link of llvm-22-dev, and of the link's and the library's packages dpkg-shlibdeps takes the one that its
# hash table yields last. For llvm-22-dev it knows of no dependency, so in half of its runs the package had none on LLVM.
# CPack itself removes the folder.
file(WRITE "${CPACK_TEMPORARY_DIRECTORY}/debian/shlibs.local" "libLLVM 22.1 libllvm22\n")
