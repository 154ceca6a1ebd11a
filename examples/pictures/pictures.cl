// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Three pictures made from one. All images but `rows` are sRGB: reads give linear light, filters mix light as a lens does,
// and writes turn it back into bytes for the screen.

constant sampler_t mirrored = CLK_NORMALIZED_COORDS_TRUE | CLK_ADDRESS_MIRRORED_REPEAT | CLK_FILTER_LINEAR;
constant sampler_t between = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_LINEAR;
constant sampler_t texels = CLK_NORMALIZED_COORDS_FALSE | CLK_ADDRESS_CLAMP_TO_EDGE | CLK_FILTER_NEAREST;

int2 ownPixel(void) { return (int2)(get_global_id(0), get_global_id(1)); }

// The middle of the work-item's pixel, seen from the middle of the picture.
float2 fromMiddle(write_only image2d_t result) {
  return convert_float2(ownPixel()) + 0.5f - 0.5f * convert_float2(get_image_dim(result));
}

// Turned and zoomed about its middle. Beyond its edges the picture goes on, mirrored. `across` and `down` say how far one
// pixel of the result goes in the picture, whose width and height are 1.
kernel void turn(read_only image2d_t picture, write_only image2d_t result, float2 across, float2 down) {
  const float2 place = fromMiddle(result);
  write_imagef(result, ownPixel(), read_imagef(picture, mirrored, 0.5f + place.x * across + place.y * down));
}

// The next level of a mipmap. The point where four texels meet is their mean to a linear filter.
kernel void halve(read_only image2d_t level, write_only image2d_t next) {
  write_imagef(next, ownPixel(), read_imagef(level, between, convert_float2(2 * ownPixel()) + 1.0f));
}

// A tunnel with light at its end. The picture is on its walls, twice around and mirrored twice, and the further away, the
// smaller the level of the mipmap that is read; `trilinear` mixes two of them.
kernel void tunnel(read_only image2d_t levels, sampler_t trilinear, write_only image2d_t result, float start,
                   float4 light) {
  const float height = get_image_height(result);
  const float2 sight = fromMiddle(result) / height;
  const float radius = length(sight), distance = 0.5f / radius;
  const float2 place = (float2)(2.0f * atan2pi(sight.x, sight.y), start - distance);
  // How many texels a pixel covers: around, and along, where the view is flatter the further it goes.
  const float2 covered =
      convert_float2(get_image_dim(levels)) * (float2)(2.0f / (M_PI_F * radius), distance / radius) / height;
  const float4 colour = read_imagef(levels, trilinear, place, 0.5f * log2(covered.x * covered.y));
  write_imagef(result, ownPixel(), mix(light, colour, exp(-0.1f * distance)));
}

// A miniature: sharp at the height `focus`, and the more blurred the further from it, as in photographs from nearby. One
// pass goes along the rows and one along the columns, by a Gaussian of light. The first leaves its result in halves, which
// keep what bytes would lose.
kernel void blur(read_only image2d_t picture, write_only image2d_t result, int2 step, float focus) {
  const int2 pixel = ownPixel();
  const float away = fabs((pixel.y + 0.5f) / get_image_height(picture) - focus);
  const float sigma = 0.2f + 5.0f * smoothstep(0.08f, 0.5f, away);
  float4 sum = 0;
  float weights = 0;
  for (int i = -RADIUS; i <= RADIUS; ++i) {
    const float weight = exp(-0.5f * i * i / (sigma * sigma));
    sum += weight * read_imagef(picture, texels, pixel + i * step);
    weights += weight;
  }
  write_imagef(result, pixel, sum / weights);
}
