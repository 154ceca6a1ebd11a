# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Language level, warnings and sanitizers for every target.

option(CLOTHO_BUILD_TESTS "Build the tests" ON)
set(CLOTHO_SANITIZE "" CACHE STRING "Sanitizers for our own code: empty, 'address,undefined' or 'thread'")
option(CLOTHO_CHECKS_COMPILER "Sanitize the compiler, too, rather than use that of the release build" OFF)

set(CMAKE_CXX_STANDARD 20)
set(CMAKE_CXX_STANDARD_REQUIRED ON)
set(CMAKE_CXX_EXTENSIONS OFF)
set(CMAKE_C_STANDARD 17)
set(CMAKE_POSITION_INDEPENDENT_CODE ON)
set(CMAKE_CXX_VISIBILITY_PRESET hidden)
set(CMAKE_C_VISIBILITY_PRESET hidden)
set(CMAKE_VISIBILITY_INLINES_HIDDEN ON)
set(CMAKE_EXPORT_COMPILE_COMMANDS ON)

# Headers of LLVM and GoogleTest are most of what their users cost to compile, so targets with many files compile them once.
# Without a time in them ccache knows them again; it wants to be told that macros in them are as the command says.
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  set(CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH ${CMAKE_CXX_COMPILE_OPTIONS_CREATE_PCH} -Xclang -fno-pch-timestamp)
endif()
if(CMAKE_CXX_COMPILER_LAUNCHER STREQUAL ccache)
  set(CMAKE_CXX_COMPILER_LAUNCHER env CCACHE_SLOPPINESS=pch_defines,time_macros ccache)
endif()

add_compile_options(-Wall -Wextra -Wno-unused-parameter)
add_compile_definitions(CL_TARGET_OPENCL_VERSION=300 CL_USE_DEPRECATED_OPENCL_1_0_APIS
                        CL_USE_DEPRECATED_OPENCL_1_1_APIS CL_USE_DEPRECATED_OPENCL_1_2_APIS
                        CL_USE_DEPRECATED_OPENCL_2_0_APIS CL_USE_DEPRECATED_OPENCL_2_1_APIS
                        CL_USE_DEPRECATED_OPENCL_2_2_APIS)

if(CLOTHO_SANITIZE)
  add_compile_options(-fsanitize=${CLOTHO_SANITIZE} -fno-sanitize=vptr -fno-sanitize-recover=all -fno-omit-frame-pointer -g)
  add_link_options(-fsanitize=${CLOTHO_SANITIZE})
endif()

# Code that is loaded into other people's processes: no constructor that works, no destructor at exit,
# and lock discipline checked by the compiler.
add_library(clotho_guest_rules INTERFACE)
if(CMAKE_CXX_COMPILER_ID MATCHES Clang)
  target_compile_options(clotho_guest_rules INTERFACE
    $<$<COMPILE_LANGUAGE:CXX>:-Wglobal-constructors -Wexit-time-destructors -Wthread-safety -Werror>)
endif()

# Code that includes LLVM: its headers are not ours to warn about, and LLVM is built without exceptions.
add_library(clotho_llvm INTERFACE)
target_include_directories(clotho_llvm SYSTEM INTERFACE /usr/lib/llvm-22/include)
target_compile_options(clotho_llvm INTERFACE $<$<COMPILE_LANGUAGE:CXX>:-fno-exceptions>)
target_link_directories(clotho_llvm INTERFACE /usr/lib/llvm-22/lib)
target_link_libraries(clotho_llvm INTERFACE LLVM-22)
