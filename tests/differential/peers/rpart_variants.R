# Grows rpart's tree on one data set with surrogates, costs or priors, and writes its nodes as a record.
#
# Usage: Rscript rpart_variants.R DATA.csv classification|regression OUT.json SHA256 VARIANT
#   surrogates  the file as it is, missing cells too; usesurrogate 2, maxsurrogate 5
#   holes       the same, and the cell of row i and input j (both from 0) is emptied first where
#               (7 i + 13 j) %% 10 is 0
#   loss        a loss of 1 + (2 i + j) %% 3 for the answer j where class i is true (both from 0)
#   priors      priors proportional to 1, 2, 3, ...
# Losses and priors alter the weights by which rpart splits, not its limits, which count rows: so there
# the limits are as low as they can be, and the depth is limited instead.
peer <- "rpart"
source(file.path(dirname(sub("--file=", "", grep("--file=", commandArgs(), value = TRUE))), "common.R"))
variant <- args[5]
surrogates <- variant %in% c("surrogates", "holes")
if (variant == "holes") for (j in seq_along(inputs)) {
  data[[j]][(7 * (seq_len(nrow(data)) - 1) + 13 * (j - 1)) %% 10 == 0] <- NA
}
classes <- nlevels(data$target)
loss <- outer(seq_len(classes) - 1, seq_len(classes) - 1, function(i, j) (1 + (2 * i + j) %% 3) * (i != j))
priors <- seq_len(classes) / sum(seq_len(classes))
parms <- list(split = "gini")
if (variant == "loss") parms$loss <- loss
if (variant == "priors") parms$prior <- priors
control <- if (surrogates) rpart.control(cp = 0, minsplit = 20, minbucket = 7, maxdepth = 30, xval = 0,
                                         maxcompete = 0, maxsurrogate = 5, usesurrogate = 2, surrogatestyle = 0) else
  rpart.control(cp = 0, minsplit = 2, minbucket = 1, maxdepth = 6, xval = 0,
                maxcompete = 0, maxsurrogate = 0, usesurrogate = 0)
# na.pass: rpart's own rule leaves out rows without any value.
fit <- if (is_class) rpart(target ~ ., data, method = "class", parms = parms, control = control, na.action = na.pass) else
  rpart(target ~ ., data, method = "anova", control = control, na.action = na.pass)

frame <- fit$frame
inner <- frame$var != "<leaf>"
# The rows of `splits`: each inner node's own, then its surrogates.
rows <- ifelse(inner, 1 + frame$nsurrogate, 0)
own <- cumsum(c(0, rows))[seq_along(rows)] + 1
at_nodes <- function(column) ifelse(inner, fit$splits[pmin(own, nrow(fit$splits)), column], 0)
var <- match(as.character(frame$var), names(data)) - 1L
var[!inner] <- -1L
surrogate_rows <- function(i) if (rows[i] > 1) own[i] + seq_len(rows[i] - 1) else integer(0)
of_surrogates <- function(values) json_arrays(lapply(seq_len(nrow(frame)), function(i) values[surrogate_rows(i)]))
fields <- c(
  about,
  variant = quoted(variant),
  control = quoted(paste(names(unlist(control)), unlist(control), collapse = ", ")),
  rows = scalar(nrow(data)),
  inputs = json_array(inputs),
  levels = levels_of_inputs(),
  classes = if (is_class) json_array(levels(data$target)) else "null",
  frame = json_object(
    node = json_array(as.numeric(rownames(frame))),
    var = json_array(var),
    n = json_array(frame$n),
    dev = json_array(frame$dev),
    yval = json_array(if (is_class) frame$yval - 1 else frame$yval),
    ncat = json_array(at_nodes("ncat")),
    index = json_array(at_nodes("index")),
    improve = json_array(at_nodes("improve")),
    counts = counts_of(frame),
    surrogate_var = of_surrogates(match(rownames(fit$splits), names(data)) - 1L),
    surrogate_ncat = of_surrogates(fit$splits[, "ncat"]),
    surrogate_index = of_surrogates(fit$splits[, "index"]),
    surrogate_agree = of_surrogates(fit$splits[, "improve"]),
    surrogate_adj = of_surrogates(fit$splits[, "adj"])))
write_record(fields)
cat(sprintf("rpart %s: %s, %d nodes, %d bytes\n", name, variant, nrow(frame), file.size(out)))
