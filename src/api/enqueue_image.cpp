// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// Commands that work with images: read, write, copy, fill, copies between images and buffers, and maps.
#include "api/commands.hpp"
#include "api/image_region.hpp"
#include "api/memory_flags.hpp"
#include "runtime/memory/image_formats.hpp"

#include <array>

namespace clotho::api {

namespace {

/// The texels of a region in the host's memory (section 5.3.3). 1D images and 2D images have no slices.
ByteRegion inHostMemory(const Image& image, const ImageRegion& region, size_t rowPitch, size_t slicePitch) {
  const size_t row = region.size[0] * image.texelBytes();
  if (rowPitch == 0) rowPitch = row;
  check(rowPitch >= row, CL_INVALID_VALUE, "the row pitch is less than a row");
  const bool hasSlices = image.isArray() || image.type() == CL_MEM_OBJECT_IMAGE3D;
  check(hasSlices || slicePitch == 0, CL_INVALID_VALUE, "a slice pitch for an image without slices");
  const bool areRowsLayers = image.type() == CL_MEM_OBJECT_IMAGE1D_ARRAY;
  size_t leastSlice, end;
  const bool isCountable =
      !__builtin_mul_overflow(rowPitch, areRowsLayers ? 1 : region.size[1], &leastSlice) &&
      !__builtin_mul_overflow(std::max(slicePitch, leastSlice), areRowsLayers ? region.size[1] : region.size[2], &end);
  check(isCountable, CL_INVALID_VALUE, "the pitches are more than any memory has room for");
  if (slicePitch == 0) slicePitch = leastSlice;
  check(slicePitch >= leastSlice, CL_INVALID_VALUE, "the slice pitch is less than a slice");
  return {0, row, region.size[1], region.size[2], areRowsLayers ? slicePitch : rowPitch, slicePitch};
}

/// CL_INVALID_MEM_OBJECT for a copy between a 1D image buffer and the buffer that it is made from.
void checkNotItsBuffer(const MemoryObject& image, const MemoryObject& buffer) {
  check(image.image()->type() != CL_MEM_OBJECT_IMAGE1D_BUFFER || image.parent() != &buffer, CL_INVALID_MEM_OBJECT,
        "the image is made from the buffer");
}

} // namespace

cl_int CL_API_CALL clEnqueueReadImage(cl_command_queue rawQueue, cl_mem rawImage, cl_bool blocking,
                                      const size_t* rawOrigin, const size_t* rawRegion, size_t rowPitch,
                                      size_t slicePitch, void* pointer, cl_uint waitCount, const cl_event* waitEvents,
                                      cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> memory = imageFor(*queue, rawImage);
    const Image& image = *memory->image();
    const ImageRegion region = parseImageRegion(image, rawOrigin, rawRegion);
    check(pointer, CL_INVALID_VALUE, "nowhere to read to");
    const ByteRegion inHost = inHostMemory(image, region, rowPitch, slicePitch);
    Waits waits(queue->context(), waitCount, waitEvents);
    checkImagesFor(*queue, {memory.get()});
    checkHostReads(*memory);
    Command command = copyCommand(inMemory(*queue, memory, bytesOf(image, region)), onHost(pointer, inHost));
    finish(queue->submit(CL_COMMAND_READ_IMAGE, std::move(command), waits), blocking, out);
  });
}

cl_int CL_API_CALL clEnqueueWriteImage(cl_command_queue rawQueue, cl_mem rawImage, cl_bool blocking,
                                       const size_t* rawOrigin, const size_t* rawRegion, size_t rowPitch,
                                       size_t slicePitch, const void* pointer, cl_uint waitCount,
                                       const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> memory = imageFor(*queue, rawImage);
    const Image& image = *memory->image();
    const ImageRegion region = parseImageRegion(image, rawOrigin, rawRegion);
    check(pointer, CL_INVALID_VALUE, "nothing to write");
    const ByteRegion inHost = inHostMemory(image, region, rowPitch, slicePitch);
    Waits waits(queue->context(), waitCount, waitEvents);
    checkImagesFor(*queue, {memory.get()});
    checkHostWrites(*memory);
    Command command = copyCommand(onHost(pointer, inHost), inMemory(*queue, memory, bytesOf(image, region)));
    finish(queue->submit(CL_COMMAND_WRITE_IMAGE, std::move(command), waits), blocking, out);
  });
}

