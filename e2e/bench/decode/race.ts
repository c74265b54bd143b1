/** Ours, the peer and the bare session on the same tokens in one page, taking turns. */
import type { LanguageModel } from "../../../src/decoder/language-model.ts";
import type { TokenId } from "../../../src/sdk/request.ts";
import { openBare } from "./bare.ts";
import { openBundle, ourRival } from "./ours.ts";
import { openPeer } from "./peer.ts";
import type { Generated, Subject } from "./rival.ts";

export interface RaceOptions {
  readonly subject: Subject;
  readonly device: "wasm" | "webgpu";
  /** Tokens of one generation that are timed: those after the first. */
  readonly timedTokens: number;
  /** Generations of each rival before any counts. */
  readonly warmUps: number;
  readonly rounds: number;
}

/** Milliseconds per token, one value per round. */
export interface RaceResult {
  readonly ours: readonly number[];
  readonly peer: readonly number[];
  /** `session.run` alone; empty on WebGPU. */
  readonly bare: readonly number[];
  /** Our model's `forward` alone, without the loop; empty on WebGPU. */
  readonly forward: readonly number[];
  readonly text: string;
  /** What the engine says about its device. */
  readonly reason: string;
}

/** @throws Error when the rivals do not give the same prompt, tokens and text: then they did not do the same work. */
export async function race(options: RaceOptions): Promise<RaceResult> {
  const { subject, device, timedTokens, warmUps, rounds } = options;
  const bundle = await openBundle(subject, device);
  const ours = ourRival(bundle, subject.content);
  const peer = await openPeer(subject, device);
  const { prompt } = ours;
  same("prompts", prompt, peer.prompt);
  const first = await ours.generate(timedTokens + 1);
  const { tokens } = first;
  const bare = device === "wasm" ? await openBare(subject, roundUp(prompt.length + timedTokens)) : null;

  const times = { ours: [] as number[], peer: [] as number[], bare: [] as number[], forward: [] as number[] };
  const turns: (() => Promise<void>)[] = [
    async () => void times.ours.push(checked(await ours.generate(timedTokens + 1), first)),
    async () => void times.peer.push(checked(await peer.generate(timedTokens + 1), first)),
  ];
  if (bare) {
    turns.push(
      async () => void times.bare.push(await bare.replay(prompt, tokens)),
      async () => void times.forward.push(await replayForward(bundle.model, prompt, tokens)),
    );
  }
  for (let round = 0; round < warmUps + rounds; round++) {
    // Another one begins each round, so that none always follows the same other.
    for (let i = 0; i < turns.length; i++) await turns[(round + i) % turns.length]?.();
  }
  await Promise.all([ours.dispose(), peer.dispose(), bare?.release()]);
  const [oursMs, peerMs, bareMs, forwardMs] = [times.ours, times.peer, times.bare, times.forward].map(
    (values) => values.slice(warmUps),
  ) as [number[], number[], number[], number[]];
  const { text } = first;
  return { ours: oursMs, peer: peerMs, bare: bareMs, forward: forwardMs, text, reason: bundle.info.reason };
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

function checked(generated: Generated, expected: Generated): number {
  same("tokens", generated.tokens, expected.tokens);
  same("texts", [generated.text.trim()], [expected.text.trim()]);
  return generated.perTokenMs;
}

function same(what: string, a: readonly unknown[], b: readonly unknown[]): void {
  const at = a.findIndex((value, i) => value !== b[i]);
  if (at < 0 && a.length === b.length) return;
  throw new Error(`The rivals' ${what} differ at ${at}: ${JSON.stringify(a)} and ${JSON.stringify(b)}.`);
}

/** The runtime's caches are multiples of 16 rows here, as an engine would make them. */
function roundUp(rows: number): number {
  return 16 * Math.ceil(rows / 16);
}
