/** Puts the worker's answers within reach of the tests: `call(command)` on the window. */
import type { Command, Outcome } from "./files-worker.ts";

const worker = new Worker(new URL("./files-worker.ts", import.meta.url), { type: "module" });
const waiting: ((outcome: Outcome) => void)[] = [];
worker.onmessage = ({ data }: MessageEvent<Outcome>) => waiting.shift()?.(data);

declare global {
  var call: (command: Command) => Promise<Outcome>;
}
globalThis.call = (command) =>
  new Promise((resolve) => {
    waiting.push(resolve);
    worker.postMessage(command);
  });
