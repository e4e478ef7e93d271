# rpart and partykit's ctree on given folds. Usage: Rscript methods_peers.R DATA.csv FOLDS.csv TASK
# Prints one line per method and fold: method,fold,error,leaves,seconds (error: share of errors,
# or mean square error).
suppressPackageStartupMessages({
  library(rpart)
  library(partykit)
})
arguments <- commandArgs(trailingOnly = TRUE)
data <- read.csv(arguments[1], na.strings = "", stringsAsFactors = TRUE, check.names = FALSE)
names(data) <- c(paste0("x", seq_len(ncol(data) - 1)), "y")
folds <- read.csv(arguments[2])[[1]]
classes <- arguments[3] == "classification"
if (classes) data$y <- factor(data$y)

loss <- function(answer, truth) {
  if (classes) mean(as.character(answer) != as.character(truth)) else mean((answer - truth)^2)
}
report <- function(method, fold, train, test, fit, leaves) {
  started <- proc.time()[["elapsed"]]
  tree <- fit(train)
  seconds <- proc.time()[["elapsed"]] - started
  answer <- predict(tree, test, type = if (classes && method == "rpart") "class"
                    else if (method == "rpart") "vector" else "response")
  cat(sprintf("%s,%d,%.10g,%d,%.6g\n", method, fold, loss(answer, test$y), leaves(tree), seconds))
}
one_se <- function(train) {
  tree <- rpart(y ~ ., train, method = if (classes) "class" else "anova",
                control = rpart.control(cp = 0, minsplit = 2, minbucket = 1, xval = 10))
  table <- tree$cptable
  best <- which.min(table[, "xerror"])
  row <- which(table[, "xerror"] <= table[best, "xerror"] + table[best, "xstd"])[1]
  prune(tree, cp = table[row, "CP"])
}
for (fold in sort(unique(folds))) {
  train <- data[folds != fold, ]
  test <- data[folds == fold, ]
  if (classes) train$y <- factor(train$y, levels = levels(data$y))
  set.seed(fold)
  report("rpart", fold, train, test, one_se, function(tree) sum(tree$frame$var == "<leaf>"))
  report("partykit", fold, train, test, function(rows) ctree(y ~ ., rows), width)
}
