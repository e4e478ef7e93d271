// What several trainings on the same rows of a table need alike is made by the first of them, and
// kept for the others while somebody runs several.
#pragma once

#include <atomic>
#include <list>
#include <memory>
#include <mutex>
#include <span>
#include <string>
#include <vector>

#include "data/sorted.h"

namespace softwood {

// Thread-safe.
class SharedWork {
 public:
  // While one lives, trainings from the same Derived share their work. What the last one leaves is
  // gone with it.
  class Keeper {
   public:
    explicit Keeper(const Derived& derived);
    ~Keeper();
    Keeper(const Keeper&) = delete;
    Keeper& operator=(const Keeper&) = delete;
    const SharedWork& work() const { return *work_; }

   private:
    const Derived* derived_;
    std::shared_ptr<SharedWork> work_;
  };

  // What `make` makes of the rows, as a shared_ptr<T>. The name says its type and all else that it
  // depends on. Who asks while another makes the same waits for it; where that one throws, the next
  // one makes it. Without a keeper it is made for this caller alone.
  template <class T, class Make>
  static std::shared_ptr<T> get(const Derived& derived, const std::string& name,
                                std::span<const RowIndex> rows, const Make& make) {
    const std::shared_ptr<SharedWork> work = of(derived);
    if (!work) return make();
    const std::shared_ptr<Place> place = work->place_of(name, rows);
    // Held while it is made: a thread that waits inside a Parallel::each takes no task of an outer
    // one, which might ask for the same.
    const std::lock_guard lock(place->mutex);
    if (!place->piece) {
      place->piece = make();
      ++work->made_;
    }
    return std::static_pointer_cast<T>(place->piece);
  }

  size_t made() const { return made_; }  // in all
  size_t kept() const;                   // now

 private:
  struct Place {
    std::string name;
    std::vector<RowIndex> rows;
    std::mutex mutex;             // of the piece
    std::shared_ptr<void> piece;  // null: not made yet
  };

  static std::shared_ptr<SharedWork> of(const Derived& derived);  // null: there is no keeper
  std::shared_ptr<Place> place_of(const std::string& name, std::span<const RowIndex> rows);

  mutable std::mutex mutex_;                  // of the places
  std::list<std::shared_ptr<Place>> places_;  // the last one asked for first
  std::atomic<size_t> keepers_ = 0;
  std::atomic<size_t> made_ = 0;
};

}  // namespace softwood
