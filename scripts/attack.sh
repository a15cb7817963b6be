# npm run test:attack: many more random inputs and repetitions than npm test, most of them new ones each time. One run: what fails
# in one part hides no other.
TEST_SEED=$(date +%s) TEST_CERTAIN_LINES=100000 TEST_FUZZ_LINES=10000 TEST_RUNS=10 exec vitest run "$@" \
  tests/base/json tests/base/line tests/base/safe-text.test.ts tests/growth.test.ts tests/harness/setup tests/lists \
  tests/prompt/prompt-panel.test.ts tests/screen/panel tests/screen/terminal tests/shell/bash/bash-process.test.ts \
  tests/shell/bash/bash-session tests/shell/bash/differential-fuzz.test.ts tests/shell/bash/slots.test.ts \
  tests/shell/router/denied-lines.test.ts tests/todo tests/viewer
