// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// 5 by 5 texels of an image for each pixel, weighed.
//   LITERAL: the sampler is the program's, else an argument; REAL: coordinates are the middles of texels, else integers;
//   UNROLLED: written out, else loops; ADDRESSING: what is outside; COLOURS: RGBA to an image, else one float to a buffer.
constant sampler_t own = ADDRESSING | CLK_FILTER_NEAREST | CLK_NORMALIZED_COORDS_FALSE;

#ifdef REAL
#define PLACE(dx, dy) ((float2)(x + (dx), y + (dy)) + 0.5f)
#else
#define PLACE(dx, dy) (int2)(x + (dx), y + (dy))
#endif
#ifdef COLOURS
#define SUM float4
#define TEXEL(dx, dy) read_imagef(in, own, PLACE(dx, dy))
#else
#define SUM float
#define TEXEL(dx, dy) read_imagef(in, own, PLACE(dx, dy)).x
#endif
#define TERM(dx, dy) TEXEL(dx, dy) * filter[((dy) + 2) * 5 + (dx) + 2]
#define ROW(dy) TERM(-2, dy) + TERM(-1, dy) + TERM(0, dy) + TERM(1, dy) + TERM(2, dy)

kernel void convolve(
#ifdef COLOURS
    write_only image2d_t out,
#else
    global float* out,
#endif
    read_only image2d_t in, constant float* filter
#ifndef LITERAL
    , sampler_t given
#define own given
#endif
) {
  const int x = get_global_id(0), y = get_global_id(1);
#ifdef UNROLLED
  const SUM sum = ROW(-2) + ROW(-1) + ROW(0) + ROW(1) + ROW(2);
#else
  SUM sum = 0;
  for (int dy = -2; dy <= 2; ++dy)
    for (int dx = -2; dx <= 2; ++dx)
      sum += TERM(dx, dy);
#endif
#ifdef COLOURS
  write_imagef(out, (int2)(x, y), sum);
#else
  out[y * get_global_size(0) + x] = sum;
#endif
}
