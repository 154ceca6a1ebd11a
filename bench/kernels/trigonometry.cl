// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// From longitude and latitude to the distance and the bearing of a place, on a sphere.
kernel void geodesy(global const float2* places, global float2* results, float longitude, float latitude) {
  size_t i = get_global_id(0);
  float2 place = places[i];
  float dl = place.x - longitude;
  float s1, c1, s2, c2, sd, cd;
  s1 = sincos(latitude, &c1);
  s2 = sincos(place.y, &c2);
  sd = sincos(dl, &cd);
  float a = sin(0.5f * (place.y - latitude)), b = sin(0.5f * dl);
  float h = a * a + c1 * c2 * b * b;
  float distance = 2.0f * asin(min(1.0f, sqrt(h)));
  float bearing = atan2(sd * c2, c1 * s2 - s1 * c2 * cd);
  results[i] = (float2)(distance * 6371.0f, degrees(bearing));
}
