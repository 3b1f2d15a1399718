# Sourced by the other scripts: makes pinned virtual environments under .envs/ on a machine that has only Python.
# An environment is made anew only when its requirements, or the package's own metadata, changed since.

# Sets UV to a working uv; one on PATH may be a pyenv shim that answers "command not found".
ensure_uv() {
  UV=uv
  if uv --version >/dev/null 2>&1; then return; fi
  UV=.envs/uv/bin/uv
  if [ -x "$UV" ]; then return; fi
  echo "stagelight: no uv here; installing one into .envs/uv" >&2
  python3 -m venv .envs/uv
  .envs/uv/bin/python -m pip install -qq uv==0.13.9
}

# environment NAME: makes .envs/NAME from requirements/NAME.txt, with Stagelight itself installed from this tree.
environment() {
  local name=$1 folder=.envs/$1 pins=requirements/$1.txt
  if cat "$pins" pyproject.toml | cmp --silent - "$folder/installed.txt"; then return; fi
  echo "stagelight: making environment $folder" >&2
  "$UV" venv --quiet --clear --python "$(cat .python-version)" "$folder"
  "$UV" pip sync --quiet --python "$folder/bin/python" --require-hashes "$pins"
  "$UV" pip install --quiet --python "$folder/bin/python" --no-deps --no-build-isolation --editable .
  cat "$pins" pyproject.toml >"$folder/installed.txt"
}

# Debian's Chromium shows the page in tests and pictures; without it and without apt, those tests are skipped.
ensure_chromium() {
  if command -v chromium >/dev/null; then return; fi
  if [ "$(id -u)" != 0 ] || ! command -v apt-get >/dev/null; then
    echo "stagelight: no Chromium, and it cannot be installed here: browser tests will be skipped" >&2
    return
  fi
  echo "stagelight: installing Chromium" >&2
  (apt-get update -qq && DEBIAN_FRONTEND=noninteractive apt-get install -y -qq chromium) >/dev/null 2>&1 ||
    echo "stagelight: Chromium could not be installed: browser tests will be skipped" >&2
}
