#!/usr/bin/env bash
# Writes the pinned versions of all packages. Arguments go to uv: --upgrade, --upgrade-package NAME.
set -euo pipefail
cd "$(dirname "$0")/.."

for name in requirements requirements-dev; do
    .venv/bin/uv pip compile --quiet --universal --python-version 3.11 \
        --custom-compile-command "make lock" "$@" "$name.in" --output-file "$name.txt"
done

# Without the addresses of the registry that this machine happens to use.
for folder in . web; do
    npm install --prefix "$folder" --package-lock-only --omit-lockfile-registry-resolved --ignore-scripts --no-audit --no-fund
done
