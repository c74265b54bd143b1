/**
 * Features of an isolated page that a mod must not get: memory that threads share, and the finer clocks that browsers give with
 * it. The frame's own walls have to hold these back too, since a browser decides by the frame.
 */
import type { Attack } from "./attack.ts";

const asReport = { judge: "report", isAskedOfWall: true } as const;

export const isolationAttacks: readonly Attack[] = [
  {
    name: "isolated-realm",
    ...asReport,
    body: `const found = []; if (globalThis.crossOriginIsolated === true) found.push("crossOriginIsolated"); if (typeof SharedArrayBuffer === "function") found.push("SharedArrayBuffer"); return found.length > 0 ? found : undefined;`,
  },
  {
    // A clock of one's own: another thread counts in memory that both see.
    name: "counting-thread",
    ...asReport,
    body: `const wait = (ms) => new Promise((resolve) => setTimeout(resolve, ms));
const { buffer } = new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }); const count = new Int32Array(buffer);
const counter = new Worker(URL.createObjectURL(new Blob(["onmessage = ({ data }) => { const end = performance.now() + 400; while (performance.now() < end) Atomics.add(data, 0, 1); }"])));
counter.postMessage(count); for (let i = 0; i < 60 && Atomics.load(count, 0) === 0; i++) await wait(50);
return Atomics.load(count, 0) > 0 ? "counted to " + Atomics.load(count, 0) : undefined;`,
  },
  {
    // 5 µs in Chromium and 20 µs in Firefox where isolated; 100 µs and a millisecond where not.
    name: "fine-clock",
    ...asReport,
    body: `let least = Infinity; for (let found = 0, last = performance.now(), end = last + 300; found < 200 && last < end; ) { const now = performance.now(); if (now > last) { least = Math.min(least, now - last); last = now; found++; } }
return least < 0.05 ? "steps of " + Math.round(least * 1000) + " µs" : undefined;`,
  },
];
