/** Attempts on the protocol by what guests declare of layers and by the vectors that they answer with: see hostile.ts. */
import { type Hostile, hostileGuest, protocol } from "./hostile.ts";

/** Declares layer 1 of a model with 2 layers and hidden states of 3 numbers. */
const declared = `{ layers: [1], hiddenStates: true, lens: [] }`;

const steering = (name: string, entry: string, more: Partial<Hostile> = {}): Hostile =>
  protocol(name, "", {
    program: hostileGuest(
      `let entry; try { entry = ${entry}; } catch {} post({ ...reply, action: { type: "steer", vectors: [entry] } });`,
      declared,
    ),
    event: "prefilled",
    ...more,
  });

const vector = `vector: Float32Array.of(1, 2, 3)`;

export const vectorAttempts: readonly Hostile[] = [
  steering("NaN in a vector", `{ layer: 1, scale: 1, vector: Float32Array.of(1, NaN, 3) }`, {
    faults: ["invalid-action", "invalid-action"],
    says: "vector[1] is NaN",
  }),
  steering("a vector of another length", `{ layer: 1, scale: 1, vector: new Float32Array(1e6) }`),
  steering(
    "a vector inside of much more",
    `{ layer: 1, scale: 1, vector: new Float32Array(new ArrayBuffer(1 << 24), 64, 3) }`,
    { faults: ["protocol|timeout", "protocol|timeout"] },
  ),
  steering(
    "a vector in shared memory",
    `{ layer: 1, scale: 1, vector: new Float32Array(new WebAssembly.Memory({ initial: 1, maximum: 1, shared: true }).buffer, 0, 3) }`,
    { faults: ["protocol|timeout", "protocol|timeout"] },
  ),
  steering("a layer that was not declared", `{ layer: 0, scale: 1, ${vector} }`),
  steering("a scale without end", `{ layer: 1, scale: Infinity, ${vector} }`),
  protocol("vectors without layers", `post({ ...reply, action: { type: "patch", layer: 1, ${vector} } });`, {
    event: "prefilled",
  }),
  protocol("layers without end", "post(reply);", {
    program: hostileGuest("post(reply);", "{ layers: new Array(1e6).fill(1), hiddenStates: true, lens: [] }"),
    event: "prefilled",
  }),
  {
    name: "a hidden state, and a vector made of it",
    source: `import { mod } from "midtoken/mod";
export default mod({ layers: [1], forwardPass(event, actions) {
  const own = event.hiddenState(1);
  console.log(own.length, own.buffer.byteLength, event.hiddenState(1) === own);
  const action = actions.patch({ layer: 1, vector: own.fill(7) });
  own[0] = 9;
  console.log(event.hiddenState(1).join());
  return action;
} });
`,
    event: "forwardPass",
    faults: [null, null],
    action: { type: "patch", layer: 1, vector: { 0: 7, 1: 7, 2: 7 } },
    logs: ["3 12 false", "1,-0.5,3", "3 12 false", "1,-0.5,3"].join("\n"),
  },
];