Command copyImage(const Queue& queue, cl_mem rawSource, cl_mem rawTarget, const size_t* sourceOrigin,
                  const size_t* targetOrigin, const size_t* rawRegion) {
  const Ref<MemoryObject> source = imageFor(queue, rawSource);
  const Ref<MemoryObject> target = imageFor(queue, rawTarget);
  const cl_image_format from = source->image()->shape().format, to = target->image()->shape().format;
  check(from.image_channel_order == to.image_channel_order &&
            from.image_channel_data_type == to.image_channel_data_type,
        CL_IMAGE_FORMAT_MISMATCH, "the images have different formats");
  const ByteRegion sourceBytes = bytesOf(*source->image(), parseImageRegion(*source->image(), sourceOrigin, rawRegion));
  const ByteRegion targetBytes = bytesOf(*target->image(), parseImageRegion(*target->image(), targetOrigin, rawRegion));
  checkImagesFor(queue, {source.get(), target.get()});
  checkMutable(*target);
  check(!source->overlaps(sourceBytes, *target, targetBytes), CL_MEM_COPY_OVERLAP,
        "source and target have texels in common");
  Command command = copyCommand(inMemory(queue, source, sourceBytes), inMemory(queue, target, targetBytes));
  // No byte is on both sides, so the order of rows does not matter even where the bounds overlap.
  std::get<Copy>(command).mayOverlap = false;
  return command;
}

// The image's flags for kernels and the host do not matter here (section 5.3.4).
Command fillImage(const Queue& queue, cl_mem rawImage, const void* colour, const size_t* rawOrigin,
                  const size_t* rawRegion) {
  const Ref<MemoryObject> memory = imageFor(queue, rawImage);
  const Image& image = *memory->image();
  check(colour, CL_INVALID_VALUE, "no colour");
  const ImageRegion region = parseImageRegion(image, rawOrigin, rawRegion);
  checkImagesFor(queue, {memory.get()});
  checkMutable(*memory);
  std::array<std::byte, 16> texel;
  packColour(image.format(), colour, texel.data());
  return fillCommand(inMemory(queue, memory, bytesOf(image, region)), texel.data(), image.texelBytes());
}

Command copyImageToBuffer(const Queue& queue, cl_mem rawImage, cl_mem rawBuffer, const size_t* rawOrigin,
                          const size_t* rawRegion, size_t offset) {
  const Ref<MemoryObject> memory = imageFor(queue, rawImage);
  const Ref<MemoryObject> buffer = bufferFor(queue, rawBuffer);
  checkNotItsBuffer(*memory, *buffer);
  const Image& image = *memory->image();
  const ImageRegion region = parseImageRegion(image, rawOrigin, rawRegion);
  const ByteRegion inBuffer = tightIn(*buffer, offset, image, region);
  checkImagesFor(queue, {memory.get()});
  checkMutable(*buffer);
  return copyCommand(inMemory(queue, memory, bytesOf(image, region)), inMemory(queue, buffer, inBuffer));
}

Command copyBufferToImage(const Queue& queue, cl_mem rawBuffer, cl_mem rawImage, size_t offset, const size_t* rawOrigin,
                          const size_t* rawRegion) {
  const Ref<MemoryObject> buffer = bufferFor(queue, rawBuffer);
  const Ref<MemoryObject> memory = imageFor(queue, rawImage);
  checkNotItsBuffer(*memory, *buffer);
  const Image& image = *memory->image();
  const ImageRegion region = parseImageRegion(image, rawOrigin, rawRegion);
  const ByteRegion inBuffer = tightIn(*buffer, offset, image, region);
  checkImagesFor(queue, {memory.get()});
  checkMutable(*memory);
  return copyCommand(inMemory(queue, buffer, inBuffer), inMemory(queue, memory, bytesOf(image, region)));
}

