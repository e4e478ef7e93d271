// Soft trees fitted with different settings to the same rows and compared by rows that were held
// out.
#pragma once

#include "stages/soft/fit_data.h"

namespace softwood::soft {

class CandidateFits {
 public:
  // Both must outlive it.
  CandidateFits(FitRun& run, FitData& data) : run_(run), data_(data) {}

  // Of each candidate the best of the starts, the first of equals. Judged by the first parts, so
  // many; 0: by all. Told to stop, it leaves out candidates for which it would have to prepare
  // rows, and those that were not judged yet. An Error of kind interrupted where none is left.
  std::vector<Fitted> fit_all(const std::vector<Settings>& candidates, size_t starts,
                              size_t judging_parts = 0);
  // Fits once more to all rows, none held out, for as many passes over them as were best, from the
  // start with which it was judged.
  FittedNetwork fit_whole(const Fitted& fitted);
  // For a fit to so many rows, none held out: as many passes over them as were best; the rate falls
  // over as many passes as it did. The more rows, the less decay.
  Settings settings_for(const Fitted& fitted, size_t rows);

  FitRun& run() { return run_; }
  const FitRun& run() const { return run_; }
  FitData& data() { return data_; }

 private:
  // What the candidates start from; of fewer where it is told to stop, but not of none.
  std::vector<const FitData::ByPart*> prepared(const std::vector<Settings>& candidates);
  gradient::Outcome fit(const Settings& settings, const FitBasis& basis,
                        const gradient::Rows<float>& rows, const gradient::Rows<float>* held_out,
                        uint64_t start) const;
  // What the fits to all but one part each come to together.
  Fitted judged(std::span<gradient::Outcome> outcomes, const FitData::ByPart& data) const;

  // The fits of one start to all parts, from a checkpoint and for one. None where there is none of
  // networks of this size and of these rows.
  std::optional<Fitted> kept(const std::string& key, const Settings& settings, size_t parts,
                             const FitData::ByPart& data) const;
  void keep(const std::string& key, const Fitted& fitted) const;

  FitRun& run_;
  FitData& data_;
  size_t calls_ = 0;  // of fit_all
};

}  // namespace softwood::soft
