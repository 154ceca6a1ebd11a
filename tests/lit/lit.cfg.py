# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# lit's configuration. Parameters: bin (folder of clotho-opt and clotho), data (builtins.clotho and rt.o),
# llvm (folder of LLVM's own tools), spirv (folder of assembled modules), out (where tests write).
import os
import platform

import lit.formats

config.name = "Clotho"
config.test_format = lit.formats.ShTest(execute_external=False)
config.suffixes = [".ll", ".cl"]
config.excludes = ["Inputs"]
config.test_source_root = os.path.dirname(__file__)
config.test_exec_root = lit_config.params["out"]

tools = lit_config.params["llvm"]
binaries = lit_config.params["bin"]
data = lit_config.params["data"]
config.environment["PATH"] = os.pathsep.join([tools, config.environment["PATH"]])
config.substitutions += [
    ("%opt", os.path.join(binaries, "clotho-opt")),
    ("%compile", os.path.join(binaries, "clotho") + " compile --data " + data),
    ("%spirv", lit_config.params["spirv"]),
    ("%clotho", os.path.join(binaries, "clotho")),
    ("%data", data),
    ("%report", os.path.join(binaries, "clotho") + " report --data " + data),
    ("%check", os.path.join(tools, "FileCheck") + " %s"),
]
if platform.machine() in ("x86_64", "AMD64"):
    config.available_features.add("x86")