cl_int CL_API_CALL clEnqueueCopyImage(cl_command_queue rawQueue, cl_mem rawSource, cl_mem rawTarget,
                                      const size_t* sourceOrigin, const size_t* targetOrigin, const size_t* rawRegion,
                                      cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Command command = copyImage(*queue, rawSource, rawTarget, sourceOrigin, targetOrigin, rawRegion);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_COPY_IMAGE, std::move(command), waits, out != nullptr), out);
  });
}

cl_int CL_API_CALL clEnqueueFillImage(cl_command_queue rawQueue, cl_mem rawImage, const void* colour,
                                      const size_t* rawOrigin, const size_t* rawRegion, cl_uint waitCount,
                                      const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Command command = fillImage(*queue, rawImage, colour, rawOrigin, rawRegion);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_FILL_IMAGE, std::move(command), waits, out != nullptr), out);
  });
}

cl_int CL_API_CALL clEnqueueCopyImageToBuffer(cl_command_queue rawQueue, cl_mem rawImage, cl_mem rawBuffer,
                                              const size_t* rawOrigin, const size_t* rawRegion, size_t offset,
                                              cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Command command = copyImageToBuffer(*queue, rawImage, rawBuffer, rawOrigin, rawRegion, offset);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_COPY_IMAGE_TO_BUFFER, std::move(command), waits, out != nullptr), out);
  });
}

cl_int CL_API_CALL clEnqueueCopyBufferToImage(cl_command_queue rawQueue, cl_mem rawBuffer, cl_mem rawImage,
                                              size_t offset, const size_t* rawOrigin, const size_t* rawRegion,
                                              cl_uint waitCount, const cl_event* waitEvents, cl_event* out) {
  return call([&] {
    const Ref<Queue> queue = object(rawQueue);
    Command command = copyBufferToImage(*queue, rawBuffer, rawImage, offset, rawOrigin, rawRegion);
    Waits waits(queue->context(), waitCount, waitEvents);
    give(queue->submit(CL_COMMAND_COPY_BUFFER_TO_IMAGE, std::move(command), waits, out != nullptr), out);
  });
}

void* CL_API_CALL clEnqueueMapImage(cl_command_queue rawQueue, cl_mem rawImage, cl_bool blocking, cl_map_flags flags,
                                    const size_t* rawOrigin, const size_t* rawRegion, size_t* rowPitch,
                                    size_t* slicePitch, cl_uint waitCount, const cl_event* waitEvents, cl_event* out,
                                    cl_int* status) {
  return create(status, [&] {
    const Ref<Queue> queue = object(rawQueue);
    const Ref<MemoryObject> memory = imageFor(*queue, rawImage);
    const Image& image = *memory->image();
    const ImageRegion region = parseImageRegion(image, rawOrigin, rawRegion);
    checkMapFlags(flags);
    checkMappable(*memory, flags);
    const bool hasSlices = image.isArray() || image.type() == CL_MEM_OBJECT_IMAGE3D;
    check(rowPitch, CL_INVALID_VALUE, "nowhere to put the row pitch");
    check(slicePitch || !hasSlices, CL_INVALID_VALUE, "nowhere to put the slice pitch");
    Waits waits(queue->context(), waitCount, waitEvents);
    checkImagesFor(*queue, {memory.get()});
    void* pointer =
        enqueueMap(CL_COMMAND_MAP_IMAGE, *queue, memory, bytesOf(image, region), flags, waits, blocking, out);
    *rowPitch = image.storedRowPitch(region.level);
    if (slicePitch) *slicePitch = hasSlices ? image.storedSlicePitch(region.level) : 0;
    return pointer;
  });
}

} // namespace clotho::api
