/**
 * The unit test files that `npm test` leaves to `npm run test:all`, by the reason why they take long. Plain JavaScript:
 * `scripts/test.mjs` reads the list before anything is built. Every file that is not named here runs in both.
 */
export const longFiles = {
  "pack the package, or build apps from it": [
    "scripts/package/entries.test.ts",
    "scripts/package/package.test.ts",
    "scripts/package/types.test.ts",
    "scripts/package/vite-app.test.ts",
    "scripts/package/webpack-app.test.ts",
  ],
  "start a process for each test": [
    "scripts/unit-tests/setup.test.ts",
    "src/package/node/cli/command-line.test.ts",
    "src/package/node/cli/serve-killed.test.ts",
    "src/package/node/cli/serve-openai.test.ts",
    "src/package/node/cli/serve-rpc.test.ts",
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
    "src/core/base/testing/retained-memory.test.ts",
    "src/core/tokenizer/tokenizer-memory.test.ts",
    "src/core/trace/opened-memory.test.ts",
    "src/core/trace/unpacked.test.ts",
    "src/package/api/request-store.test.ts",
    "src/package/http/read-json-body.test.ts",
    "src/package/node/compiler-heap.test.ts",
    "src/package/node/engine-heap.test.ts",
  ],
  "load a model again for each test": ["src/runtime/session/open-layers.test.ts"],
  "compare with a second implementation on whole corpora or many random cases": [
    "scripts/models/models.test.ts",
    "src/core/decoder/activations/request-activations.property.test.ts",
    "src/core/decoder/kv-cache/prompt-lookup.property.test.ts",
    "src/core/decoder/logits/gpu-logits.test.ts",
    "src/core/decoder/replay/prefetched-replies.test.ts",
    "src/core/masks/masks/constraint.test.ts",
    "src/core/masks/masks/corpus-tokens.test.ts",
    "src/core/masks/masks/differential.test.ts",
    "src/core/masks/masks/distinct-mask.test.ts",
    "src/core/masks/masks/qwen3.test.ts",
    "src/core/masks/json-schema/scalars/number-texts.test.ts",
    "src/core/masks/strategies/strategy.qwen3.test.ts",
    "src/core/masks/strategies/strategy.test.ts",
    "src/core/masks/masks/string-terminal.test.ts",
    "src/core/sdk/flow/hidden.bundled.test.ts",
    "src/core/tokenizer/merge-word.test.ts",
    "src/core/tools/enforce.exported.test.ts",
    "src/core/tools/enforce.test.ts",
    "src/core/trace/codec/codec.test.ts",
    "src/core/trace/steps.test.ts",
    "src/package/api/cut-calls.test.ts",
    "src/runtime/engine/onnx/codec.exported.test.ts",
    "src/runtime/engine/onnx/codec.test.ts",
  ],
};

/** Files that take long only if real models are there. They run in both, and first (`long-files-first.ts`). */
export const longWithModels = [
  "src/page/examples/docs.instruct.test.ts",
  "src/page/examples/examples.replace.instruct.test.ts",
  "src/page/examples/quote-cases.instruct.test.ts",
  "src/package/http/openai-client.instruct.test.ts",
];
