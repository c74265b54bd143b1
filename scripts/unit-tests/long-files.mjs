/**
 * The unit test files that `npm test` leaves to `npm run test:all`, by the reason why they take long. Plain JavaScript:
 * `scripts/test.mjs` reads the list before anything is built. Every file that is not named here runs in both.
 */
export const longFiles = {
  "pack the package, or build apps from it": [
    "scripts/package/package.test.ts",
    "scripts/package/types.test.ts",
    "scripts/package/webpack-app.test.ts",
  ],
  "start a process for each test": [
    "scripts/unit-tests/setup.test.ts",
    "src/package/node/cli/command-line.test.ts",
    "src/package/node/cli/serve-openai.test.ts",
    "src/runtime/engine/wasm/wasm-mailbox.test.ts",
  ],
  "attack: every escape attempt in Node, endless work, damaged files": [
    "src/core/decoder/replay/hostile-branches.test.ts",
    "src/core/trace/mutants.test.ts",
    "src/core/trace/file/permalink.fuzz.test.ts",
    "src/package/node/endless-commands.test.ts",
    "src/package/node/endless-models.test.ts",
    "src/package/node/quickjs/gallery.test.ts",
    "src/package/node/quickjs/quickjs-memory.test.ts",
    "src/package/node/quickjs/suite.attacks.test.ts",
    "src/package/node/quickjs/suite.denial.test.ts",
    "src/package/node/quickjs/suite.protocol.test.ts",
    "src/runtime/session/hostile-layers.test.ts",
  ],
  "fill memory and measure how much": [
    "src/core/base/testing/held-memory.test.ts",
    "src/core/tokenizer/tokenizer-memory.test.ts",
    "src/core/trace/opened-memory.test.ts",
    "src/core/trace/unpacked.test.ts",
    "src/package/api/request-store.test.ts",
    "src/package/http/read-json-body.test.ts",
  ],
  "compare with a second implementation on whole corpora or many random cases": [
    "scripts/models/models.test.ts",
    "src/core/decoder/activations/request-activations.property.test.ts",
    "src/core/decoder/kv-cache/prompt-lookup.property.test.ts",
    "src/core/masks/corpus-tokens.test.ts",
    "src/core/masks/differential.test.ts",
    "src/core/masks/distinct-mask.test.ts",
    "src/core/masks/strategy.test.ts",
    "src/core/masks/string-terminal.test.ts",
    "src/core/sdk/flow/hidden.bundled.test.ts",
    "src/core/tools/enforce.test.ts",
    "src/core/trace/codec/codec.test.ts",
    "src/package/api/cut-calls.test.ts",
  ],
};
