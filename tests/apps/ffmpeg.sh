#!/bin/bash
# SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
# Debian's ffmpeg: its OpenCL filters, which read and write images, beside its own filters in C. usage: ffmpeg.sh <scratch>
set -eu
mkdir -p "$1"
cd "$1"
source=testsrc2=size=322x242:rate=2:duration=1 # ffmpeg's own picture, of a size that no work-group divides

# compare <filter> <pixels> <largest difference> <bytes in a thousand that may differ by more> [<the filter in C>]
compare() {
  local options=${1#*=}
  [ "$options" = "$1" ] && options=
  local plain=${5:-${1%%_opencl*}=$options}
  ffmpeg -v error -y -init_hw_device opencl=device -filter_hw_device device -f lavfi -i "$source" \
    -vf "format=$2,hwupload,$1,hwdownload,format=$2" -f rawvideo -pix_fmt "$2" ours.raw
  ffmpeg -v error -y -f lavfi -i "$source" -vf "format=$2,$plain" -f rawvideo -pix_fmt "$2" theirs.raw
  python3 - "$1" "$3" "$4" <<'PYTHON'
import sys
name, largest, share = sys.argv[1], int(sys.argv[2]), float(sys.argv[3])
ours, theirs = open("ours.raw", "rb").read(), open("theirs.raw", "rb").read()
assert len(ours) == len(theirs) > 200000, name
off = sum(abs(a - b) > largest for a, b in zip(ours, theirs)) * 1000 / len(ours)
print(f"{name}: {off:.2f} of 1000 bytes differ by more than {largest}")
assert off <= share, name
PYTHON
}

compare transpose_opencl=dir=clock yuv420p 0 0
compare dilation_opencl yuv420p 0 0
compare erosion_opencl yuv420p 0 0
# The filters in C treat the edges of the picture in another way.
sharpen='0 -1 0 -1 5 -1 0 -1 0'
compare "convolution_opencl=$sharpen:$sharpen:$sharpen:$sharpen" yuv420p 0 1
compare boxblur_opencl=2:1 yuv420p 2 8
compare avgblur_opencl=sizeX=3 yuv420p 2 12
compare nlmeans_opencl=s=3:p=5:r=7 yuv420p 2 20
# A kernel of our own with a sampler: the picture mirrored, as `hflip` has it.
cat > mirror.cl <<'KERNEL'
const sampler_t sampler = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
kernel void mirror(write_only image2d_t out, unsigned int index, read_only image2d_t in) {
  const int2 at = (int2)(get_global_id(0), get_global_id(1));
  write_imagef(out, at, read_imagef(in, sampler, (float2)(get_image_width(in) - at.x - 0.5f, at.y + 0.5f)));
}
KERNEL
compare program_opencl=source=mirror.cl:kernel=mirror yuv420p 0 0 hflip
