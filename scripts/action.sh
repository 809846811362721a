#!/usr/bin/env bash
# What the step of action.yml runs: `gossamer check` with what the inputs say, which come as variables and never as code.
#
# in:  INPUT_URLS, INPUT_ARGS   one a line
#      INPUT_BASELINE           a file, or nothing
#      INPUT_REPORT             FORMAT=FILE, one a line, or nothing
#      INPUT_FAIL               false: dead links do not fail the step; whatever else goes wrong still does
# out: the report in the step's summary, `exit-code` among its outputs
set -uo pipefail

lines() { printf '%s\n' "$1" | sed -e 's/^[[:space:]]*//' -e 's/[[:space:]]*$//' -e '/^$/d'; }

version=$(node -p 'require(process.argv[1]).version' "$GITHUB_ACTION_PATH/package.json") || exit 3
summary="${RUNNER_TEMP:-/tmp}/gossamer-summary-$$.md"
arguments=(--yes "gossamer@$version" check)
while IFS= read -r line; do arguments+=("$line"); done < <(lines "${INPUT_URLS:-}")
while IFS= read -r line; do arguments+=("$line"); done < <(lines "${INPUT_ARGS:-}")
[ -n "${INPUT_BASELINE:-}" ] && arguments+=(--baseline "$INPUT_BASELINE")
while IFS= read -r line; do arguments+=(--report "$line"); done < <(lines "${INPUT_REPORT:-}")
arguments+=(--report "markdown=$summary")

npx "${arguments[@]}"
code=$?

# GitHub takes a summary of one MiB at most, and drops a longer one.
[ -f "$summary" ] && head -c 1000000 "$summary" >>"${GITHUB_STEP_SUMMARY:-/dev/null}"
rm -f "$summary"
echo "exit-code=$code" >>"${GITHUB_OUTPUT:-/dev/null}"
[ "$code" -eq 1 ] && [ "${INPUT_FAIL:-true}" = false ] && exit 0
exit "$code"
