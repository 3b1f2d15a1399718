#!/usr/bin/env bash
# Builds the documentation into docs/_build/html; a warning is an error.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/environments.sh
ensure_uv
environment dev
.envs/dev/bin/python -m sphinx -W --keep-going -q -b html docs docs/_build/html
echo "docs/_build/html/index.html"
