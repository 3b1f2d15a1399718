#!/usr/bin/env bash
# Records the reference execution of every lesson and project, which is shipped with them, and writes their pages.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/environments.sh
ensure_uv
environment dev
export JAX_PLATFORMS=cpu
.envs/dev/bin/python -m stagelight learn attest --all --output src/stagelight/lab/executions
PYTHONPATH=docs/extensions .envs/dev/bin/python -c "
from pathlib import Path
from lesson_pages import write_pages
write_pages(Path('docs/lab'))"
