# Times rpart for peers.py, which describes the items and the keys of the printed object.
# Usage: Rscript rpart_bench.R ITEM WORK ROWS COLUMNS REPS
library(rpart)
args <- commandArgs(trailingOnly = TRUE)
item <- args[1]; work <- args[2]
rows <- as.integer(args[3]); columns <- as.integer(args[4]); reps <- as.integer(args[5])

# Columns as raw doubles, one after the other, the class last.
file <- file(file.path(work, if (item == "rpart_cv") "bench_mid.f64" else "bench.f64"), "rb")
data <- lapply(seq_len(columns + 1), function(j) readBin(file, "double", rows, endian = "little"))
close(file)
names(data) <- c(paste0("x", seq_len(columns) - 1), "class")
data <- as.data.frame(data)
data$class <- factor(data$class)

off <- list(maxcompete = 0, maxsurrogate = 0, usesurrogate = 0, cp = 0)
control <- do.call(rpart.control, c(off, switch(item,
  rpart_fit_depth10 = list(minsplit = 2, minbucket = 1, maxdepth = 10, xval = 0),
  rpart_fit_unlimited = list(minsplit = 2, minbucket = 1, maxdepth = 30, xval = 0),
  rpart_cv = list(minsplit = 20, maxdepth = 30, xval = 10))))

# Peak resident memory in KiB, where the system tells it.
peak <- function() {
  if (!file.exists("/proc/self/status")) return(0)
  line <- grep("^VmHWM", readLines("/proc/self/status"), value = TRUE)
  as.numeric(gsub("[^0-9]", "", line))
}

before <- peak()
runs <- matrix(0, 2, reps)
for (i in seq_len(reps)) {
  set.seed(1)
  time <- system.time(fit <- rpart(class ~ ., data, method = "class", parms = list(split = "gini"),
                                   control = control, y = FALSE))
  runs[, i] <- c(time[["elapsed"]], time[["user.self"]] + time[["sys.self"]])
}
best <- which.min(runs[1, ])
leaf <- fit$frame$var == "<leaf>"
depth <- floor(log2(max(as.numeric(rownames(fit$frame)))))
cat(sprintf(paste0('{"seconds":%.3f,"cpu_seconds":%.3f,"all_seconds":[%s],"data_kib":%.0f,',
                   '"peak_kib":%.0f,"train_accuracy":%.17g,"leaves":%d,"depth":%d,"threads":1}\n'),
            runs[1, best], runs[2, best], paste(sprintf("%.3f", runs[1, ]), collapse = ","), before,
            peak(), 1 - sum(fit$frame$dev[leaf]) / rows, sum(leaf), as.integer(depth)))
