#!/usr/bin/env bash
# Installs the peers, each for itself and pinned: install.sh [NAME …].
# PYTHON names a Python 3.11 if python3 is another one.
set -euo pipefail
cd "$(dirname "$0")"

python_peer() {
  rm -rf "$1/.venv"
  "${PYTHON:-python3}" -m venv "$1/.venv"
  # The file names all there is, so nothing is left to be resolved.
  "$1/.venv/bin/pip" install --quiet --disable-pip-version-check --no-deps -r "$1/requirements.txt"
  "$1/.venv/bin/pip" check
  touch "$1/.venv/installed"
}

java_peer() {
  mvn -q -B -f "$1/pom.xml" clean compile dependency:copy-dependencies \
    -DincludeScope=runtime -DoutputDirectory=target/lib
  touch "$1/target/installed"
}

go_peer() {
  # As go.mod and go.sum say: a build that would change them fails.
  (cd "$1" && go build -mod=readonly -o target/drain .)
  touch "$1/target/installed"
}

[ $# -gt 0 ] || set -- dlt airbyte singer camel benthos
for peer in "$@"; do
  case "$peer" in
    dlt | airbyte | singer) python_peer "$peer" ;;
    camel) java_peer "$peer" ;;
    benthos) go_peer "$peer" ;;
    *)
      echo "There is no peer \"$peer\"." >&2
      exit 1
      ;;
  esac
done
