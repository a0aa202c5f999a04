# The steps of `run`, in order. Every wait is bounded.
# shellcheck shell=bash disable=SC2154  # here, root, build: set by run

export LC_ALL=C.UTF-8  # a decimal point in $EPOCHREALTIME
phone=+12025550123
host=localhost
webhook_secret=first-call-webhook
shared_secret=an-example-is-no-secret-at-all
failed=0
children=()

# --- output ----------------------------------------------------------------------------------------------------------

began=$EPOCHREALTIME
step() { printf '%7.2f s  %s\n' "$(awk "BEGIN {print $EPOCHREALTIME - $began}")" "$*"; }
give_up() {
  echo "FAILED: $*" >&2
  if [[ -s ${work:-}/server.log ]]; then
    echo "The end of the server's log:" >&2
    tail -15 "$work/server.log" >&2
  fi
  exit 1
}
# wait_until SECONDS WHAT COMMAND...: until the command succeeds.
wait_until() {
  local end=$((SECONDS + $1)) what=$2
  shift 2
  until "$@" >/dev/null 2>&1; do
    [[ $SECONDS -lt $end ]] || give_up "$what: not within its time"
    sleep 0.05
  done
}

# --- setting up ------------------------------------------------------------------------------------------------------

build_program() {
  local log=$build/first-call.log
  mkdir -p "$build"
  step "building (release; log in ${log#"$root"/})"
  if [[ ! -f $build/build.ninja || $build == "$root/build/release" ]]; then
    cmake -S "$root" -B "$build" --preset release >"$log" 2>&1 || { tail -20 "$log" >&2; exit 1; }
  fi
  cmake --build "$build" -j "$(nproc)" --target patchbay-program patchbay-plugin-host webhook-receiver answer_all rest-api identity media whitelist sip-trunk ai-voice \
    engine-local transcripts webhooks >"$log" 2>&1 || { grep -E -A5 'error|FAILED' "$log" | head -40 >&2; exit 1; }
  step "built"
}

make_work_folder() {
  work=$(mktemp -d "${TMPDIR:-/tmp}/first-call-XXXXXX")
  webhook_log=$work/webhooks.jsonl
  : >"$webhook_log"
}

# free_port: sets REPLY to an unused UDP and TCP port, below the kernel's range of ephemeral ports.
taken=" "
free_port() {
  local port
  while :; do
    port=$((10000 + RANDOM % 20000 / 2 * 2))
    [[ $taken == *" $port "* ]] && continue
    grep -qi ":$(printf %04X $port) " /proc/net/{tcp,tcp6,udp,udp6} 2>/dev/null && continue
    taken+="$port "
    REPLY=$port
    return
  done
}
listens() { grep -qi ":$(printf %04X "$2") " "/proc/net/$1"; }

start_receiver() {
  free_port; receiver_port=$REPLY
  # It runs until its standard input, this descriptor, is closed.
  exec {receiver_in}> >(exec "$build/bin/webhook-receiver" "$webhook_secret" "$webhook_log" "$receiver_port" >/dev/null)
  children+=($!)
  wait_until 10 "the webhook receiver" listens tcp "$receiver_port"
  step "a webhook receiver waits on port $receiver_port"
}

# Writes the callee's sentences, with pauses for the AI, to a WAV file that baresip plays as its microphone.
write_speech() {
  local silence sentence n=0
  for silence in 6 "what can you do" 9 "goodbye" 9 "goodbye" 60; do
    sentence=$work/speech-$((n++)).wav
    if [[ $silence =~ ^[0-9]+$ ]]; then
      sox -n -r 8000 -c 1 -b 16 "$sentence" trim 0 "$silence"
    else
      flite -voice rms -t "$silence" -o "$sentence.16k.wav"
      sox -D "$sentence.16k.wav" -r 8000 -c 1 -b 16 "$sentence" rate
    fi
    set -- "$@" "$sentence"
  done
  sox "$@" "$work/speech.wav"
}

