// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
#include "host.hpp"

#include <algorithm>
#include <cmath>

namespace {

struct Vec {
  float x, y, z;
};
inline Vec operator+(Vec a, Vec b) { return {a.x + b.x, a.y + b.y, a.z + b.z}; }
inline Vec operator-(Vec a, Vec b) { return {a.x - b.x, a.y - b.y, a.z - b.z}; }
inline Vec operator*(Vec a, float f) { return {a.x * f, a.y * f, a.z * f}; }
inline float dot(Vec a, Vec b) { return a.x * b.x + a.y * b.y + a.z * b.z; }
inline Vec normalize(Vec a) { return a * (1 / squareRoot(dot(a, a))); }

struct Sphere {
  Vec centre;
  float radius;
  Vec colour;
  float mirror;
};
constexpr int kSpheres = 12, kBounces = 4;

int intersect(const Sphere* spheres, Vec origin, Vec direction, float& distance) {
  int hit = -1;
  distance = 1e20F;
  for (int i = 0; i < kSpheres; ++i) {
    Vec to = spheres[i].centre - origin;
    float along = dot(to, direction), radius = spheres[i].radius;
    float gap = dot(to, to) - along * along;
    if (along < 0 || gap > radius * radius) continue;
    float t = along - squareRoot(radius * radius - gap);
    if (t > 1e-3F && t < distance) distance = t, hit = i;
  }
  return hit;
}

bool shadowed(const Sphere* spheres, Vec origin, Vec light) {
  for (int i = 0; i < kSpheres; ++i) {
    Vec to = spheres[i].centre - origin;
    float along = dot(to, light), radius = spheres[i].radius;
    if (along > 0 && dot(to, to) - along * along < radius * radius) return true;
  }
  return false;
}

Vec trace(const Sphere* spheres, Vec origin, Vec direction, Vec light) {
  Vec colour{0, 0, 0};
  float weight = 1;
  for (int bounce = 0; bounce < kBounces; ++bounce) {
    float t;
    int hit = intersect(spheres, origin, direction, t);
    Vec point, normal, surface;
    float mirror;
    if (hit >= 0) {
      const Sphere& sphere = spheres[hit];
      point = origin + direction * t;
      normal = (point - sphere.centre) * (1 / sphere.radius);
      surface = sphere.colour;
      mirror = sphere.mirror;
    } else if (direction.y < -1e-3F) { // the floor
      t = -origin.y / direction.y;
      point = origin + direction * t;
      normal = {0, 1, 0};
      bool odd = (static_cast<int>(std::floor(point.x)) + static_cast<int>(std::floor(point.z))) & 1;
      surface = odd ? Vec{0.9F, 0.9F, 0.9F} : Vec{0.2F, 0.2F, 0.2F};
      mirror = 0.15F;
    } else { // the sky
      float high = std::clamp(direction.y, 0.0F, 1.0F);
      return colour + Vec{1 - 0.6F * high, 1 - 0.4F * high, 1} * weight;
    }
    Vec start = point + normal * 1e-3F;
    float shade = 0.2F, facing = dot(normal, light);
    if (facing > 0 && !shadowed(spheres, start, light)) shade += 0.8F * facing;
    colour = colour + surface * (weight * (1 - mirror) * shade);
    weight *= mirror;
    if (weight < 0.01F) break;
    direction = direction - normal * (2 * dot(direction, normal));
    origin = start;
  }
  return colour;
}

float field(Vec p) {
  auto cell = [](float v) { return v - 4 * std::floor(v / 4 + 0.5F); };
  Vec c{cell(p.x), cell(p.y), cell(p.z)};
  return squareRoot(dot(c, c)) - 1.1F + 0.1F * (std::fabs(c.x) + std::fabs(c.y) + std::fabs(c.z));
}

} // namespace

extern "C" void raytrace(const Host& host) {
  std::uint8_t* out = host.get<std::uint8_t>(0);
  const Sphere* spheres = host.get<Sphere>(1);
  int width = host.size(0), height = host.size(1);
  const Vec light = normalize({0.5F, 1, -0.6F});
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float scale = static_cast<float>(height);
      Vec direction = normalize({(static_cast<float>(x) - 0.5F * static_cast<float>(width)) / scale,
                                 (0.5F * scale - static_cast<float>(y)) / scale, 1});
      Vec colour = trace(spheres, {0.13F, 1, -6.07F}, direction, light);
      std::uint8_t* pixel = out + (y * width + x) * 4;
      auto byte = [](float v) { return static_cast<std::uint8_t>(std::clamp(v * 255, 0.0F, 255.0F)); };
      pixel[0] = byte(colour.x), pixel[1] = byte(colour.y), pixel[2] = byte(colour.z), pixel[3] = 255;
    }
}

extern "C" void raymarch(const Host& host) {
  float* depth = host.get<float>(0);
  int width = host.size(0), height = host.size(1);
#pragma omp parallel for schedule(dynamic, 4)
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      float scale = static_cast<float>(height);
      Vec direction = normalize({(static_cast<float>(x) - 0.5F * static_cast<float>(width)) / scale,
                                 (static_cast<float>(y) - 0.5F * scale) / scale, 0.9F});
      float t = 0;
      for (int step = 0; step < 64; ++step) {
        float d = field(Vec{2, 2, 0} + direction * t);
        if (d < 0.002F * t) break;
        t += d;
        if (t > 60) {
          t = 60;
          break;
        }
      }
      depth[y * width + x] = t;
    }
}
