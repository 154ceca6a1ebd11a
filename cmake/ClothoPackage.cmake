# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `make install` and `make package` put where: libraries and data in <libdir>/clotho, the compiler in
# <libexecdir>/clotho (src/compiler/service installs it), and one file for the ICD loader.
set(CLOTHO_VENDORS_DIR /etc/OpenCL/vendors CACHE PATH "Folder in which the ICD loader looks for drivers")
set(CLOTHO_PRIVATE_DIR ${CMAKE_INSTALL_LIBDIR}/clotho)

# `make install` and `make package` build first; installing itself builds nothing.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS clotho LIBRARY DESTINATION ${CLOTHO_PRIVATE_DIR} NAMELINK_SKIP)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Written at install time, when the prefix is known.
install(CODE "
  set(icd \"\$ENV{DESTDIR}${CLOTHO_VENDORS_DIR}/clotho.icd\")
  message(STATUS \"Installing: \${icd}\")
  file(WRITE \"\${icd}\" \"\${CMAKE_INSTALL_PREFIX}/${CLOTHO_PRIVATE_DIR}/libclotho.so\\n\")")

set(CPACK_GENERATOR DEB)
set(CPACK_PACKAGE_NAME clotho-opencl-icd)
set(CPACK_PACKAGE_VENDOR "Clotho project")
set(CPACK_PACKAGE_CONTACT "Clotho project <clotho@localhost>")
set(CPACK_PACKAGE_VERSION ${PROJECT_VERSION})
set(CPACK_PACKAGE_DESCRIPTION_SUMMARY "OpenCL driver for CPUs")
set(CPACK_PACKAGING_INSTALL_PREFIX /usr)
set(CPACK_STRIP_FILES ON)
set(CPACK_DEBIAN_FILE_NAME DEB-DEFAULT)
set(CPACK_DEBIAN_PACKAGE_SECTION libs)
set(CPACK_DEBIAN_PACKAGE_SHLIBDEPS ON)
set(CPACK_DEBIAN_PACKAGE_PROVIDES opencl-icd)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
file(WRITE ${CMAKE_BINARY_DIR}/conffiles "${CLOTHO_VENDORS_DIR}/clotho.icd\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/conffiles)
include(CPack)
