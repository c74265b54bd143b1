/** The engine's worker of the bench: asks mods and takes the time. */

import { topKOf } from "../../../src/core/decoder/logits/top-k.ts";
import type { LoopEvent, ModHost } from "../../../src/core/decoder/ports/mod-host.ts";
import type { Tokenizer } from "../../../src/core/sdk/tokenizer.ts";
import { createTokenizer, type TokenizerData } from "../../../src/core/tokenizer/create-tokenizer.ts";
import type { CompiledModInfo } from "../../../src/runtime/sandbox/compiled-mod.ts";
import {
  connectModHost,
  defaultDeadlines,
  serializeTokenizer,
} from "../../../src/runtime/sandbox/port-mod-host.ts";
import type { SandboxPorts } from "../../../src/runtime/sandbox/protocol.ts";
import { timed } from "./timed.ts";
import { measureTokenOfMods } from "./token-of-mods.ts";

export type BenchTask =
  | { readonly type: "tokenizer"; readonly data: TokenizerData; readonly vocabulary: number }
  | { readonly type: "selection" }
  | (SandboxPorts & { readonly type: "connect"; readonly about: CompiledModInfo; readonly isBusy: boolean })
  | { readonly type: "ask"; readonly event: "forwardPass" | "added" }
  /** Measures the time that the connected mods add to a token of the decode loop; `echoPorts` lead to as many echoes. */
  | { readonly type: "tokenOfMods"; readonly echoPorts: readonly MessagePort[] }
  /** Milliseconds from the deadline to the fault. */
  | { readonly type: "askBusy" }
  | { readonly type: "dispose" };

/** Logits as models give them: a bell with a few that stand out. */
function rowOf(vocabulary: number): Float32Array {
  return Float32Array.from({ length: vocabulary }, (_, token) => {
    const bell = Array.from({ length: 4 }, (_, part) => Math.sin(token * (part + 1.37))).reduce(
      (a, b) => a + b,
      0,
    );
    return 2 * bell + (token % 4999 === 7 ? 12 : 0);
  });
}

const logSumExp = 20;
let row: Float32Array = new Float32Array();
const eventOf = {
  forwardPass: () => ({
    type: "forwardPass",
    requestId: "r",
    step: 1,
    logits: row,
    top: (count: number) => topKOf(row, count, logSumExp),
    hidden: false,
    emitted: [],
  }),
  added: () => ({
    type: "added",
    requestId: "r",
    step: 1,
    tokens: [5],
    text: "a",
    source: "sampled",
    mod: null,
    isEos: false,
    hidden: false,
    emitted: [],
  }),
} as const satisfies Record<string, () => LoopEvent>;

let data: TokenizerData | null = null;
let tokenizer: Tokenizer | null = null;
/** Connected and not disposed of; `ask` speaks to the last one. */
const hosts: ModHost[] = [];
/** Theirs. */
const ports: MessagePort[] = [];

async function perform(task: BenchTask): Promise<unknown> {
  switch (task.type) {
    case "tokenizer":
      data = { ...task.data, vocabSize: task.vocabulary };
      tokenizer = createTokenizer(data);
      row = rowOf(task.vocabulary);
      return serializeTokenizer(data);
    case "selection":
      return timed(() => Promise.resolve(topKOf(row, 64, logSumExp)));
    case "connect":
      return connect(task);
    case "ask":
      return timed(() => ask(hosts.at(-1), eventOf[task.event]()));
    case "tokenOfMods":
      if (tokenizer === null) throw new Error("The bench has no tokenizer yet.");
      return measureTokenOfMods({ tokenizer, row, mods: hosts, ports, echoPorts: task.echoPorts });
    case "askBusy": {
      const start = performance.now();
      const reply = await hosts.at(-1)?.ask(eventOf.added());
      if (reply?.fault?.kind !== "timeout") throw new Error("The busy loop was not stopped at its deadline.");
      return performance.now() - start - defaultDeadlines.event;
    }
    case "dispose":
      for (const host of hosts.splice(0)) host.dispose();
      ports.length = 0;
      return null;
  }
}

/** A round trip is timed however long it takes: other work on this machine must not end it. */
const patience = { event: 20_000 };

async function connect(task: Extract<BenchTask, { type: "connect" }>): Promise<void> {
  const { port, about, isBusy } = task;
  if (data === null) throw new Error("The bench has no tokenizer yet.");
  const onKill = () => postMessage({ type: "kill" });
  const deadlines = isBusy ? defaultDeadlines : patience;
  const options = { name: "bench", about, seed: 1, tokenizerData: data, deadlines, onKill };
  hosts.push(await connectModHost(task, options));
  ports.push(port);
}

async function ask(host: ModHost | undefined, event: LoopEvent): Promise<void> {
  const reply = await host?.ask(event);
  if (!reply || reply.fault) throw new Error(`The mod did not answer: ${reply?.fault?.message}`);
}

addEventListener("message", ({ data: task }: MessageEvent<BenchTask>) => {
  perform(task).then(
    (value) => postMessage({ type: "done", value }),
    (error: Error) => postMessage({ type: "failed", message: error.message }),
  );
});
