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

# python_of VERSION: an interpreter of that version, or the version alone where none is found here: uv fetches it then.
python_of() {
  local found
  for found in "${PYENV_ROOT:-$HOME/.pyenv}/versions/$1."*/bin/python; do
    if [ -x "$found" ]; then echo "$found" && return; fi
  done
  echo "$1"
}

# environment NAME [PYTHON]: makes .envs/NAME from requirements/NAME.txt, with Stagelight itself installed from this
# tree, on the Python of .python-version or another one.
environment() {
  local name=$1 python=${2:-$(cat .python-version)} folder=.envs/$1 pins=requirements/$1.txt
  if (echo "$python" && cat "$pins" pyproject.toml) | cmp --silent - "$folder/installed.txt"; then return; fi
  echo "stagelight: making environment $folder on Python $python" >&2
  "$UV" venv --quiet --clear --python "$(python_of "$python")" "$folder"
  "$UV" pip sync --quiet --python "$folder/bin/python" --require-hashes "$pins"
  "$UV" pip install --quiet --python "$folder/bin/python" --no-deps --no-build-isolation --editable .
  (echo "$python" && cat "$pins" pyproject.toml) >"$folder/installed.txt"
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
