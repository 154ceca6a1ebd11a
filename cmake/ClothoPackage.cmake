# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# What `make install` and `make package` put where: libraries and data in <libdir>/clotho, the compiler in
# <libexecdir>/clotho (src/compiler/service installs it), the `clotho` tool in <bindir> with its manual page and its
# completion for bash (tools/clotho installs them), and one file for the ICD loader.
set(CLOTHO_ICD_FOLDER "" CACHE PATH "Folder of the ICD loader's file; empty: /etc/OpenCL/vendors for the prefixes /usr and \
/usr/local, etc/OpenCL/vendors below any other prefix")
set(CLOTHO_PRIVATE_DIR ${CMAKE_INSTALL_LIBDIR}/clotho)

# `make install` and `make package` build first; installing itself builds nothing.
set(CMAKE_SKIP_INSTALL_ALL_DEPENDENCY ON)

install(TARGETS clotho LIBRARY DESTINATION ${CLOTHO_PRIVATE_DIR} NAMELINK_SKIP)
install(FILES ${CMAKE_SOURCE_DIR}/LICENSE ${CMAKE_SOURCE_DIR}/README.md DESTINATION ${CMAKE_INSTALL_DOCDIR})

# Written at install time, when the prefix is known. The loader's folder is the system's, and registers a driver for every
# program, so only an installation into the system goes there: one into a folder of one's own stays in that folder.
install(CODE "
  get_filename_component(prefix \"\${CMAKE_INSTALL_PREFIX}\" ABSOLUTE)
  set(folder \"${CLOTHO_ICD_FOLDER}\")
  if(folder STREQUAL \"\")
    set(folder \"\${prefix}/etc/OpenCL/vendors\")
    if(prefix STREQUAL /usr OR prefix STREQUAL /usr/local)
      set(folder /etc/OpenCL/vendors)
    endif()
  endif()
  set(icd \"\$ENV{DESTDIR}\${folder}/clotho.icd\")
  message(STATUS \"Installing: \${icd}\")
  file(WRITE \"\${icd}\" \"\${prefix}/${CLOTHO_PRIVATE_DIR}/libclotho.so\\n\")
  if(NOT folder STREQUAL /etc/OpenCL/vendors)
    message(STATUS \"No program looks there by itself; to run one with this driver: OCL_ICD_VENDORS=\${folder}/clotho.icd program\")
  endif()")

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
set(CPACK_PRE_BUILD_SCRIPTS ${CMAKE_SOURCE_DIR}/cmake/PackageLibraries.cmake)
set(CPACK_DEBIAN_PACKAGE_PROVIDES opencl-icd)
set(CPACK_DEBIAN_PACKAGE_RECOMMENDS "ocl-icd-libopencl1 | libopencl1")
set(icdFolder /etc/OpenCL/vendors) # of the package's prefix
if(CLOTHO_ICD_FOLDER)
  set(icdFolder ${CLOTHO_ICD_FOLDER})
endif()
file(WRITE ${CMAKE_BINARY_DIR}/conffiles "${icdFolder}/clotho.icd\n")
set(CPACK_DEBIAN_PACKAGE_CONTROL_EXTRA ${CMAKE_BINARY_DIR}/conffiles)
include(CPack)
