/** The steps of `npm run gpu -- run`, each with its command and its time limit. */

export interface GpuStep {
  readonly about: string;
  /** Seconds; STEP:SECONDS on the command line overrides them. */
  readonly limit: number;
  /** A program of node_modules/.bin and its arguments. */
  readonly command: readonly string[];
}

const bench = (name: string, ...args: string[]): string[] => [
  "tsx",
  `e2e/bench/${name}.bench.ts`,
  "--json",
  "--device",
  "gpu",
  ...args,
];
const decode = (only: string): string[] => bench("decode", "--only", only);

const tests = (...files: string[]): string[] => [
  "playwright",
  "test",
  ...["--config", "e2e/playwright.config.ts"],
  "--project=webgpu",
  // The second reporter names tests that run for long.
  "--reporter=list,scripts/gpu/running-tests.ts,json",
  ...files,
];

/** In the order of the README. */
export const gpuSteps = {
  conformance: {
    about: "the WebGPU tests of the project, and those of @huggingface/transformers on WebGPU",
    limit: 420,
    command: tests("--workers=2", "e2e/webgpu", "e2e/peer/transformers.spec.ts"),
  },
  adapter: {
    about: "one of these tests: the browser has an adapter",
    limit: 120,
    command: tests("e2e/webgpu/adapter.spec.ts"),
  },
  decode: {
    about: "decode(), our forward() and generate() on the bundled model",
    limit: 120,
    command: decode("webgpu"),
  },
  gpu: { about: "bytes read back, and the pass that begins ahead", limit: 120, command: decode("gpu") },
  forced: { about: "64 forced tokens in one pass", limit: 120, command: decode("forced") },
  peer2048: { about: "a token at 2,048 tokens of context", limit: 120, command: decode("peer2048") },
  cost: { about: "a pass of several tokens, in passes of one", limit: 120, command: decode("cost") },
  long: { about: "40 tokens in one pass, from WebAssembly's logits", limit: 120, command: decode("long") },
  shapes: {
    about: "decode() against generate() on SmolLM2's and Qwen3's shapes, q4 and q4f16",
    limit: 400,
    command: decode("shapes"),
  },
  graphs: { about: "every exporter's graph, token for token", limit: 240, command: decode("graphs") },
  layers: {
    about: "layers read and steered",
    limit: 240,
    command: bench("layers", "--only", "bundled,cuts"),
  },
  kv: {
    about: "edits, backtracks and forced spans in the cache",
    limit: 120,
    command: bench("kv", "--only", "webgpu"),
  },
} as const satisfies Readonly<Record<string, GpuStep>>;

export type GpuStepName = keyof typeof gpuSteps;

export interface WantedGpuStep {
  readonly name: GpuStepName;
  readonly seconds: number;
}

/** Reads "decode" and "decode:60". @throws Error for an unknown step, invalid seconds, or an empty list */
export function readSteps(texts: readonly string[]): WantedGpuStep[] {
  const names = Object.keys(gpuSteps).join(", ");
  if (texts.length === 0) throw new Error(`Which steps? There are ${names}.`);
  return texts.map((text) => {
    const [name = "", seconds] = text.split(":");
    if (!Object.hasOwn(gpuSteps, name)) throw new Error(`There is no step "${name}". There are ${names}.`);
    const known = name as GpuStepName;
    if (seconds === undefined) return { name: known, seconds: gpuSteps[known].limit };
    if (!/^[1-9]\d*$/.test(seconds))
      throw new Error(`"${text}" has no number of seconds behind the colon. Write ${name}:60, for example.`);
    return { name: known, seconds: Number(seconds) };
  });
}

/**
 * Milliseconds of one test: a test that hangs fails by itself, and the tests behind it still run. A step with much time is one on
 * software that poses as a card, which compiles kernels for minutes: there a test has a tenth of the step's time.
 */
function testLimitMs(seconds: number): number {
  return Math.max(90_000, seconds * 100);
}

/** The program of node_modules/.bin that a step starts, and its arguments. */
export function commandOf({ name, seconds }: WantedGpuStep): readonly string[] {
  const command: readonly string[] = gpuSteps[name].command;
  return command[0] === "playwright" ? [...command, `--timeout=${testLimitMs(seconds)}`] : command;
}
