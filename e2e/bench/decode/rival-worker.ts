/** A thread of one rival's own, as an engine has it: its runtime is made with so many threads, and no other rival's is. */
import type { LanguageModel } from "../../../src/core/decoder/ports/language-model.ts";
import type { TokenId } from "../../../src/core/sdk/request.ts";
import type { Generated, Subject } from "./rival.ts";
import { answerCalls } from "./worker-calls.ts";

export interface OpenOptions {
  readonly kind: "ours" | "peer" | "bare";
  readonly subject: Subject;
  readonly device: "wasm" | "webgpu";
  readonly threads: number;
  /** Rows of cache, for the bare session. */
  readonly capacity: number;
}

interface Opened {
  /** Empty for the bare session, which is told. */
  readonly prompt: readonly TokenId[];
  /** The same as text, special tokens by their names; of ours alone. */
  readonly promptText: string;
  /** The engine's description of its device. */
  readonly adapter: string;
  generate(count: number): Promise<Generated>;
  goOn(count: number): Promise<Generated>;
  /** Milliseconds per token of feeding the prompt and then all but the last of `tokens`, the prompt apart. */
  replay(prompt: readonly TokenId[], tokens: readonly TokenId[]): Promise<number>;
  dispose(): Promise<void>;
}

const none = (): never => {
  throw new Error("This rival does not do that.");
};

async function openOurs({ subject, device, threads }: OpenOptions): Promise<Opened> {
  // The engine asks how many processors there are, and takes both of two.
  Object.defineProperty(navigator, "hardwareConcurrency", { value: threads });
  const { openBundle, ourRival } = await import("./ours.ts");
  const bundle = await openBundle(subject, device);
  const rival = ourRival(bundle, subject.content);
  const replay = (prompt: readonly TokenId[], tokens: readonly TokenId[]) =>
    replayForward(bundle.model, prompt, tokens);
  const promptText = bundle.tokenizer.decode(rival.prompt, { specialTokens: "parse" });
  return { ...rival, promptText, adapter: bundle.info.adapter, replay };
}

async function replayForward(
  model: LanguageModel,
  prompt: readonly TokenId[],
  tokens: readonly TokenId[],
): Promise<number> {
  model.truncate(0);
  await model.forward(prompt);
  const startMs = performance.now();
  for (let i = 0; i < tokens.length - 1; i++) await model.forward(tokens.slice(i, i + 1));
  return (performance.now() - startMs) / (tokens.length - 1);
}

const openers: Readonly<Record<OpenOptions["kind"], (options: OpenOptions) => Promise<Opened>>> = {
  ours: openOurs,
  async peer({ subject, device, threads }) {
    const { openPeer } = await import("./peer.ts");
    return { ...(await openPeer(subject, device, threads)), promptText: "", adapter: "", replay: none };
  },
  async bare({ subject, capacity, threads }) {
    const { openBare } = await import("./bare.ts");
    const { replay, release } = await openBare(subject, capacity, threads);
    return { prompt: [], promptText: "", adapter: "", generate: none, goOn: none, replay, dispose: release };
  },
};

let opened: Opened | null = null;
const current = (): Opened => opened ?? none();

const rivalFunctions = {
  async open(options: OpenOptions) {
    opened = await openers[options.kind](options);
    const { prompt, promptText, adapter } = opened;
    return { prompt, promptText, adapter };
  },
  generate: (count: number) => current().generate(count),
  goOn: (count: number) => current().goOn(count),
  replay: (prompt: readonly TokenId[], tokens: readonly TokenId[]) => current().replay(prompt, tokens),
  dispose: () => current().dispose(),
};
export type RivalFunctions = typeof rivalFunctions;
answerCalls(rivalFunctions);
