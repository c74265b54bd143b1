/**
 * `npm run gpu -- COMMAND`: WebGPU tests and benches on a machine that has a GPU and nothing else. scripts/gpu/README.md
 * describes the order of commands.
 */
import { messageOf } from "../../src/core/base/message-of.ts";
import { gpuSteps } from "./steps.ts";

const listed = Object.entries(gpuSteps).map(
  ([name, { about, limit }]) => `    ${name.padEnd(12)} ${about} (${limit} s)`,
);
const usage = [
  "npm run gpu -- COMMAND",
  "  pack               here: gathers Node, Chromium, packages and models into .gpu/call1, …; wants MIDTOKEN_MODELS, Debian and apt-get",
  "  check              there: what WebGPU offers, and which switches of Chromium give it; ends with 4 without a card, 5 if it computes wrong",
  "  run STEP[:SECONDS] …   there: tests and benches, each with a time limit; logs and rows go to $OUT (test-results/gpu):",
  ...listed,
  "  pretend FOLDER [--own-name]   here: a software driver under a card's name; then FOLDER/run before check and run;",
  "                     --own-name: under its own name, llvmpipe, but said to be a card: the runtime takes the kernels of other vendors",
].join("\n");

const commands: Readonly<Record<string, (rest: readonly string[]) => Promise<number>>> = {
  async pack(rest) {
    if (rest.length > 0) throw new Error(`pack wants nothing behind it, and got "${rest.join(" ")}".`);
    (await import("./pack.ts")).packForGpuMachine();
    return 0;
  },
  check: async () => (await import("./check.ts")).checkGpu(),
  run: async (rest) => (await import("./run.ts")).runGpuSteps(rest),
  async pretend(rest) {
    const [folder, ...others] = rest.filter((each) => each !== "--own-name");
    if (!folder || others.length > 0)
      throw new Error("pretend wants one folder: npm run gpu -- pretend FOLDER [--own-name]");
    const { makePretendedCard } = await import("./pretend.ts");
    console.log(
      `Written. Use it so: ${makePretendedCard(folder, rest.includes("--own-name"))} npm run gpu -- check`,
    );
    return 0;
  },
};

const [command = "", ...rest] = process.argv.slice(2);
const chosen = Object.hasOwn(commands, command) ? commands[command] : undefined;
if (!chosen || rest.includes("--help")) {
  const isHelp = command === "--help" || command === "" || rest.includes("--help");
  console.log(isHelp ? usage : `There is no command "${command}".\n${usage}`);
  process.exitCode = isHelp ? 0 : 2;
} else {
  try {
    process.exitCode = await chosen(rest);
  } catch (error) {
    console.error(messageOf(error));
    process.exitCode = 2;
  }
}
