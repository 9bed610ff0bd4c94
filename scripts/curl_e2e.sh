#!/usr/bin/env bash
# One message from start to end over HTTP, as any outside program would send it.
#
#   AUTH_TOKEN=... BASE_URL=http://127.0.0.1:8000/api ./scripts/curl_e2e.sh
#
# Makes a session, sends a ping, reads the stream up to its terminal event and prints the answer. Fails
# when the answer is empty, when the run ends in an error, or when there is no end within TIMEOUT seconds.
# The session is removed again unless KEEP_SESSION is set. Needs bash, curl and python3.
set -euo pipefail

BASE_URL=${BASE_URL:-http://127.0.0.1:8000/api}
BASE_URL=${BASE_URL%/}
TIMEOUT=${TIMEOUT:-90}
PING=${PING:-this is a ping test: do not think, respond as quickly as possible with any noun}
: "${AUTH_TOKEN:?Set AUTH_TOKEN to the password of the server.}"

say() { printf '%s\n' "$*" >&2; }
fail() { say "FAILED: $*"; exit 1; }

# field PATH: the value at a dotted path of the JSON on standard input; empty when it is not there.
field() {
    python3 -c '
import json, sys
value = json.load(sys.stdin)
for name in sys.argv[1].split("."):
    value = value.get(name) if isinstance(value, dict) else None
print("" if value is None else value)' "$1"
}

api() {
    local method=$1 path=$2
    shift 2
    # The token goes in by a file descriptor: arguments are for everybody on the machine to see.
    curl --silent --show-error --fail-with-body --noproxy '*' --request "$method" \
        --header @<(printf 'Authorization: Bearer %s\n' "$AUTH_TOKEN") \
        --header 'Content-Type: application/json' "$@" "$BASE_URL$path"
}

session=$(api POST /sessions --max-time 20 --data '{"title": "curl ping"}') || fail "no session: $session"
session_id=$(field id <<<"$session")
[ -n "$session_id" ] || fail "the session has no id: $session"
remove_session() {
    [ -n "${KEEP_SESSION:-}" ] || api DELETE "/sessions/$session_id?purge=true" --max-time 20 >/dev/null || true
}
trap remove_session EXIT
say "session $session_id"

message=$(python3 -c 'import json, sys; print(json.dumps({"content": sys.argv[1]}))' "$PING")
accepted=$(api POST "/sessions/$session_id/messages" --max-time 20 --data "$message") || fail "not accepted: $accepted"
run_id=$(field run.id <<<"$accepted")
say "run $run_id"

event='' data='' tokens=0 outcome='' result=''
while IFS= read -r line; do
    line=${line%$'\r'}
    case $line in
        'event:'*) event=${line#event:}; event=${event# } ;;
        'data:'*) data+=${line#data:} ;;
        '')
            case $event in
                token) tokens=$((tokens + 1)) ;;
                tool_start) say "tool $(field name <<<"$data")" ;;
                done | error) outcome=$event result=$data ;;
            esac
            event='' data=''
            [ -z "$outcome" ] || break
            ;;
    esac
done < <(api GET "/sessions/$session_id/stream?run_id=$run_id" --no-buffer --max-time "$TIMEOUT" \
    --header 'Accept: text/event-stream')

case $outcome in
    '') fail "no terminal event within $TIMEOUT s" ;;
    error) fail "$(field code <<<"$result"): $(field message <<<"$result")" ;;
esac
answer=$(field message.content <<<"$result")
[ -n "${answer//[[:space:]]/}" ] || fail 'done, but the answer is empty'
say "done after $tokens token events"
printf '%s\n' "$answer"
