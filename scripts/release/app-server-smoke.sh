#!/usr/bin/env bash
# Checks before a release, against the program as it is shipped.
#
#   app-server-smoke.sh                  health and capabilities over stdio; no tokens are spent
#   app-server-smoke.sh --matrix         and the configured providers with a cheap model each
#   app-server-smoke.sh --matrix --real  and one short prompt to each of them
#
# CODEWHALE names the program; without it, the one on the PATH is used. SMOKE_MODEL_<PROVIDER>
# chooses another model for a provider. No key is printed: the list of providers tells only where a
# key is, and what a provider answers passes a filter.
set -euo pipefail

program=${CODEWHALE:-codewhale}
sentinel=CODEWHALE_SMOKE_OK
want_matrix=no
want_real=no
for argument in "$@"; do
  case $argument in
    --matrix) want_matrix=yes ;;
    --real) want_real=yes ;;
    *)
      echo "usage: ${0##*/} [--matrix [--real]]" >&2
      exit 2
      ;;
  esac
done
if [[ $want_real == yes && $want_matrix == no ]]; then
  echo "--real goes with --matrix" >&2
  exit 2
fi
if ! command -v "$program" >/dev/null; then
  echo "there is no program $program; put it on the PATH or name it in CODEWHALE" >&2
  exit 1
fi

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

# Lines that may hold a key are cut down to what is harmless in them.
redact() {
  sed -E \
    -e 's/(sk|pk|rk|cwrt|cwapp|ghp|gho|xai|gsk|AIza|hf|nvapi)[-_]?[A-Za-z0-9_-]{12,}/[redacted]/g' \
    -e 's/([Bb]earer )[^ "]+/\1[redacted]/g' \
    -e 's/[A-Za-z0-9_-]{40,}/[redacted]/g'
}

# Over stdio, in a home of its own, with nothing of the environment that could hold a key.
probe() {
  : >"$scratch/config.toml"
  mkdir "$scratch/home"
  local methods=(healthz capabilities app/capabilities prompt/capabilities thread/capabilities shutdown)
  local id=0 method
  for method in "${methods[@]}"; do
    id=$((id + 1))
    printf '{"jsonrpc":"2.0","id":%d,"method":"%s"}\n' "$id" "$method"
  done >"$scratch/requests"
  if ! env -i PATH="$PATH" HOME="$scratch/home" CODEWHALE_HOME="$scratch/home" \
    "$program" app-server --stdio --config "$scratch/config.toml" \
    <"$scratch/requests" >"$scratch/answers"; then
    echo "stdio probe: the program did not end well" >&2
    exit 1
  fi
  local fragment
  for fragment in '"status":"ok"' '"thread/request"' '"prompt/run"' '"transport":"stdio+http"' \
    '"prompt/request"' '"thread/goal/set"' '"status":"stopped"'; do
    if ! grep -qF -- "$fragment" "$scratch/answers"; then
      echo "stdio probe: no $fragment in the answers" >&2
      redact <"$scratch/answers" >&2
      exit 1
    fi
  done
  echo "stdio probe: ok"
}

# A model that costs little, or nothing when none is known.
cheap_model() {
  case $1 in
    deepseek | deepseek-anthropic) echo deepseek-v4-flash ;;
    openai | openai-codex) echo gpt-5.6-luna ;;
    anthropic) echo claude-haiku-4-5 ;;
    moonshot) echo kimi-k2.7-code ;;
    zai) echo GLM-5-Turbo ;;
    minimax) echo MiniMax-M2.7 ;;
    xai) echo grok-4.3 ;;
    mistral) echo mistral-small-latest ;;
    *) return 1 ;;
  esac
}

slug() {
  tr '[:lower:]' '[:upper:]' <<<"$1" | tr -c 'A-Z0-9\n' '_'
}

matrix() {
  local list provider source model override unmapped=()
  list=$("$program" auth list)
  while read -r provider source; do
    if [[ $source == missing ]]; then
      continue
    fi
    override=SMOKE_MODEL_$(slug "$provider")
    if [[ -n ${!override:-} ]]; then
      model=${!override}
    elif ! model=$(cheap_model "$provider"); then
      unmapped+=("$provider (set $override)")
      continue
    fi
    echo "matrix: $provider $model"
    if [[ $want_real == yes ]]; then
      ask "$provider" "$model"
    fi
  done < <(awk 'NR > 1 { print $1, $NF }' <<<"$list")
  if ((${#unmapped[@]})); then
    printf 'matrix: no cheap model is known for %s\n' "${unmapped[@]}" >&2
    exit 1
  fi
}

ask() {
  local answer
  if ! answer=$("$program" --provider "$1" --model "$2" exec \
    "Answer with this word and nothing else: $sentinel" </dev/null 2>&1); then
    echo "real: $1 $2 failed" >&2
    redact <<<"$answer" >&2
    exit 1
  fi
  if ! grep -qF "$sentinel" <<<"$answer"; then
    echo "real: $1 $2 did not say $sentinel" >&2
    redact <<<"$answer" >&2
    exit 1
  fi
  echo "real: $1 $2 ok"
}

probe
if [[ $want_matrix == yes ]]; then
  matrix
fi
