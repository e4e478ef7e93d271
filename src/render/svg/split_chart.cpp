#include "render/svg/split_chart.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "base/text.h"
#include "lower/condition.h"
#include "render/text/condition.h"

namespace softwood::render {
namespace {

constexpr double plot_height = split_chart_height - 16;  // without the numbers under it
constexpr double number_size = 9.5;
constexpr size_t most_terms = 4;

class SplitChart {
 public:
  SplitChart(Canvas& canvas, const ChartFrame& frame, const LoweredTree& tree, uint32_t node,
             const NodeRows& rows)
      : canvas_(canvas), frame_(frame), tree_(tree), node_(node), rows_(rows) {
    const auto& condition = tree.nodes[node].split->condition;
    score_ = std::get_if<LoweredScore>(&condition);
    if (score_ != nullptr) soft_ = soft_range(*score_);
    if (node < rows.histograms.size() && rows.histograms[node]) {
      histogram_ = &*rows.histograms[node];
      low_ = histogram_->low;
      high_ = histogram_->high;
    } else if (soft_) {
      double width = soft_->high - soft_->low;
      if (!(width > 0)) width = std::max(1.0, std::fabs(soft_->half));
      low_ = soft_->low - 0.4 * width;
      high_ = soft_->high + 0.4 * width;
    }
  }

  void draw() {
    if (soft_) draw_soft_range();
    if (histogram_ != nullptr) {
      if (!histogram_->points.empty()) {
        draw_points();
      } else if (!histogram_->bins.empty()) {
        draw_bins();
      }
    }
    canvas_.line({left(), base()}, {left() + frame_.width, base()}, "class=\"axis\"");
    if (soft_) draw_link();
    draw_cuts();
    draw_numbers();
    draw_row();
  }

 private:
  double left() const { return frame_.x; }
  double base() const { return frame_.y + plot_height; }
  double cut() const { return score_->cut / value_factor(*score_); }
  double place(double value) const {
    const double share = high_ > low_ ? (value - low_) / (high_ - low_) : 0.5;
    return left() + frame_.width * std::clamp(share, 0.0, 1.0);
  }

  void draw_soft_range() {
    canvas_.rectangle(place(soft_->low), frame_.y, place(soft_->high) - place(soft_->low),
                      plot_height, "class=\"hot\" opacity=\"0.15\"");
  }

  void draw_bins() {
    double most = 0;
    for (const std::vector<double>& bin : histogram_->bins) {
      double sum = 0;
      for (const double count : bin) sum += count;
      most = std::max(most, sum);
    }
    const double width = frame_.width / static_cast<double>(histogram_->bins.size());
    const double gap = width > 3 ? 0.5 : 0;
    const bool by_class = histogram_->bins[0].size() > 1;
    for (size_t b = 0; b < histogram_->bins.size(); ++b) {
      double y = base();
      if (!histogram_->levels.empty()) {
        canvas_.open_group("");
        canvas_.title(histogram_->levels[b]);
      }
      for (size_t k = 0; k < histogram_->bins[b].size(); ++k) {
        const double height = most > 0 ? plot_height * histogram_->bins[b][k] / most : 0;
        if (height < 0.05) continue;
        y -= height;
        canvas_.rectangle(left() + static_cast<double>(b) * width, y, width - gap, height,
                          by_class ? fmt::format("fill=\"{}\"", class_colour(k))
                                   : "class=\"mark\" opacity=\"0.6\"");
      }
      if (!histogram_->levels.empty()) canvas_.close_group();
    }
  }

  void draw_points() {
    const auto [low, high] =
        std::minmax_element(histogram_->points.begin(), histogram_->points.end(),
                            [](const Point& a, const Point& b) { return a.y < b.y; });
    const double least = low->y, range = high->y - low->y;
    const auto height = [&](double answer) {
      const double share = range > 0 ? std::clamp((answer - least) / range, 0.0, 1.0) : 0.5;
      return base() - 2 - (plot_height - 4) * share;
    };
    for (const Point& point : histogram_->points) {
      canvas_.circle(place(point.x), height(point.y), 1.3, "class=\"mark\" opacity=\"0.5\"");
    }
    for (const NodeHistogram::Mean& mean : histogram_->means) {
      canvas_.line({place(mean.low), height(mean.answer)}, {place(mean.high), height(mean.answer)},
                   "class=\"cut\" stroke-dasharray=\"4 2\"");
    }
  }

  // The weight of the first child.
  void draw_link() {
    const double factor = value_factor(*score_);
    std::vector<Point> points;
    constexpr int steps = 48;
    for (int i = 0; i <= steps; ++i) {
      const double value = low_ + (high_ - low_) * i / steps;
      const double weight = first_child_weight(*score_, value * factor);
      points.push_back({place(value), base() - plot_height * weight});
    }
    canvas_.polyline(points, histogram_ == nullptr ? "class=\"curve\"" : "class=\"ring\"");
  }

