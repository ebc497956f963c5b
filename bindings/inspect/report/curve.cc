// See curve.h.
#include "bindings/inspect/report/curve.h"

#include <algorithm>
#include <array>
#include <cmath>
#include <cstdint>
#include <cstdio>
#include <vector>

#include "bindings/inspect/figures.h"
#include "bindings/inspect/report/html.h"

namespace gibbous::report {
namespace {

constexpr std::size_t kMaxPoints = 240;
constexpr double kWidth = 1'000;
constexpr double kHeight = 100;

struct Point {
  std::int64_t at = 0;
  double value = 0;
};

// A number with the precision of a chart.
std::string number(double value) {
  std::array<char, 32> text{};
  std::snprintf(text.data(), text.size(), "%.1f", value);
  return text.data();
}

// Returns at most kMaxPoints, each the maximum of its part, so that no peak is lost.
std::vector<Point> thinned(const std::vector<Point>& points) {
  if (points.size() <= kMaxPoints) return points;
  std::vector<Point> few;
  for (std::size_t share = 0; share < kMaxPoints; ++share) {
    const auto begin =
        points.begin() + static_cast<std::ptrdiff_t>(share * points.size() / kMaxPoints);
    const auto end =
        points.begin() + static_cast<std::ptrdiff_t>((share + 1) * points.size() / kMaxPoints);
    few.push_back(*std::max_element(begin, end, [](const Point& left, const Point& right) {
      return left.value < right.value;
    }));
  }
  return few;
}

// The percentage of one processor between two samples.
std::vector<Point> processor_points(std::span<const UsageSample> samples) {
  constexpr double kWhole = 100;
  std::vector<Point> points;
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const std::int64_t time = samples[i].at - samples[i - 1].at;
    const std::int64_t used = samples[i].cpu_ms - samples[i - 1].cpu_ms;
    if (time <= 0) continue;
    points.push_back({samples[i].at, kWhole * static_cast<double>(std::max<std::int64_t>(used, 0)) /
                                         static_cast<double>(time)});
  }
  return points;
}

std::vector<Point> memory_points(std::span<const UsageSample> samples) {
  std::vector<Point> points;
  for (const UsageSample& sample : samples) {
    points.push_back({sample.at, static_cast<double>(sample.rss_bytes)});
  }
  return points;
}

template <typename Label>
std::string chart(const char* kind, const char* title, const std::vector<Point>& all, Label label) {
  const std::vector<Point> points = thinned(all);
  const std::int64_t begin = points.front().at;
  const double span = std::max<double>(static_cast<double>(points.back().at - begin), 1);
  double peak = 0;
  for (const Point& point : points) peak = std::max(peak, point.value);
  std::string line;
  std::string tips;
  for (const Point& point : points) {
    const double x = static_cast<double>(point.at - begin) / span;
    const double y = peak > 0 ? point.value / peak : 0;
    if (!line.empty()) line += ' ';
    line += number(x * kWidth) + "," + number(kHeight - y * kHeight);
    if (!tips.empty()) tips += '|';
    tips += number(x * kWidth) + ";" + inspect::duration_text(point.at - begin) + ": " +
            label(point.value);
  }
  const std::string floor = number(kHeight);
  std::string html = "<figure class=\"curve ";
  html.append(kind).append("\" data-points=\"").append(tips).append("\"><figcaption>");
  html.append(title).append(" <b>").append(label(peak)).append("</b> at most</figcaption>");
  html += "<svg viewBox=\"0 0 1000 100\" preserveAspectRatio=\"none\" role=\"img\">";
  html.append("<polygon points=\"0,").append(floor).append(" ").append(line);
  html.append(" 1000,").append(floor).append("\"/><polyline points=\"").append(line);
  html += "\"/></svg><div class=\"span\"><span>0</span><span>";
  html += inspect::duration_text(points.back().at - begin);
  return html + "</span></div></figure>";
}

}  // namespace

std::string curves_html(std::span<const UsageSample> samples) {
  constexpr std::size_t kFewest = 2;
  const std::vector<Point> processor = processor_points(samples);
  if (samples.size() < kFewest || processor.size() < kFewest) return "";
  return "<div class=\"curves\">" +
         chart("cpu", "Processor", processor,
               [](double value) { return std::to_string(std::lround(value)) + " %"; }) +
         chart(
             "memory", "Memory", memory_points(samples),
             [](double value) { return inspect::bytes_text(static_cast<std::uint64_t>(value)); }) +
         "</div>";
}

}  // namespace gibbous::report