start_callee() {
  local callee=$work/callee module
  mkdir -p "$callee/modules"
  module=$(find /usr/lib -path '*baresip/modules/g711.so' -print -quit)
  ln -s "${module%/*}"/{g711,aufile,sndfile,uuid,account,menu}.so "$build/lib/answer_all.so" "$callee/modules/"
  write_speech
  free_port; callee_port=$REPLY
  free_port; local rtp=$REPLY
  cat >"$callee/config" <<CONFIG
sip_listen 127.0.0.1:$callee_port
call_max_calls 64
call_local_timeout 60
audio_source aufile,$work/speech.wav
audio_player aufile,$callee/player.wav
audio_alert aufile,$callee/alert.wav
ausrc_srate 8000
auplay_srate 8000
ausrc_channels 1
auplay_channels 1
audio_txmode poll
rtp_ports $rtp-$((rtp + 200))
snd_path $callee
module_path $callee/modules
module g711.so
module aufile.so
module sndfile.so
module_tmp uuid.so
module_tmp account.so
module_app menu.so
module_app answer_all.so
CONFIG
  echo "<sip:$phone@127.0.0.1>;regint=0;answer_all=yes;answermode=auto;audio_codecs=PCMU/8000/1,PCMA/8000/1" >"$callee/accounts"
  : >"$callee/contacts"
  (cd "$callee" && exec baresip -f "$callee") >"$callee/log" 2>&1 </dev/null {receiver_in}>&- &
  children+=($!)
  wait_until 15 "baresip" listens udp "$callee_port"
  step "baresip waits for calls at sip:127.0.0.1:$callee_port"
}

server_is_ready_or_gone() { ! kill -0 "$server" 2>/dev/null || curl -fsS "$management_url/readyz"; }
start_server() {
  free_port; local http=$REPLY
  free_port; local management=$REPLY
  free_port; sip_port=$REPLY
  base_url=http://$host:$http
  management_url=http://127.0.0.1:$management
  PATCHBAY_SERVER__DATA=$work/data \
    PATCHBAY_SERVER__MANAGEMENT__LISTEN=127.0.0.1:$management \
    PATCHBAY_SERVER__LOG__FORMAT=json \
    PATCHBAY_SERVER__LOG__LEVEL=debug \
    PATCHBAY_PLUGIN_REST_API__LISTEN=127.0.0.1:$http \
    PATCHBAY_PLUGIN_IDENTITY__ISSUER=$base_url \
    PATCHBAY_PLUGIN_SIP_TRUNK__LISTENPORT=$sip_port \
    PATCHBAY_TENANT_LOCALHOST__SIP_TRUNK__TRUNKS__0__PORT=$callee_port \
    PATCHBAY_TENANT_LOCALHOST__WEBHOOKS__SUBSCRIPTIONS__0__URL=http://127.0.0.1:$receiver_port/hook \
    "$build/bin/patchbay" serve -c "$here/patchbay.yaml" 2>"$work/server.log" </dev/null {receiver_in}>&- &
  server=$!
  children+=("$server")
  wait_until 30 "the server" server_is_ready_or_gone
  kill -0 "$server" 2>/dev/null || give_up "the server ended"
  step "patchbay serves $base_url"
}

# --- the call --------------------------------------------------------------------------------------------------------

take_token() {
  token=$(curl -fsS --max-time 10 "$base_url/oidc.ashx/token" -d grant_type=password -d client_id=patchbay-admin \
    -d username=admin -d password=first-call -d scope=openid | jq -er .access_token) || give_up "no token"
  step "an OIDC token by the password grant: ${token:0:16}..."
}

api() {  # METHOD PATH [JSON]
  curl -sS --max-time 10 -X "$1" "$base_url/api.ashx/v1$2" -H "Authorization: Bearer $token" ${3:+-d "$3"}
}

post_call() {
  local reply
  reply=$(api POST /calls "$(jq -n --arg phone "$phone" '{phone: $phone, displayName: "Patchbay",
    systemPrompt: "Hello, this is the first call of your new server. Answer what you are asked, and be brief.",
    maxSeconds: 60}')") || give_up "no answer to POST /v1/calls"
  call=$(jq -er .callId <<<"$reply") || give_up "POST /v1/calls: $reply"
  step "POST /api.ashx/v1/calls: $reply"
}

