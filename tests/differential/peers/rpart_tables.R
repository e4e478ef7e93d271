# Grows rpart's tree on one data set and writes its cost-complexity table and frame as a record.
#
# Usage: Rscript rpart_tables.R DATA.csv classification|regression OUT.json SHA256 FOLDS
#
# FOLDS 0: the tree without cross-validation. FOLDS 10: also the table cross-validated with the
# fold of row i fixed as (i - 1) %% 10 + 1. Sets with missing cells are left out.
peer <- "rpart"
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
folds <- as.integer(args[5])
if (anyNA(cells)) {
  message("rpart ", name, ": has missing cells, left out")
  quit(status = 0)
}

# --- the tree --------------------------------------------------------------------------------
fit_tree <- function(xval) {
  control <- rpart.control(cp = 0, minsplit = 20, minbucket = 7, maxdepth = 30, xval = xval,
                           maxcompete = 0, maxsurrogate = 0, usesurrogate = 0)
  if (is_class) rpart(target ~ ., data, method = "class", parms = list(split = "gini"), control = control)
  else rpart(target ~ ., data, method = "anova", control = control)
}
xval <- if (folds > 0) (seq_len(nrow(data)) - 1) %% folds + 1 else 0
seconds <- system.time(fit <- fit_tree(xval))[["elapsed"]]
frame <- fit$frame
inner <- frame$var != "<leaf>"
splits <- fit$splits
stopifnot(sum(inner) == NROW(splits)) # one split per node, since there are no competitors

# Values of the inner nodes spread over all nodes, 0 at the leaves.
at_nodes <- function(values) { x <- numeric(nrow(frame)); x[inner] <- values; x }
var <- match(as.character(frame$var), names(data)) - 1L
var[!inner] <- -1L
table <- fit$cptable
fields <- c(
  about,
  call = quoted(paste0("rpart(target ~ ., method = ", if (is_class) "'class', parms = list(split = 'gini')"
    else "'anova'", ", control = rpart.control(cp = 0, minsplit = 20, minbucket = 7, maxdepth = 30, ",
    "xval = ", if (folds > 0) "folds" else "0", ", maxcompete = 0, maxsurrogate = 0, usesurrogate = 0))")),
  folds = if (folds > 0) quoted("(i - 1) %% 10 + 1 for row i = 1..n") else "null",
  rows = scalar(nrow(data)),
  inputs = json_array(inputs),
  levels = levels_of_inputs(),
  classes = if (is_class) json_array(levels(data$target)) else "null",
  cptable = json_object(
    CP = json_array(table[, "CP"]),
    nsplit = json_array(table[, "nsplit"]),
    rel_error = json_array(table[, "rel error"]),
    xerror = if (folds > 0 && "xerror" %in% colnames(table)) json_array(table[, "xerror"]) else "null",
    xstd = if (folds > 0 && "xstd" %in% colnames(table)) json_array(table[, "xstd"]) else "null"),
  frame = json_object(
    node = json_array(as.numeric(rownames(frame))),
    var = json_array(var),
    n = json_array(frame$n),
    dev = json_array(frame$dev),
    yval = json_array(if (is_class) frame$yval - 1 else frame$yval),
    complexity = json_array(frame$complexity),
    ncat = json_array(at_nodes(splits[, "ncat"])),
    index = json_array(at_nodes(splits[, "index"])),
    improve = json_array(at_nodes(splits[, "improve"])),
    counts = counts_of(frame)),
  csplit = if (is.null(fit$csplit)) "[]" else json_arrays(lapply(seq_len(nrow(fit$csplit)), function(i) fit$csplit[i, ])))

write_record(fields)
cat(sprintf("rpart %s: %d folds, %d nodes, %d table rows, %.1f s, %d bytes\n", name, folds,
            nrow(frame), nrow(table), seconds, file.size(out)))
