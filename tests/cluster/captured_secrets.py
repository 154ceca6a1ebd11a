#!/usr/bin/env python3
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
"""Checks that launches captured at a node have no secrets: not the node's token, nor variables that are not Clotho's options.

usage: captured_secrets.py CLOTHO KERNEL_TESTS TEST.json FOLDER
"""

import ctypes
import ctypes.util
import os
import shutil
import struct
import subprocess
import sys

MAGIC, VERSION_BYTES = b"\x93CLCAP\r\n", 4
CHUNK = struct.Struct("<IIIQ")  # section, bytes, bytes as stored, checksum (docs/capture.md)

clotho, runner, test, folder = sys.argv[1:]
shutil.rmtree(folder, ignore_errors=True)
zstd = ctypes.CDLL(ctypes.util.find_library("zstd"))
zstd.ZSTD_decompress.restype = ctypes.c_size_t
zstd.ZSTD_decompress.argtypes = [ctypes.c_void_p, ctypes.c_size_t, ctypes.c_char_p, ctypes.c_size_t]


def contents(path):
    """The bytes of all chunks of a capture, as they are before compression."""
    with open(path, "rb") as file:
        data = file.read()
    if not data.startswith(MAGIC):
        sys.exit(f"{path} is no capture")
    at, parts = len(MAGIC) + VERSION_BYTES, []
    while at < len(data):
        _, size, stored, _ = CHUNK.unpack_from(data, at)
        at += CHUNK.size
        chunk = data[at:at + stored]
        at += stored
        if stored < size:
            whole = ctypes.create_string_buffer(size)
            if zstd.ZSTD_decompress(whole, size, chunk, stored) != size:
                sys.exit(f"{path}: a chunk cannot be read")
            chunk = whole.raw
        parts.append(chunk)
    return b"".join(parts) + data


secret = "c5b1a0f7" * 8
environment = os.environ | {"CLOTHO_DEVICES": "node", "CLOTHO_CAPTURE": folder, "CLOTHO_CHECK_SECONDS": "29",
                            "SECRET_OF_ANOTHER_PROGRAM": secret}
result = subprocess.run([clotho, "cluster", "--", "sh", "-c", 'echo "token $CLOTHO_CLUSTER_TOKEN" && exec "$@"', "sh", runner, test],
                        capture_output=True, text=True, timeout=100, env=environment, check=False)
tokens = [line.split()[1] for line in result.stdout.splitlines() if line.startswith("token ")]
if result.returncode != 0 or len(tokens) != 1 or len(tokens[0]) != 64:
    sys.exit(f"the program did not run at a node: {result}")
texts = {"the token": tokens[0], "a variable of another program": secret, "the name of one": "SECRET_OF_ANOTHER_PROGRAM",
         "the name of the token's variable": "CLOTHO_CLUSTER"}
forbidden = {what: [text.encode(), text.upper().encode()] for what, text in texts.items()}
forbidden["the token's bytes"] = [bytes.fromhex(tokens[0])]
faults, files = [], sorted(os.listdir(folder))
if not files:
    faults.append("nothing was captured")
for name in files:
    found = contents(os.path.join(folder, name))
    # Options are in the file in general.
    if b"CLOTHO_CHECK_SECONDS" not in found:
        faults.append(f"{name}: the file's description cannot be read")
    faults += [f"{name} has {what}" for what, each in forbidden.items() if any(text in found for text in each)]
for fault in faults:
    print(fault)
print(f"{len(files)} files")
sys.exit(1 if faults else 0)
