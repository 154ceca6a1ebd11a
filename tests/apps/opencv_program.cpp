// SPDX-License-Identifier: Apache-2.0 WITH LLVM-exception
// OpenCV's functions on the OpenCL device (UMat) beside the same on the host (Mat). Resizing with linear interpolation
// and optical flow read images; the rest works on buffers.
#include <cstdio>
#include <opencv2/core/ocl.hpp>
#include <opencv2/imgproc.hpp>
#include <opencv2/video/tracking.hpp>

namespace {

bool good = true;

void compare(const char* what, const cv::UMat& ours, const cv::Mat& theirs, double tolerance) {
  const double difference = cv::norm(ours.getMat(cv::ACCESS_READ), theirs, cv::NORM_INF);
  std::printf("%s: differs by %g at most\n", what, difference);
  good &= difference <= tolerance;
}

/// A picture with edges, gradients and noise.
cv::Mat picture(int width, int height, int type) {
  cv::Mat made(height, width, type);
  cv::RNG random(7);
  random.fill(made, cv::RNG::UNIFORM, 0, 60);
  for (int i = 0; i < 60; ++i)
    cv::circle(made, {random.uniform(0, width), random.uniform(0, height)}, random.uniform(4, 40),
               cv::Scalar(random.uniform(0, 255), random.uniform(0, 255), random.uniform(0, 255), 200), cv::FILLED);
  cv::GaussianBlur(made, made, {5, 5}, 0);
  return made;
}

} // namespace

int main() {
  cv::ocl::setUseOpenCL(true);
  const cv::ocl::Device& device = cv::ocl::Device::getDefault();
  std::printf("OpenCV on %s, images: %s\n", device.name().c_str(), device.imageSupport() ? "yes" : "no");
  if (!cv::ocl::useOpenCL() || !device.imageSupport()) return 1;

  for (int type : {CV_8UC1, CV_8UC4, CV_16UC1, CV_32FC1, CV_32FC4}) {
    cv::Mat source = picture(640, 480, CV_8UC(CV_MAT_CN(type))), theirs;
    source.convertTo(source, type);
    cv::UMat device, ours;
    source.copyTo(device);
    for (cv::Size size : {cv::Size(321, 200), cv::Size(1001, 777)}) {
      cv::resize(device, ours, size, 0, 0, cv::INTER_LINEAR);
      cv::resize(source, theirs, size, 0, 0, cv::INTER_LINEAR);
      compare(("resize of " + cv::typeToString(type)).c_str(), ours, theirs, CV_MAT_DEPTH(type) == CV_32F ? 0.05 : 1);
    }
    cv::GaussianBlur(device, ours, {9, 9}, 2);
    cv::GaussianBlur(source, theirs, {9, 9}, 2);
    compare("  blur", ours, theirs, CV_MAT_DEPTH(type) == CV_32F ? 0.01 : 1);
  }

  // Optical flow: where points of a picture are in the next, which is moved a little.
  const cv::Mat first = picture(640, 480, CV_8UC1);
  cv::Mat second;
  const cv::Matx23f move(1, 0, 3.25F, 0, 1, -2.5F);
  cv::warpAffine(first, second, move, first.size());
  std::vector<cv::Point2f> points, found;
  cv::goodFeaturesToTrack(first, points, 60, 0.01, 20, cv::noArray(), 5);
  std::vector<unsigned char> status;
  cv::UMat deviceFirst = first.getUMat(cv::ACCESS_READ).clone(), deviceSecond = second.getUMat(cv::ACCESS_READ).clone();
  cv::UMat deviceFound, deviceStatus;
  cv::calcOpticalFlowPyrLK(deviceFirst, deviceSecond, points, deviceFound, deviceStatus, cv::noArray());
  deviceFound.getMat(cv::ACCESS_READ).reshape(2, 1).copyTo(found);
  deviceStatus.getMat(cv::ACCESS_READ).reshape(1, 1).copyTo(status);
  int right = 0, seen = 0;
  for (std::size_t i = 0; i < points.size(); ++i) {
    const cv::Point2f &p = points[i], moved = p + cv::Point2f(3.25F, -2.5F);
    if (moved.x < 30 || moved.y < 30 || moved.x > 610 || moved.y > 450) continue;
    ++seen;
    right += status[i] && cv::norm(found[i] - moved) < 0.25;
  }
  std::printf("optical flow: %d of %d points where they are\n", right, seen);
  good &= seen > 20 && right >= seen * 9 / 10;
  return good ? 0 : 1;
}
