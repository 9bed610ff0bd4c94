#!/usr/bin/env bash
# Writes the pinned versions of all packages. Arguments go to uv: --upgrade, --upgrade-package NAME.
set -euo pipefail
cd "$(dirname "$0")/.."

for name in requirements requirements-dev; do
    .venv/bin/uv pip compile --quiet --universal --python-version 3.11 \
        --custom-compile-command "make lock" --generate-hashes "$@" "$name.in" --output-file "$name.txt"
done
.venv/bin/python -c "from server.extras.tools.packages import BROWSER_USE_PACKAGE; print(BROWSER_USE_PACKAGE)" |
    .venv/bin/uv pip compile --quiet --universal --python-version 3.11 --no-annotate \
        --custom-compile-command "make lock" "$@" - --output-file server/extras/tools/browser_use_packages.txt

# Without node_modules beside it, where npm would leave the packages for other systems out of the lock.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
for folder in . web; do
    cp "$folder/package.json" "$folder/package-lock.json" "$scratch"
    [ "${1:-}" != --upgrade ] || rm "$scratch/package-lock.json"
    npm install --prefix "$scratch" --package-lock-only --omit-lockfile-registry-resolved \
        --ignore-scripts --no-audit --no-fund
    cp "$scratch/package-lock.json" "$folder/package-lock.json"
done