# Prints the complete lines of a file after the first ${read_lines[file]}.
declare -A read_lines=()
new_lines() {
  local file=$1 count
  count=$(wc -l <"$file")
  head -n "$count" "$file" | tail -n +$((${read_lines[$file]:-0} + 1))
}
mark_read() { read_lines[$1]=$((${read_lines[$1]:-0} + $2)); }

show_words() {
  local line
  while IFS= read -r line; do
    mark_read "$work/server.log" 1
    [[ $line == *\"$call\"*'"message":"'@(heard|said)'"'* ]] || continue
    line=$(jq -r '(if .message == "said" then "  AI:     " else "  Caller: " end) + .fields.text' <<<"$line")
    words+="$line"$'\n'
    step "$line"
  done < <(new_lines "$work/server.log")
}

show_events() {
  local line name good
  while IFS= read -r line; do
    mark_read "$webhook_log" 1
    name=$(jq -r '.body | fromjson.event' <<<"$line")
    good=$(jq -r '.signatureOk and .signatureV2Ok' <<<"$line")
    events+="$name:$good"$'\n'
    step "  webhook $name, signature $([[ $good == true ]] && echo good || echo BAD)"
  done < <(new_lines "$webhook_log")
}

statuses=""
words=""
events=""
watch_call() {
  local end=$((SECONDS + 120)) status=""
  until [[ $SECONDS -ge $end ]]; do
    record=$(api GET "/calls/$call") || give_up "GET /v1/calls/$call"
    status=$(jq -r .status <<<"$record")
    if [[ $statuses != *"$status "$'\n' ]]; then
      statuses+="$status "$'\n'
      step "status $status"
    fi
    show_words
    show_events
    [[ $status == ended-* || $status == cancelled ]] && [[ $events == *transcript.saved* && $events == *finished* ]] && break
    sleep 0.2
  done
}

print_transcript() {
  transcript=$(api GET "/transcripts/$call") || give_up "GET /v1/transcripts/$call"
  step "the transcript:"
  jq -r '"           \(.callId): \(.outcome), \(.durationSec) s, \(.inputTurns) turns heard, \(.outputTurns) spoken",
    (.turns[]? | "           \(.ts[11:19])  \(.speaker): \(.text)")' <<<"$transcript"
}

# --- checks ----------------------------------------------------------------------------------------------------------

must() {  # WHAT TEXT PATTERN
  if grep -qE "$3" <<<"$2"; then return; fi
  echo "MISSING: $1" >&2
  failed=1
}
check_all() {
  local status event turns
  for status in in-flight ended-success; do must "status $status" "$statuses" "^$status "; done
  for event in call.answered call.started outbound-ai.finished transcript.saved; do
    must "webhook $event with a good signature" "$events" "^$event:true"
  done
  if grep -q ':false' <<<"$events"; then must "only good signatures" "" x; fi
  must "words of the AI as they were spoken" "$words" 'AI: '
  must "words of the callee as they were heard" "$words" 'Caller: .*'
  turns=$(jq -r '.outcome, .turns[]?.speaker' <<<"$transcript")
  must "outcome finished" "$turns" '^finished$'
  must "the AI's words in the transcript" "$turns" '^AI$'
  must "the callee's words in the transcript" "$turns" '^Caller$'
  if [[ $failed == 0 ]]; then step "every step succeeded"; fi
}

stay_up() {
  trap 'exit "$failed"' TERM
  printf '%s\n' "base_url=$base_url" "tenant=$host" "token=$token" "sip=127.0.0.1:$sip_port" \
    "admin_shared_secret=$shared_secret" "webhook_log=$webhook_log" "pid=$server"
  while IFS= read -r _; do :; done
}

stop_everything() {
  local pid end=$((SECONDS + 15))
  trap '' TERM INT
  [[ -n ${receiver_in:-} ]] && exec {receiver_in}>&-
  for pid in "${children[@]}"; do kill "$pid" 2>/dev/null || true; done
  for pid in "${children[@]}"; do
    while kill -0 "$pid" 2>/dev/null; do
      [[ $SECONDS -lt $end ]] || kill -9 "$pid" 2>/dev/null || true
      sleep 0.05
    done
  done
  rm -rf "$work"
}
