// Grows a tree on data that the program holds itself, asks it for answers and for its reasons, and
// saves it. Build it against the installed library; see CMakeLists.txt beside it.
#include <softwood/softwood.h>

#include <iostream>

int main() {
  try {
    // Flowers: width and length of a petal in cm. NaN would be a missing value.
    const softwood::DataColumns flowers =
        softwood::DataColumns()
            .number("petal_length", {1.4, 1.5, 1.3, 1.7, 4.7, 4.5, 4.0, 4.6, 6.0, 5.1, 5.9, 5.6})
            .number("petal_width", {0.2, 0.2, 0.3, 0.4, 1.4, 1.5, 1.3, 1.5, 2.5, 1.9, 2.1, 1.8})
            .text("species",
                  {"setosa", "setosa", "setosa", "setosa", "versicolor", "versicolor", "versicolor",
                   "versicolor", "virginica", "virginica", "virginica", "virginica"});
    const softwood::DataSet data =
        softwood::DataSet::from(flowers);  // the last column is the target

    softwood::TrainSettings settings;
    settings.recipe = "grow min-leaf=2 | prune alpha=0.01";
    const softwood::TreeModel model = softwood::train(data, settings).model;
    std::cout << model.show() << "\nerror on these flowers: " << model.evaluate(data).at("error")
              << "\n\n";

    const softwood::DataColumns more = softwood::DataColumns()
                                           .number("petal_length", {1.6, 5.0})
                                           .number("petal_width", {0.3, 1.9});
    const softwood::DataSet unknown = softwood::DataSet::from_for(model, more);
    const std::vector<std::string> species = model.predict_class(unknown);
    const std::vector<std::string> reasons = model.path_texts(unknown);
    for (size_t i = 0; i < species.size(); ++i) {
      std::cout << species[i] << ", because " << reasons[i] << "\n";
    }

    model.save("flowers.json");
    std::cout << "\nsaved and read again: "
              << (softwood::TreeModel::load("flowers.json").text() == model.text() ? "the same"
                                                                                   : "different")
              << "\n";
  } catch (const softwood::Error& error) {
    std::cerr << error.text() << "\n";
    return 1;
  }
}
