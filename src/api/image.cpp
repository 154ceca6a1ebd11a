// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Creation of images, and what is asked of them.
#include "api/memory_flags.hpp"
#include "api/memory_properties.hpp"
#include "api/parse.hpp"
#include "runtime/memory/image_formats.hpp"

#include <algorithm>

namespace clotho::api {

namespace {

/// Whether it holds for one device of the context at least that has images.
template <class Predicate> bool anyDevice(const Context& context, Predicate&& predicate) {
  const auto& devices = context.devices();
  return std::any_of(devices.begin(), devices.end(), [&](const Ref<Device>& device) {
    const ImageLimits& limits = device->properties().images;
    return limits.areSupported && predicate(*device, limits);
  });
}

void checkHasImages(const Context& context) {
  check(anyDevice(context, [](const Device&, const ImageLimits&) { return true; }), CL_INVALID_OPERATION,
        "no device of the context supports images");
}

/// The strictest alignment in texels among the devices that have images.
cl_uint largestAlignment(const Context& context, cl_uint ImageLimits::* alignment) {
  cl_uint largest = 1;
  for (const Ref<Device>& device : context.devices())
    if (device->properties().images.areSupported) largest = std::max(largest, device->properties().images.*alignment);
  return largest;
}

bool isImageType(cl_mem_object_type type) {
  switch (type) {
  case CL_MEM_OBJECT_IMAGE1D:
  case CL_MEM_OBJECT_IMAGE1D_BUFFER:
  case CL_MEM_OBJECT_IMAGE1D_ARRAY:
  case CL_MEM_OBJECT_IMAGE2D:
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
  case CL_MEM_OBJECT_IMAGE3D: return true;
  default: return false;
  }
}

const ImageFormat& parseFormat(const cl_image_format* format) {
  check(format, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no format");
  const ImageFormat* known = findImageFormat(*format);
  check(known, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "no legal pair of channel order and channel type");
  return *known;
}

/// Sizes that the type has; what it does not have is ignored (section 5.3.1.2).
void parseDimensions(const cl_image_desc& desc, ImageShape& shape) {
  // 2.2 has no error of its own for a size of 0.
  const auto parse = [](std::size_t size) {
    check(size > 0, follows30() ? CL_INVALID_IMAGE_SIZE : CL_INVALID_IMAGE_DESCRIPTOR, "an image without texels");
    return size;
  };
  shape.type = desc.image_type;
  shape.width = parse(desc.image_width);
  switch (desc.image_type) {
  case CL_MEM_OBJECT_IMAGE1D_ARRAY: shape.layers = parse(desc.image_array_size); break;
  case CL_MEM_OBJECT_IMAGE2D: shape.height = parse(desc.image_height); break;
  case CL_MEM_OBJECT_IMAGE2D_ARRAY:
    shape.height = parse(desc.image_height);
    shape.layers = parse(desc.image_array_size);
    break;
  case CL_MEM_OBJECT_IMAGE3D:
    shape.height = parse(desc.image_height);
    shape.depth = parse(desc.image_depth);
    break;
  default: break;
  }
}

/// Pitches of texels that lie in the application's memory. `bytes` are those from the first texel to
/// behind the last; CL_INVALID_IMAGE_DESCRIPTOR where they are more than can be counted.
void parsePitches(const cl_image_desc& desc, std::size_t texel, ImageShape& shape, std::size_t& bytes) {
  constexpr const char* kRowPitch = "the row pitch is less than a row or no multiple of the texel's size";
  constexpr const char* kSlicePitch = "the slice pitch is less than a slice or no multiple of the row pitch";
  const auto multiplyAdd = [](std::size_t a, std::size_t b, std::size_t c) {
    std::size_t result;
    check(!__builtin_mul_overflow(a, b, &result) && !__builtin_add_overflow(result, c, &result),
          CL_INVALID_IMAGE_DESCRIPTOR, "the pitches are more than any memory has room for");
    return result;
  };
  const std::size_t row = shape.width * texel;
  shape.rowPitch = desc.image_row_pitch;
  check(shape.rowPitch == 0 || (shape.rowPitch >= row && shape.rowPitch % texel == 0), CL_INVALID_IMAGE_DESCRIPTOR,
        kRowPitch);
  const std::size_t rowPitch = shape.rowPitch ? shape.rowPitch : row;
  const std::size_t slices = shape.depth * shape.layers, leastSlice = multiplyAdd(rowPitch, shape.height, 0);
  std::size_t slicePitch = leastSlice;
  const bool hasSlices = shape.type == CL_MEM_OBJECT_IMAGE3D || shape.type == CL_MEM_OBJECT_IMAGE1D_ARRAY ||
                         shape.type == CL_MEM_OBJECT_IMAGE2D_ARRAY;
  if (hasSlices && desc.image_slice_pitch != 0) {
    slicePitch = shape.slicePitch = desc.image_slice_pitch;
    check(slicePitch >= leastSlice && slicePitch % rowPitch == 0, CL_INVALID_IMAGE_DESCRIPTOR, kSlicePitch);
  }
  bytes = multiplyAdd(slices - 1, slicePitch, multiplyAdd(shape.height - 1, rowPitch, row));
}

/// Rules of cl_khr_mipmap_image; it names no errors.
void parseLevels(const cl_image_desc& desc, cl_mem_flags flags, const void* hostPointer, ImageShape& shape) {
  check(desc.num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR, "images have one sample");
  shape.mipLevels = desc.num_mip_levels;
  if (shape.mipLevels <= 1) return;
  check(desc.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_IMAGE_DESCRIPTOR,
        "images from buffers have one level");
  check(!hostPointer && !(flags & (CL_MEM_USE_HOST_PTR | CL_MEM_COPY_HOST_PTR)), CL_INVALID_IMAGE_DESCRIPTOR,
        "mipmaps have no host pointer");
  // Levels that come after the one of one texel have one, too: nothing forbids them, and the conformance suite has
  // them.
  check(shape.mipLevels <= kImageLevels, CL_INVALID_IMAGE_DESCRIPTOR, "more levels than the largest image has");
}

/// The channel orders in which the texels of another image may be seen (OpenCL 3.0, table 19).
bool isCompatible(cl_channel_order seen, cl_channel_order original) {
  constexpr std::array<std::array<cl_channel_order, 2>, 9> kPairs = {{{CL_sBGRA, CL_BGRA},
                                                                      {CL_BGRA, CL_sBGRA},
                                                                      {CL_sRGBA, CL_RGBA},
                                                                      {CL_RGBA, CL_sRGBA},
                                                                      {CL_sRGB, CL_RGB},
                                                                      {CL_RGB, CL_sRGB},
                                                                      {CL_sRGBx, CL_RGBx},
                                                                      {CL_RGBx, CL_sRGBx},
                                                                      {CL_DEPTH, CL_R}}};
  const std::array<cl_channel_order, 2> pair = {seen, original};
  return std::find(kPairs.begin(), kPairs.end(), pair) != kPairs.end();
}

void checkSize(const Context& context, const ImageShape& shape) {
  check(anyDevice(context, [&](const Device&, const ImageLimits& limits) { return isWithin(limits, shape); }),
        CL_INVALID_IMAGE_SIZE, "larger than any device of the context has images");
}

void checkSupported(const ImageShape& shape) {
  check(isFormatSupported(shape.type, shape.format), CL_IMAGE_FORMAT_NOT_SUPPORTED,
        "no device of the context has images of this type and format");
}

/// An image as it is asked for, with memory of its own, in a host pointer or in external memory.
cl_mem createOwn(Context& context, MemoryProperties&& properties, cl_mem_flags flags, ImageShape& shape,
                 const cl_image_desc& desc, void* hostPointer) {
  const bool isExternal = properties.external.has_value();
  check(desc.image_type != CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_IMAGE_DESCRIPTOR, "no buffer");
  check(hostPointer || isExternal || (desc.image_row_pitch == 0 && desc.image_slice_pitch == 0),
        CL_INVALID_IMAGE_DESCRIPTOR, "pitches without a host pointer");
  parseDimensions(desc, shape);
  parseLevels(desc, flags, hostPointer, shape);
  check(!isExternal || shape.mipLevels <= 1, CL_INVALID_IMAGE_DESCRIPTOR, "mipmaps are not in external memory");
  checkSize(context, shape);
  const std::size_t texel = texelBytes(*findImageFormat(shape.format));
  std::size_t bytes = 0;
  parsePitches(desc, texel, shape, bytes);
  checkHostPointer(flags, hostPointer);
  checkSupported(shape);
  if (!anyDevice(context, [&](const Device& device, const ImageLimits&) {
        return bytes <= device.properties().maxAllocationSize;
      })) {
    context.report("an image of " + std::to_string(bytes) + " bytes, which is more than CL_DEVICE_MAX_MEM_ALLOC_SIZE",
                   LogLevel::Warn);
    throw Error{CL_MEM_OBJECT_ALLOCATION_FAILURE, "more than CL_DEVICE_MAX_MEM_ALLOC_SIZE"};
  }
  std::unique_ptr<ExternalMemory> external;
  if (isExternal) external = mapExternal(*properties.external, flags, bytes, CL_INVALID_IMAGE_SIZE);
  Ref<MemoryObject> image =
      make<MemoryObject>(context, flags, shape, hostPointer, std::move(properties.list), std::move(external));
  if (isExternal) image->takeDescriptor();
  return handOut(std::move(image));
}

/// A view of a buffer's bytes as it is asked for: a 1D image buffer, or a 2D image (cl_khr_image2d_from_buffer).
void parseInBuffer(const MemoryObject& buffer, const cl_image_desc& desc, ImageShape& shape) {
  const Context& context = buffer.context();
  const bool is2D = desc.image_type == CL_MEM_OBJECT_IMAGE2D;
  check(is2D || desc.image_type == CL_MEM_OBJECT_IMAGE1D_BUFFER, CL_INVALID_IMAGE_DESCRIPTOR,
        "images of this type are not made from buffers");
  check(desc.image_slice_pitch == 0, CL_INVALID_IMAGE_DESCRIPTOR, "a slice pitch without a host pointer");
  check(desc.num_mip_levels <= 1 && desc.num_samples == 0, CL_INVALID_IMAGE_DESCRIPTOR,
        "images from buffers have one level");
  shape.mipLevels = desc.num_mip_levels;
  parseDimensions(desc, shape);
  checkSize(context, shape);
  const std::size_t texel = texelBytes(*findImageFormat(shape.format)), row = shape.width * texel;
  if (!is2D) {
    // The text wants a pitch of 0; the conformance suite gives one.
    shape.rowPitch = desc.image_row_pitch;
    check(shape.rowPitch == 0 || (shape.rowPitch >= row && shape.rowPitch % texel == 0), CL_INVALID_IMAGE_DESCRIPTOR,
          "the row pitch is less than a row or no multiple of the texel's size");
    check(row <= buffer.size(), CL_INVALID_IMAGE_DESCRIPTOR, "the buffer has not so many texels");
    const auto address = reinterpret_cast<std::uintptr_t>(buffer.hostPointer());
    return check(
        !buffer.storage().isShared() || address % texel == 0 ||
            !anyDevice(context, [](const Device&, const ImageLimits& limits) { return limits.needAlignedTexels; }),
        CL_INVALID_IMAGE_DESCRIPTOR, "a device needs texels that are aligned in shared memory");
  }
  // The rules of these pitches have an error of their own.
  shape.rowPitch = desc.image_row_pitch ? desc.image_row_pitch : row;
  check(shape.rowPitch >= row &&
            shape.rowPitch % (largestAlignment(context, &ImageLimits::pitchAlignment) * texel) == 0,
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        "the pitch is less than a row or no multiple of CL_DEVICE_IMAGE_PITCH_ALIGNMENT");
  check(buffer.size() / shape.rowPitch >= shape.height, CL_INVALID_IMAGE_DESCRIPTOR, "the buffer has not so many rows");
  // Buffers with memory of their own are aligned for every type.
  const auto address = reinterpret_cast<std::uintptr_t>(buffer.hostPointer());
  check(address % (largestAlignment(context, &ImageLimits::baseAlignment) * texel) == 0,
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR,
        "the host pointer is not aligned to CL_DEVICE_IMAGE_BASE_ADDRESS_ALIGNMENT");
}

/// A view of another 2D image: the same texels with another channel order. All else is as queries tell it.
void parseInImage(const Image& image, const cl_image_desc& desc, ImageShape& shape) {
  check(desc.image_type == CL_MEM_OBJECT_IMAGE2D && image.type() == CL_MEM_OBJECT_IMAGE2D, CL_INVALID_IMAGE_DESCRIPTOR,
        "only 2D images are made from images, and only from 2D images");
  const ImageShape& parent = image.shape();
  check(parent.format.image_channel_data_type == shape.format.image_channel_data_type &&
            isCompatible(shape.format.image_channel_order, parent.format.image_channel_order),
        CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the texels cannot be seen in this format");
  const bool matches = desc.image_width == parent.width && desc.image_height == parent.height &&
                       (desc.image_row_pitch == 0 || desc.image_row_pitch == image.rowPitch()) &&
                       desc.image_slice_pitch == 0 && desc.num_mip_levels == parent.mipLevels && desc.num_samples == 0;
  check(matches, CL_INVALID_IMAGE_FORMAT_DESCRIPTOR, "the description is not that of the image");
  const cl_image_format format = shape.format;
  shape = parent;
  shape.format = format;
}

/// An image of another memory object's bytes.
cl_mem createView(std::vector<cl_mem_properties>&& properties, cl_mem_flags flags, ImageShape& shape,
                  const cl_image_desc& desc, const void* hostPointer, MemoryObject& parent) {
  check(!hostPointer, CL_INVALID_HOST_PTR, "a host pointer beside a memory object");
  if (const Image* image = parent.image())
    parseInImage(*image, desc, shape);
  else
    parseInBuffer(parent, desc, shape);
  checkSupported(shape);
  return handOut(make<MemoryObject>(parent, flags, shape, std::move(properties)));
}

cl_mem createImage(Context& context, MemoryProperties properties, cl_mem_flags flags, const cl_image_format* rawFormat,
                   const cl_image_desc* desc, void* hostPointer) {
  checkHasImages(context);
  Ref<MemoryObject> parent;
  const bool isView = desc && desc->mem_object, isExternal = properties.external.has_value();
  if (isExternal) checkExternal(flags, hostPointer);
  check(!isView || !isExternal, CL_INVALID_IMAGE_DESCRIPTOR, "a memory object beside external memory");
  if (isView) {
    // The flags' rules need the parent, which the description names.
    try {
      parent = object(desc->mem_object);
    } catch (const Error&) {
      throw Error{CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is no memory object"};
    }
    check(&parent->context() == &context, CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is of another context");
    check(!parent->pipe(), CL_INVALID_IMAGE_DESCRIPTOR, "mem_object is a pipe");
    flags = viewFlags(*parent, flags);
  } else {
    flags = ownFlags(flags, isExternal);
  }
  parseFormat(rawFormat);
  check(desc && isImageType(desc->image_type), CL_INVALID_IMAGE_DESCRIPTOR, "no description, or of no image");
  ImageShape shape;
  shape.format = *rawFormat;
  if (isView) return createView(std::move(properties.list), flags, shape, *desc, hostPointer, *parent);
  return createOwn(context, std::move(properties), flags, shape, *desc, hostPointer);
}

/// The calls of OpenCL 1.0 and 1.1, whose pitches and sizes have an error of their own.
cl_mem createLegacy(Context& context, cl_mem_flags flags, const cl_image_format* format, const cl_image_desc& desc,
                    void* hostPointer) {
  try {
    return createImage(context, {}, flags, format, &desc, hostPointer);
  } catch (const Error& error) {
    throw Error{error.code == CL_INVALID_IMAGE_DESCRIPTOR ? CL_INVALID_IMAGE_SIZE : error.code, error.why};
  }
}

} // namespace

cl_mem CL_API_CALL clCreateImage(cl_context rawContext, cl_mem_flags flags, const cl_image_format* format,
                                 const cl_image_desc* desc, void* hostPointer, cl_int* status) {
  return create(status, [&] { return createImage(*object(rawContext), {}, flags, format, desc, hostPointer); });
}

cl_mem CL_API_CALL clCreateImageWithProperties(cl_context rawContext, const cl_mem_properties* properties,
                                               cl_mem_flags flags, const cl_image_format* format,
                                               const cl_image_desc* desc, void* hostPointer, cl_int* status) {
  return create(status, [&] {
    const Ref<Context> context = object(rawContext);
    checkHasImages(*context);
    return createImage(*context, parseImageProperties(*context, properties), flags, format, desc, hostPointer);
  });
}

cl_mem CL_API_CALL clCreateImage2D(cl_context rawContext, cl_mem_flags flags, const cl_image_format* format,
                                   size_t width, size_t height, size_t rowPitch, void* hostPointer, cl_int* status) {
  return create(status, [&] {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE2D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_row_pitch = rowPitch;
    return createLegacy(*object(rawContext), flags, format, desc, hostPointer);
  });
}

cl_mem CL_API_CALL clCreateImage3D(cl_context rawContext, cl_mem_flags flags, const cl_image_format* format,
                                   size_t width, size_t height, size_t depth, size_t rowPitch, size_t slicePitch,
                                   void* hostPointer, cl_int* status) {
  return create(status, [&] {
    cl_image_desc desc{};
    desc.image_type = CL_MEM_OBJECT_IMAGE3D;
    desc.image_width = width;
    desc.image_height = height;
    desc.image_depth = depth;
    desc.image_row_pitch = rowPitch;
    desc.image_slice_pitch = slicePitch;
    return createLegacy(*object(rawContext), flags, format, desc, hostPointer);
  });
}

cl_int CL_API_CALL clGetSupportedImageFormats(cl_context rawContext, cl_mem_flags flags, cl_mem_object_type type,
                                              cl_uint entries, cl_image_format* formats, cl_uint* count) {
  return call([&] {
    const Ref<Context> context = object(rawContext);
    // This flag is of this query alone.
    checkFlags(flags & ~cl_mem_flags{CL_MEM_KERNEL_READ_AND_WRITE});
    check(isImageType(type), CL_INVALID_VALUE, "not a type of images");
    check(!formats || entries > 0, CL_INVALID_VALUE, "a list without entries");
    // Images that kernels read can be written as well, and both at once, so that the list is the same for all flags.
    std::vector<cl_image_format> found;
    if (anyDevice(*context, [](const Device&, const ImageLimits&) { return true; })) found = supportedFormats(type);
    if (formats) std::copy_n(found.begin(), std::min<std::size_t>(entries, found.size()), formats);
    if (count) *count = static_cast<cl_uint>(found.size());
  });
}

cl_int CL_API_CALL clGetImageInfo(cl_mem rawImage, cl_image_info name, size_t size, void* value, size_t* sizeReturned) {
  return call([&] {
    const Ref<MemoryObject> memory = object(rawImage);
    check(memory->image(), CL_INVALID_MEM_OBJECT, "not an image");
    const Image& image = *memory->image();
    const ImageShape& shape = image.shape();
    MemoryObject* parent = memory->parent();
    const bool hasHeight = image.dimensions() == 3 || shape.type == CL_MEM_OBJECT_IMAGE2D;
    InfoSink out(size, value, sizeReturned);
    switch (name) {
    case CL_IMAGE_FORMAT: return out.put<cl_image_format>(shape.format);
    case CL_IMAGE_ELEMENT_SIZE: return out.put<size_t>(image.texelBytes());
    case CL_IMAGE_ROW_PITCH: return out.put<size_t>(image.rowPitch());
    case CL_IMAGE_SLICE_PITCH: return out.put<size_t>(image.slicePitch());
    case CL_IMAGE_WIDTH: return out.put<size_t>(shape.width);
    case CL_IMAGE_HEIGHT: return out.put<size_t>(hasHeight ? shape.height : 0);
    case CL_IMAGE_DEPTH: return out.put<size_t>(shape.type == CL_MEM_OBJECT_IMAGE3D ? shape.depth : 0);
    case CL_IMAGE_ARRAY_SIZE: return out.put<size_t>(image.isArray() ? shape.layers : 0);
    case CL_IMAGE_BUFFER: return out.put<cl_mem>(parent && !parent->image() ? parent : nullptr);
    case CL_IMAGE_NUM_MIP_LEVELS: return out.put<cl_uint>(shape.mipLevels);
    case CL_IMAGE_NUM_SAMPLES: return out.put<cl_uint>(0);
    default: throw Error{CL_INVALID_VALUE, "unknown cl_image_info"};
    }
  });
}

} // namespace clotho::api
