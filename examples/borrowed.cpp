// Trains on columns that the program has in memory, without copying them; reports progress, and
// stops when the tree is good enough. Build it against the installed library; see CMakeLists.txt
// beside it.
#include <softwood/softwood.h>

#include <atomic>
#include <cmath>
#include <cstdint>
#include <iostream>
#include <memory>
#include <span>
#include <string>
#include <vector>

namespace {

// The program's own data: a point of the plane per row, and which side of a spiral it lies on.
struct Points {
  std::vector<double> x, y;
  std::vector<int32_t> side;
};

std::shared_ptr<const Points> points(size_t rows) {
  auto made = std::make_shared<Points>();
  for (size_t i = 0; i < rows; ++i) {
    const double angle = 0.01 * static_cast<double>(i), radius = 1 + 0.3 * angle;
    const bool outer = i % 2 == 0;
    made->x.push_back((radius + (outer ? 0.4 : 0)) * std::cos(angle));
    made->y.push_back((radius + (outer ? 0.4 : 0)) * std::sin(angle));
    made->side.push_back(outer ? 1 : 0);
  }
  return made;
}

}  // namespace

int main() {
  try {
    const std::shared_ptr<const Points> data = points(1000);
    // Views of the memory. `data` as the owner keeps it alive as long as the library reads it.
    const auto sides = std::make_shared<const std::vector<std::string>>(
        std::vector<std::string>{"inner", "outer"});
    softwood::DataColumns columns;
    columns.add({"x", {softwood::chunk_of(data->x)}, data});
    columns.add({"y", {softwood::chunk_of(data->y)}, data});
    columns.target(
        {"side", {softwood::dictionary_chunk(std::span<const int32_t>(data->side), sides)}, data});
    const softwood::DataSet rows = softwood::DataSet::from(columns);

    softwood::TrainSettings settings;
    settings.method = "evolve";
    settings.controls.budget = std::chrono::seconds(20);  // at the latest
    std::atomic<bool> enough = false;
    settings.controls.stop_flag = &enough;
    size_t calls = 0;
    settings.controls.progress = [&](const softwood::Progress& progress) {
      if (++calls == 1) std::cout << progress.stage << ": " << progress.activity << "\n";
      if (progress.best && calls >= 20) enough = true;  // better trees are not worth the wait
    };
    const softwood::TrainResult result = softwood::train(rows, settings);
    std::cout << (result.stopped == softwood::Stopped::converged ? "ended by itself" : "stopped")
              << " with " << result.model.leaves() << " leaves\n";
    for (const softwood::Note& note : result.notes) std::cout << "note: " << note.text() << "\n";

    // Probabilities into memory of the program's own.
    std::vector<double> probabilities(rows.rows() * result.model.answer_width());
    result.model.predict(rows, probabilities);
    std::cout << "P(outer) of the first point: " << probabilities[1] << "\n";
  } catch (const softwood::Error& error) {
    std::cerr << error.text() << "\n";
    return 1;
  }
}