  void draw_cuts() {
    const auto draw = [&](double value) {
      canvas_.line({place(value), frame_.y}, {place(value), base()}, "class=\"cut\"");
    };
    if (score_ != nullptr && score_->link == LinkKind::step) draw(cut());
    if (histogram_ == nullptr) return;
    for (const double divider : histogram_->dividers) draw(divider);
  }

  // Numbers under the axis: those of the soft range or the cut first, then the ends where they fit.
  void draw_numbers() {
    if (score_ == nullptr) return;
    std::vector<double> values;
    const LoweredInput& input = tree_.inputs[score_->terms[0].input];
    // Of an ordinal input the levels at the ends.
    const bool ordinal = !is_sum(*score_) && !input.levels.empty();
    if (ordinal) {
      if (histogram_ == nullptr) return;
    } else if (soft_) {
      values = {soft_->low, soft_->high};
    } else {
      values = {cut()};
    }
    if (histogram_ != nullptr) values.insert(values.end(), {low_, high_});
    std::vector<std::pair<double, double>> taken;
    for (size_t i = 0; i < values.size(); ++i) {
      const std::string text =
          ordinal ? fitted_text(printable(input.levels[static_cast<size_t>(values[i])]),
                                number_size, frame_.width / 2 - 4)
                  : short_number(values[i], 3);
      const double half = text_width(text, number_size) / 2;
      if (!(values[i] >= low_ && values[i] <= high_) || 2 * half > frame_.width) continue;
      const double at = std::clamp(place(values[i]), left() + half, left() + frame_.width - half);
      const bool free = std::all_of(taken.begin(), taken.end(), [&](const auto& other) {
        return at - half > other.second + 3 || at + half < other.first - 3;
      });
      if (!free) continue;
      taken.emplace_back(at - half, at + half);
      const bool is_end = values.size() - i <= 2 && histogram_ != nullptr;
      canvas_.text(at, base() + 11, text, {number_size, Anchor::middle, is_end ? "muted" : ""});
    }
  }

  void draw_row() {
    if (node_ >= rows_.value.size() || std::isnan(rows_.value[node_])) return;
    if (!(rows_.share[node_] > 0)) return;
    const double x = place(rows_.value[node_]);
    canvas_.polygon({{x, base() - 1}, {x - 4.5, base() - 9}, {x + 4.5, base() - 9}},
                    "class=\"hot dot\"");
  }

  Canvas& canvas_;
  const ChartFrame& frame_;
  const LoweredTree& tree_;
  uint32_t node_;
  const NodeRows& rows_;
  const LoweredScore* score_ = nullptr;
  const NodeHistogram* histogram_ = nullptr;
  std::optional<SoftInterval> soft_;
  double low_ = 0, high_ = 0;
};

double effect(const LoweredTerm& term) {
  return term.coefficient * (term.spread > 0 ? term.spread : 1);
}

// What the term is about; its centre and scale are for the rules.
std::string term_name(const LoweredTree& tree, const LoweredTerm& term) {
  if (term.kind == TermKind::asinh) return fmt::format("asinh {}", tree.inputs[term.input].name);
  LoweredTerm plain = term;
  plain.coefficient = 1;
  return terms_text(tree, std::vector<LoweredTerm>{plain}, true);
}

}  // namespace

void draw_split_chart(Canvas& canvas, const ChartFrame& frame, const LoweredTree& tree,
                      uint32_t node, const NodeRows& rows) {
  SplitChart(canvas, frame, tree, node, rows).draw();
}

bool is_sum(const LoweredScore& score) {
  return score.terms.size() > 1 || score.terms[0].kind != TermKind::value;
}

size_t term_lines(const LoweredScore& score) { return std::min(score.terms.size(), most_terms); }

void draw_terms(Canvas& canvas, const ChartFrame& frame, const LoweredTree& tree,
                const LoweredScore& score) {
  // By their effect, the largest first.
  std::vector<const LoweredTerm*> terms;
  for (const LoweredTerm& term : score.terms) terms.push_back(&term);
  std::stable_sort(terms.begin(), terms.end(), [](const LoweredTerm* a, const LoweredTerm* b) {
    return std::fabs(effect(*a)) > std::fabs(effect(*b));
  });
  const double names = frame.width * 0.55, most = std::fabs(effect(*terms[0]));
  const double zero = frame.x + names + (frame.width - names) / 2;
  double y = frame.y;
  for (size_t t = 0; t < term_lines(score); ++t, y += term_height) {
    if (t + 1 == most_terms && terms.size() > most_terms) {
      canvas.text(frame.x, y + 10, fmt::format("… {} more", terms.size() - most_terms + 1),
                  {10, Anchor::start, "muted", frame.width});
      break;
    }
    canvas.text(frame.x, y + 10, term_name(tree, *terms[t]), {10, Anchor::start, "", names - 4});
    const double width = most > 0 ? (frame.width - names) / 2 * effect(*terms[t]) / most : 0;
    canvas.rectangle(std::min(zero, zero + width), y + 3, std::fabs(width), 8,
                     width < 0 ? "class=\"hot\"" : "class=\"mark\"");
    canvas.line({zero, y + 1}, {zero, y + 13}, "class=\"axis\"");
  }
}

}  // namespace softwood::render
