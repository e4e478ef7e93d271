// What several trainings on the same rows of a table need alike is made by the first of them, and
// kept for the others while somebody runs several.
#pragma once

#include <algorithm>
#include <chrono>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "data/table.h"

namespace softwood {

// Thread-safe.
class SharedWork {
 public:
  // Pieces are kept while one of these lives; the last one takes them with it.
  class Keeper {
   public:
    explicit Keeper(SharedWork& work);
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;

   private:
    SharedWork& work_;
  };

  // What `make` makes of the rows, as a shared_ptr<T>. The name says its type and all else that it
  // depends on. Who asks while another makes the same waits for it; where that one throws, the next
  // one makes it. Without a keeper it is made for this caller alone. `spared` grows by the seconds
  // that making it anew would have taken this caller longer.
  template <class T, class Make>
  std::shared_ptr<T> get(const std::string& name, std::span<const RowIndex> rows, const Make& make,
                         double* spared = nullptr) {
    const std::shared_ptr<Place> place = place_of(name, rows);
    if (!place) return make();
    const Clock::time_point asked = Clock::now();
    // Held while it is made: a thread that waits inside a Parallel::each takes no task of an outer
    // one, which might ask for the same.
    const std::lock_guard lock(place->mutex);
    if (place->piece) {
      if (spared != nullptr) *spared += std::max(0.0, place->seconds - seconds_since(asked));
    } else {
      const Clock::time_point began = Clock::now();
      place->piece = make();
      place->seconds = seconds_since(began);
      count_made();
    }
    return std::static_pointer_cast<T>(place->piece);
  }

  size_t made() const;  // since the first of the keepers
  size_t kept() const;  // now

 private:
  struct Place {
    std::string name;
    std::vector<RowIndex> rows;
    std::mutex mutex;             // of what follows
    std::shared_ptr<void> piece;  // null: not made yet
    double seconds = 0;           // in which it was made
  };
  using Clock = std::chrono::steady_clock;
  static double seconds_since(Clock::time_point start) {
    return std::chrono::duration<double>(Clock::now() - start).count();
  }

  std::shared_ptr<Place> place_of(const std::string& name, std::span<const RowIndex> rows);
  void count_made();

  mutable std::mutex mutex_;                  // of all that follows
  std::list<std::shared_ptr<Place>> places_;  // the last one asked for first
  size_t keepers_ = 0, made_ = 0;
};

}  // namespace softwood
