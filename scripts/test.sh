#!/usr/bin/env bash
# The one command that checks everything, on a fresh machine too: gates, then all tests in the main environment, those
# that need no JAX in an environment without it, and the conformance tests under each older JAX. The main environment is
# on Python 3.13; one of the older JAX and the environment without are on 3.12.
# Options are passed on to pytest in the main environment: scripts/test.sh -k cache_key
set -uo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/environments.sh

export JAX_PLATFORMS=cpu TF_CPP_MIN_LOG_LEVEL=3 PYTHONDONTWRITEBYTECODE=1
OLDER_JAX=(0.9.2 0.10.2 0.11.2)
# Rooms that never import JAX (floors 0 and 1, and the views that read ledgers), and rooms that touch JAX's insides.
ROOMS_WITHOUT_JAX=(model attribution lint comparison sizes reference report inspection)
ROOMS_ON_JAX=(adapters recorder)

counts=$(mktemp -d)
trap 'rm -rf "$counts"' EXIT
failed=()

# step NAME COMMAND…: runs it, says how long it took, and remembers it if it failed.
step() {
  local name=$1 TIMEFORMAT="── $1: %0R s, %0U s of processor time"
  shift
  echo "── $name"
  time "$@" </dev/null || failed+=("$name")
}

# tests ENVIRONMENT ARGUMENTS…: pytest there, its counts kept for the closing line.
tests() {
  local name=$1
  shift
  ".envs/$name/bin/python" -m pytest -n 2 --dist loadfile -p no:cacheprovider --junitxml "$counts/$name.xml" "$@"
}

# folders ROOM…: the test folders of those rooms.
folders() {
  local room
  for room in "$@"; do
    if [ -d "tests/$room" ]; then echo "tests/$room"; fi
  done
}

set -e
ensure_uv
ensure_chromium
for name in dev jax-0.9.2 jax-0.11.2; do environment "$name"; done
for name in no-jax jax-0.10.2; do environment "$name" 3.12; done
set +e

bin=.envs/dev/bin
step "ruff check" "$bin/ruff" check .
step "ruff format" "$bin/ruff" format --check .
step "import-linter" "$bin/lint-imports" --no-cache
step "pyright" "$bin/pyright" --pythonpath "$bin/python"
step "tests" tests dev "$@"
step "tests without JAX" tests no-jax $(folders "${ROOMS_WITHOUT_JAX[@]}")
for jax in "${OLDER_JAX[@]}"; do
  step "tests on JAX $jax" tests "jax-$jax" $(folders "${ROOMS_ON_JAX[@]}")
done

echo
for name in "${failed[@]}"; do echo "failed: $name"; done
"$bin/python" scripts/count_tests.py "$counts"/*.xml
[ ${#failed[@]} -eq 0 ]
