/** The engine's side of the suite, in any thread. */
import type { LoopEvent, ModHost, ModReply } from "../../src/core/decoder/ports/mod-host.ts";
import { runDecode } from "../../src/core/decoder/testing/run-decode.ts";
import type { CompiledModInfo } from "../../src/runtime/sandbox/compiled-mod.ts";
import type { Deadlines } from "../../src/runtime/sandbox/deadlines.ts";
import { connectModHost } from "../../src/runtime/sandbox/port-mod-host.ts";
import type { SandboxPorts } from "../../src/runtime/sandbox/protocol.ts";
import { lettersTokenizer } from "../../src/runtime/sandbox/testing/letters.ts";

export interface ModTask extends SandboxPorts {
  readonly about: CompiledModInfo;
  readonly seed: number;
  readonly deadlines: Partial<Deadlines>;
  /** Events to ask about, one after the other; or a whole request of the decode loop. */
  readonly events: readonly LoopEvent["type"][] | "decode";
}

/** The result of a task. */
export interface ModTaskResult {
  readonly replies: readonly ModReply[];
  readonly finishReason: string | null;
  /** The damage to the engine's own realm; null if there is none. */
  readonly damage: string | null;
}

/** Two hundred and fifty-seven tokens, as the scripted model of the decode loop has. */
export const tokenizerData = { ...lettersTokenizer, vocabSize: 257 };

const base = { requestId: "r1", step: 3 } as const;
const sizes = { layerCount: 2, hiddenSize: 3 } as const;
const row = Float32Array.from({ length: 257 }, (_, token) => Math.sin(token));
const events: { readonly [Type in LoopEvent["type"]]?: Extract<LoopEvent, { type: Type }> } = {
  prefilled: {
    ...base,
    type: "prefilled",
    tokens: [8, 9],
    messages: [{ role: "user", content: "hi" }],
    tools: [],
    responseFormat: null,
    maxTokens: 5,
    sizes,
  },
  forwardPass: {
    ...base,
    type: "forwardPass",
    logits: row,
    hidden: false,
    emitted: [],
    sizes,
    activations: { hiddenStates: new Map([[1, Float32Array.of(1, -0.5, 3)]]), lens: new Map() },
  },
  added: {
    ...base,
    type: "added",
    tokens: [1, 2],
    text: "ab",
    source: "sampled",
    mod: null,
    isEos: false,
    hidden: false,
    emitted: [],
  },
};

export async function performTask(task: ModTask, onKill: () => void): Promise<ModTaskResult> {
  const { about, seed, deadlines } = task;
  const host = await connectModHost(task, { name: "attack", about, seed, tokenizerData, deadlines, onKill });
  const replies = task.events === "decode" ? [] : await ask(host, task.events);
  const finishReason = task.events === "decode" ? await decodeWith(host) : null;
  host.dispose();
  return { replies, finishReason, damage: damage(replies) };
}

async function ask(host: ModHost, types: readonly LoopEvent["type"][]): Promise<ModReply[]> {
  const replies: ModReply[] = [];
  for (const type of types) {
    const event = events[type];
    if (!event) throw new Error(`The suite has no ${type} event.`);
    replies.push(await host.ask(event));
  }
  return replies;
}

async function decodeWith(host: ModHost): Promise<string> {
  const { finished } = await runDecode({ prompt: "a", mods: [host], request: { maxTokens: 10 } });
  return finished.reason;
}

/** Looks at what a payload might have done to this realm, and whether actions are plain objects of ours. */
function damage(replies: readonly ModReply[]): string | null {
  if ("polluted" in {}) return "Object.prototype is polluted";
  for (const { action } of replies) {
    if (Object.getPrototypeOf(action) !== Object.prototype) return "an action has a prototype of its own";
    if (
      Object.keys(action).some(
        (name) =>
          !["type", "tokens", "count", "logits", "message", "calls", "vectors", "layer", "vector"].includes(
            name,
          ),
      )
    ) {
      return `an action has the fields ${Object.keys(action).join(", ")}`;
    }
  }
  return null;
}
