#!/usr/bin/env bash
# Pins every environment anew: requirements/NAME.in (and pyproject.toml) → requirements/NAME.txt, for Python 3.12 and later.
# Pass --upgrade for newest releases; without it, pins that still fit stay.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/environments.sh
ensure_uv
for input in requirements/{dev,no-jax,jax-*}.in; do
  "$UV" pip compile --quiet --universal --python-version 3.12 --generate-hashes --no-emit-index-url --no-header "$@" \
    pyproject.toml "$input" --output-file "${input%.in}.txt"
done
