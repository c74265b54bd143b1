/** 16 conversations at once on one server, streamed and step by step, with tokens taken back: each row against the model that runs here. */
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

export async function conversationRows(): Promise<BenchRow[]> {
  const source = createFolderSource(storyFolder);
  const local = await loadModel(storyReference, "wasm", { source });
  try {
    const seen = await withServer(writeStory, { slots: conversations }, async ({ url }) => {
      const access = { url };
      const remote = await loadRemoteModel(storyReference, {
        source,
        access,
        exchange: createHttpExchange(),
      });
      const rows: SeenRow[] = [];
      for (let round = 0; round < rounds; round++)
        for (const each of await allAtOnce(remote, round)) rows.push(...each);
      return rows;
    });
    let [wrong, worst] = [0, 0];
    for (const { text, row } of seen) {
      const difference = worstOfTop(await rowHere(local, text), asMap(row), compared);
      if (!(difference <= mostDifference)) wrong += 1;
      worst = Math.max(worst, difference);
    }
    const about = `${conversations} conversations at once, bundled model`;
    return [
      figure(`${about}: rows, each compared with that of the model here`, seen.length, ""),
      exactly(`${about}: wrong rows`, wrong, "", 0),
      atMost(
        `${about}: worst difference of the ${compared} most likely tokens`,
        worst,
        "nats",
        mostDifference,
      ),
    ];
  } finally {
    await local.model.dispose();
  }
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
