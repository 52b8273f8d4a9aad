#!/usr/bin/env bash
# Tries app-server-smoke.sh on a program that only pretends.
set -euo pipefail

here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
key=sk-test-0123456789abcdef0123456789

# The files beside it are what `auth list` prints, what a prompt gets, and how that ends.
cat >"$scratch/codewhale" <<'FAKE'
#!/usr/bin/env bash
case "$*" in
  app-server*)
    cat >/dev/null
    printf '%s\n' '{"result":{"status":"ok"}}' '{"result":["thread/request","prompt/run"]}' \
      '{"result":{"transport":"stdio+http"}}' '{"result":["prompt/request"]}' \
      '{"result":["thread/goal/set"]}' '{"result":{"status":"stopped"}}'
    ;;
  "auth list") cat "$(dirname "$0")/list" ;;
  *exec*)
    cat "$(dirname "$0")/says"
    exit "$(cat "$(dirname "$0")/code")"
    ;;
esac
FAKE
chmod +x "$scratch/codewhale"
export CODEWHALE=$scratch/codewhale
echo CODEWHALE_SMOKE_OK >"$scratch/says"
echo 0 >"$scratch/code"

list() {
  { echo "provider config store env source"; printf '%s\n' "$@"; } >"$scratch/list"
}

# check <exit code> <words that must be said> <arguments...>
check() {
  local code=0 want=$1 words=$2
  shift 2
  "$here/app-server-smoke.sh" "$@" >"$scratch/out" 2>&1 || code=$?
  if [[ $code != "$want" ]] || ! grep -qF -- "$words" "$scratch/out"; then
    echo "app-server-smoke.sh $*: exit $code, expected $want with \"$words\"; it said:" >&2
    cat "$scratch/out" >&2
    exit 1
  fi
}

list "deepseek no no yes env" "openai no no no missing" "own yes no no config"
check 0 "stdio probe: ok"
check 1 "SMOKE_MODEL_OWN" --matrix
SMOKE_MODEL_OWN=tiny check 0 "matrix: own tiny" --matrix
SMOKE_MODEL_OWN=tiny check 0 "matrix: deepseek deepseek-v4-flash" --matrix
SMOKE_MODEL_DEEPSEEK=other SMOKE_MODEL_OWN=tiny check 0 "matrix: deepseek other" --matrix
if grep -q openai "$scratch/out"; then
  echo "a provider without a key is in the matrix" >&2
  exit 1
fi
SMOKE_MODEL_OWN=tiny check 0 "real: own tiny ok" --matrix --real
list "my-own.one yes no no config"
SMOKE_MODEL_MY_OWN_ONE=tiny check 0 "matrix: my-own.one tiny" --matrix

list "deepseek no no yes env"
echo "refused: $key and Bearer $key" >"$scratch/says"
check 1 "did not say" --matrix --real
echo 1 >"$scratch/code"
check 1 "deepseek deepseek-v4-flash failed" --matrix --real
if grep -qF "$key" "$scratch/out"; then
  echo "a key was printed" >&2
  exit 1
fi
check 2 "usage" --nonsense
check 2 "--matrix" --real
CODEWHALE=$scratch/none check 1 "there is no program"
echo "app-server-smoke.test.sh: ok"
