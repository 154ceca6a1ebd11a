# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Makes a header that holds the text of INPUT as a string named NAME.
file(READ ${INPUT} text)
file(WRITE ${OUTPUT} "#pragma once\ninline constexpr char ${NAME}[] = R\"~~~(${text})~~~\";\n")
