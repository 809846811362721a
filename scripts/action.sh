#!/usr/bin/env bash
# What the step of action.yml runs: `gossamer check` of its own checkout with what the inputs say, which come as variables and never as code.
#
# in:  INPUT_URLS, INPUT_ARGS   one a line
#      INPUT_BASELINE           a file, or nothing
#      INPUT_REPORT             FORMAT=FILE, one a line, or nothing
#      INPUT_FAIL               false: dead links do not fail the step; whatever else goes wrong still does
# out: the report in the step's summary, `exit-code` among its outputs
set -uo pipefail

lines() { printf '%s\n' "$1" | sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e '/^$/d'; }
say_code() { echo "exit-code=$1" >>"${GITHUB_OUTPUT:-/dev/null}"; }
give_up() {
  echo "::error::$2"
  say_code "$1"
  exit "$1"
}

# A checkout has sources. They are built once a job, by what the lock file names and by no script of a package.
build() { cd "$GITHUB_ACTION_PATH" && npm ci --ignore-scripts --include=dev && node scripts/build.js; }
[ -f "$GITHUB_ACTION_PATH/dist/bundle/main.js" ] || (build) || give_up 3 'gossamer could not be installed: no link was checked'

summary="${RUNNER_TEMP:-/tmp}/gossamer-summary-$$.md"
arguments=(check)
# Behind a `--` nothing is an option any more: what this script adds goes before it.
inputs=()
while IFS= read -r line; do
  if [ "$line" = -- ] || [ ${#inputs[@]} -gt 0 ]; then inputs+=("$line"); else arguments+=("$line"); fi
done < <(
  lines "${INPUT_URLS:-}"
  lines "${INPUT_ARGS:-}"
)
[ -n "${INPUT_BASELINE:-}" ] && arguments+=(--baseline "$INPUT_BASELINE")
while IFS= read -r line; do arguments+=(--report "$line"); done < <(lines "${INPUT_REPORT:-}")
# Where every failure is 1, dead links could not be told from the others.
arguments+=(--no-exit-simple --report "markdown=$summary")

node "$GITHUB_ACTION_PATH/bin/gossamer.js" "${arguments[@]}" ${inputs[@]+"${inputs[@]}"}
code=$?

# A check that ran has a report. Node ends with 1 too where it cannot load the program, and `--help` with 0.
if [ ! -f "$summary" ]; then
  [ "$code" -gt 1 ] || code=3
  give_up "$code" 'gossamer ended without a report: no link was checked'
fi
# GitHub takes a summary of one MiB at most, and drops a longer one.
head -c 1000000 "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
rm -f "$summary"
say_code "$code"
fail=$(lines "${INPUT_FAIL:-true}" | tr '[:upper:]' '[:lower:]')
[ "$code" -eq 1 ] && [ "$fail" = false ] && exit 0
exit "$code"
