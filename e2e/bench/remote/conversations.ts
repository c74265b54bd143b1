/**
 * 16 conversations at once on one server, streamed and step by step, with tokens taken back: each row against the model that runs
 * here. Then the same on a server with a RAM cache of prompts, which is refused unless the user accepts it.
 */
import { exactLlamaFlags, type LlamaServerOptions } from "../../../scripts/remote/start-server.ts";
import { createFolderSource } from "../../../src/package/node/folder-source.ts";
import { createHttpExchange } from "../../../src/package/node/http-exchange.ts";
import { loadModel, type ModelBundle } from "../../../src/runtime/engine/load/load-model.ts";
import { bestToken } from "../../../src/runtime/engine/testing/greedy.ts";
import { loadRemoteModel } from "../../../src/runtime/remote/load-remote-model.ts";
import { atMost, type BenchRow, exactly, figure } from "../machine.ts";
import { asMap, worstOfTop } from "./compare.ts";
import { storyFolder, storyReference, withServer, writeStory } from "./servers.ts";

const conversations = 16;
/** Each round begins with new texts, in the slots of the round before. */
const rounds = 2;
const steps = 120;
/** After so many tokens, some are taken back and the second most likely token is taken. */
const turnEvery = 25;
const takenBack = 10;
const compared = 64;
const mostDifference = 1e-3;

interface SeenRow {
  readonly text: readonly number[];
  readonly row: Float32Array;
}

const source = createFolderSource(storyFolder);
/** The RAM cache is on by default. */
const withRamCache = exactLlamaFlags.slice(0, exactLlamaFlags.indexOf("-cram"));

export async function* conversationRows(): AsyncIterable<BenchRow[]> {
  const local = await loadModel(storyReference, "wasm", { source });
  try {
    yield await rowsOf(local, `${conversations} conversations at once, bundled model`, {
      slots: conversations,
    });
    for (const slots of [conversations, 4]) {
      const about = `the same, with a RAM cache, ${slots} slots`;
      yield await rowsOf(local, about, { slots, instead: withRamCache });
      yield await rowsOf(local, `${about} that share their memory`, {
        slots,
        instead: [...withRamCache, "-kvu"],
      });
    }
  } finally {
    await local.model.dispose();
  }
}

async function rowsOf(
  local: ModelBundle,
  about: string,
  options: Omit<LlamaServerOptions, "model">,
): Promise<BenchRow[]> {
  const { seen, ms } = await withServer(writeStory, options, ({ url }) => rowsFrom(url));
  let [wrong, worst] = [0, 0];
  for (const { text, row } of seen) {
    const difference = worstOfTop(await rowHere(local, text), asMap(row), compared);
    if (!(difference <= mostDifference)) wrong += 1;
    worst = Math.max(worst, difference);
  }
  return [
    figure(`${about}: rows, each compared with that of the model here`, seen.length, ""),
    exactly(`${about}: wrong rows`, wrong, "", 0),
    atMost(`${about}: worst difference of the ${compared} most likely tokens`, worst, "nats", mostDifference),
    figure(`${about}: time per row, all conversations together`, ms / seen.length, "ms"),
  ];
}

async function rowsFrom(url: string): Promise<{ readonly seen: readonly SeenRow[]; readonly ms: number }> {
  const access = { url, acceptRamCache: true };
  const exchange = createHttpExchange();
  const remote = await loadRemoteModel(storyReference, { source, access, exchange });
  const start = performance.now();
  const seen: SeenRow[] = [];
  for (let round = 0; round < rounds; round++)
    for (const each of await allAtOnce(remote, round)) seen.push(...each);
  return { seen, ms: performance.now() - start };
}

function allAtOnce(remote: ModelBundle, round: number): Promise<readonly (readonly SeenRow[])[]> {
  const places = Array.from({ length: conversations }, (_, place) => place);
  return Promise.all(places.map((place) => converse(remote, place, round)));
}

/** The rows of one conversation. Every other one is read from streams. */
async function converse(
  { startConversation, formatPrompt }: ModelBundle,
  place: number,
  round: number,
): Promise<readonly SeenRow[]> {
  const model = startConversation?.();
  if (!model) throw new Error("The model on the server has no conversations.");
  const ahead = place % 2 === 0 ? steps : 0;
  const content = `Once upon a time there was a girl number ${place} of round ${round}`;
  const text = [...formatPrompt([{ role: "user", content }])];
  const seen: SeenRow[] = [];
  let row = await model.forward(text, 1, undefined, ahead);
  for (let step = 1; step <= steps; step++) {
    seen.push({ text: [...text], row });
    let token = bestToken(row);
    if ((step + place) % turnEvery === 0 && step > takenBack) {
      text.length -= takenBack;
      model.truncate(text.length);
      const before = seen.at(-1 - takenBack)?.row ?? row;
      token = secondBest(before);
    }
    text.push(token);
    row = await model.forward([token], 1, undefined, ahead && steps - step);
  }
  await model.dispose();
  return seen;
}

function secondBest(row: Float32Array): number {
  const best = bestToken(row);
  return bestToken(row.map((logprob, token) => (token === best ? Number.NEGATIVE_INFINITY : logprob)));
}

/** The row of the model here, which reads the whole text. */
async function rowHere({ model }: ModelBundle, text: readonly number[]): Promise<Float32Array> {
  model.truncate(0);
  return model.forward(text);
}
