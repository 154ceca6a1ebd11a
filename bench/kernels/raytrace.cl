// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#define SPHERES 12
#define BOUNCES 4

typedef struct {
  float4 centre; // w: radius
  float4 colour; // w: how much it mirrors
} Sphere;

// The nearest sphere that the ray meets, or -1.
int intersect(constant Sphere* spheres, float3 origin, float3 direction, float* distance) {
  int hit = -1;
  float nearest = 1e20f;
  for (int i = 0; i < SPHERES; i++) {
    float3 to = spheres[i].centre.xyz - origin;
    float along = dot(to, direction);
    float radius = spheres[i].centre.w;
    float gap = dot(to, to) - along * along;
    if (along < 0.0f || gap > radius * radius)
      continue;
    float t = along - sqrt(radius * radius - gap);
    if (t > 1e-3f && t < nearest) {
      nearest = t;
      hit = i;
    }
  }
  *distance = nearest;
  return hit;
}

int shadowed(constant Sphere* spheres, float3 origin, float3 light) {
  for (int i = 0; i < SPHERES; i++) {
    float3 to = spheres[i].centre.xyz - origin;
    float along = dot(to, light);
    if (along > 0.0f && dot(to, to) - along * along < spheres[i].centre.w * spheres[i].centre.w)
      return 1;
  }
  return 0;
}

kernel void raytrace(global uchar4* out, constant Sphere* spheres, int width, int height) {
  int x = get_global_id(0), y = get_global_id(1);
  float3 origin = (float3)(0.13f, 1.0f, -6.07f);
  float3 direction =
      normalize((float3)((x - 0.5f * width) / height, (0.5f * height - y) / height, 1.0f));
  float3 light = normalize((float3)(0.5f, 1.0f, -0.6f));
  float3 colour = (float3)(0.0f);
  float weight = 1.0f;
  for (int bounce = 0; bounce < BOUNCES; bounce++) {
    float t;
    int hit = intersect(spheres, origin, direction, &t);
    float3 point, normal, surface;
    float mirror;
    if (hit >= 0) {
      point = origin + direction * t;
      normal = (point - spheres[hit].centre.xyz) / spheres[hit].centre.w;
      surface = spheres[hit].colour.xyz;
      mirror = spheres[hit].colour.w;
    } else if (direction.y < -1e-3f) { // the floor
      t = -origin.y / direction.y;
      point = origin + direction * t;
      normal = (float3)(0.0f, 1.0f, 0.0f);
      int odd = ((int)floor(point.x) + (int)floor(point.z)) & 1;
      surface = odd ? (float3)(0.9f) : (float3)(0.2f);
      mirror = 0.15f;
    } else { // the sky
      colour += weight * mix((float3)(1.0f), (float3)(0.4f, 0.6f, 1.0f), clamp(direction.y, 0.0f, 1.0f));
      break;
    }
    float3 start = point + normal * 1e-3f;
    float shade = 0.2f;
    float facing = dot(normal, light);
    if (facing > 0.0f && !shadowed(spheres, start, light))
      shade += 0.8f * facing;
    colour += weight * (1.0f - mirror) * shade * surface;
    weight *= mirror;
    if (weight < 0.01f)
      break;
    direction = direction - 2.0f * dot(direction, normal) * normal;
    origin = start;
  }
  out[y * width + x] = convert_uchar4_sat((float4)(colour * 255.0f, 255.0f));
}
