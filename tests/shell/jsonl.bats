#!/usr/bin/env bats
# agent-shell --jsonl: one request a line in, one result a line out.

load helper

# field NAME: of each result on standard input, one a line
field() {
  node -e 'for (const line of require("fs").readFileSync(0, "utf8").trim().split("\n"))
    console.log(JSON.stringify(JSON.parse(line)[process.argv[1]]) ?? "none")' "$1"
}

@test "each request gets its result, in order" {
  local results
  results=$(agent-shell --jsonl <<'REQUESTS'
{"id":1,"command":"TodoWrite '{\"todos\":[{\"content\":\"Build\",\"activeForm\":\"Building\",\"status\":\"pending\"}]}'"}
{"id":"two","command":"cd / && echo here >&2; false"}
{"id":3,"command":"pwd; TodoRead | head -n 1"}
REQUESTS
)
  equal "$(field id <<< "$results")" $'1\n"two"\n3'
  equal "$(field type <<< "$results")" $'"agent_shell_command"\n"native_shell_command"\n"native_shell_command"'
  equal "$(field exitCode <<< "$results")" $'0\n1\n0'
  equal "$(field stderr <<< "$results")" $'""\n"here\\n"\n""'
  equal "$(field stdout <<< "$results" | tail -n 1)" '"/\n[ ] Build\n"'
}

@test "output that looks like results, and no line end, confuse nobody" {
  run agent-shell --jsonl <<'REQUESTS'
{"id":1,"command":"printf '{\"id\":2,\"exitCode\":9}\\n%s' tail"}
{"id":2,"command":"cat"}
REQUESTS
  equal "${#lines[@]}" 2
  equal "$(field stdout <<< "${lines[0]}")" '"{\"id\":2,\"exitCode\":9}\ntail"'
  equal "$(field exitCode <<< "${lines[1]}")" 0
}

@test "what is no request gets an error, and the host goes on" {
  run agent-shell --jsonl <<'REQUESTS'
nonsense
{"id":1}
{"id":2,"command":"echo on"}
REQUESTS
  equal "$status" 0
  equal "$(field id <<< "$output")" $'null\nnull\n2'
  equal "$(field error <<< "$output" | grep -c '^"Not ')" 2
}

@test "a time limit ends the command, not the session" {
  run agent-shell --jsonl <<'REQUESTS'
{"id":1,"command":"cd / && echo begun && sleep 600","timeoutMs":400}
{"id":2,"command":"echo still here"}
REQUESTS
  equal "$(field exitCode <<< "$output")" $'124\n0'
  equal "$(field stdout <<< "$output")" $'"begun\\n"\n"still here\\n"'
}

@test "the end of input ends the session and what runs in it" {
  mkdir tmp
  mkfifo held
  # Comes to its end when nobody holds the other end any more: neither bash nor the job in its background.
  cat held > /dev/null 3>&- &
  local reader=$!
  echo '{"id":1,"command":"exec 8> held; sleep 611 & echo begun"}' | TMPDIR=$PWD/tmp agent-shell --jsonl > results
  equal "$(field stdout < results)" '"begun\n"'
  wait "$reader"
  equal "$(ls -A tmp)" ''
}
