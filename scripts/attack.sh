# npm run test:attack: many more random inputs and repetitions than npm test, most of them new ones each time.
set -e
now=$(date +%s)

# What is certain without bash, and what is denied.
TEST_SEED=$now TEST_CERTAIN_LINES=100000 vitest run tests/base/line/certain-line.test.ts tests/shell/router/denied-lines.test.ts

# Sessions beside bash.
for seed in 777123 "$now"; do
  TEST_SEED=$seed TEST_FUZZ_LINES=5000 vitest run tests/shell/bash/differential-fuzz.test.ts
done

# Everything else that draws random numbers, or depends on timing.
TEST_RUNS=10 vitest run tests/growth.test.ts tests/base/json tests/base/line tests/base/safe-text.test.ts tests/harness/setup \
  tests/lists tests/prompt/prompt-panel.test.ts tests/screen/panel tests/screen/terminal tests/shell/bash/bash-process.test.ts \
  tests/shell/bash/bash-session tests/shell/bash/slots.test.ts tests/todo tests/viewer
