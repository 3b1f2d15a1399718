#!/usr/bin/env bash
# Watches the example program on a fresh machine: makes the environment, trains on handwritten digits under Stagelight,
# and leaves the ledger and the page under build/. Options are passed on: scripts/example.sh --calls
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
source scripts/environments.sh

ensure_uv
environment jax-0.12.0.1
export JAX_PLATFORMS=${JAX_PLATFORMS:-cpu} TF_CPP_MIN_LOG_LEVEL=3
stagelight=.envs/jax-0.12.0.1/bin/stagelight
mkdir -p build
"$stagelight" run -f -o build/digits.jsonl "$@" examples/digits/train.py
"$stagelight" report -f -o build/digits.html build/digits.jsonl
