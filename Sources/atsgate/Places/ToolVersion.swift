/// What `--version` tells, and reports name.
let toolVersion = "0.1.0"
