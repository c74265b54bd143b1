/** Throughput of streamed requests through a gateway, over that of the same requests sent straight to the server. */
import { loadavg } from "node:os";
import { basename } from "node:path";
import { smolLm2Weights, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { smolLm2Gguf } from "../../../scripts/remote/smollm2-gguf.ts";
import {
  type GatewayProcess,
  type StartGateway,
  withGatewayScripts,
} from "../../../scripts/testing/gateway-process.ts";
import { atLeast, type BenchRow, figure, missingRows } from "../machine.ts";
import { median } from "../statistics.ts";
import { storyFolder, withServer, writeStory } from "./servers.ts";
import { roundOf, type SendPrompt, straightTo, throughGateway } from "./streamed-load.ts";

const atOnce = [1, 4, 16];
const slots = 16;
const rounds = 3;
/** The gateway asks for so many tokens of each step by default, where it does not ask for whole rows. */
const listed = 64;
const leastShare = 0.9;

interface ServedModel {
  readonly name: string;
  readonly folder: string;
  readonly url: string;
  /** The tokens of each answer. */
  readonly tokens: number;
}

export async function* gatewayRows(): AsyncIterable<BenchRow[]> {
  yield* await withGatewayScripts(async (start) => [
    await withServer(writeStory, { slots }, ({ url }) =>
      modelRows(start, { name: "bundled model", folder: storyFolder, url, tokens: 150 }),
    ),
    await smolLm2Rows(start),
  ]);
}

async function smolLm2Rows(start: StartGateway): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  if (folder === null) return missingRows("a gateway before SmolLM2", smolLm2Weights);
  return withServer(smolLm2Gguf, { slots }, ({ url }) =>
    modelRows(start, { name: "SmolLM2", folder, url, tokens: 40 }),
  );
}

async function modelRows(start: StartGateway, model: ServedModel): Promise<BenchRow[]> {
  const gateway = await start({
    engines: [model.url],
    model: model.folder,
    words: ["--listed", String(listed)],
  });
  try {
    const rows: BenchRow[] = [];
    for (const count of atOnce) rows.push(...(await loadRows(gateway, model, count)));
    return rows;
  } finally {
    await gateway.stop();
  }
}

async function loadRows(
  { address }: GatewayProcess,
  { name, folder, url, tokens }: ServedModel,
  count: number,
): Promise<BenchRow[]> {
  const call = { address, model: basename(folder), tokens };
  const ways = {
    plain: straightTo(url, tokens, 0),
    withList: straightTo(url, tokens, listed),
    gateway: throughGateway({ ...call, temperature: 0 }),
    drawn: throughGateway({ ...call, temperature: 1 }),
  };
  const { plain, withList, gateway, drawn } = await inTurns(ways, count);
  const shareOf = (one: readonly number[], other: readonly number[]): number =>
    median(one.map((each, round) => each / (other[round] as number)));
  const about = `${name}, ${count} at once`;
  return [
    figure(`${about}: straight to the server, no probabilities`, median(plain), "tokens/s"),
    figure(`${about}: straight to the server, ${listed} listed`, median(withList), "tokens/s"),
    figure(`${about}: through the gateway`, median(gateway), "tokens/s"),
    atLeast(
      `${about}: gateway over straight with ${listed} listed`,
      shareOf(gateway, withList),
      "times",
      leastShare,
    ),
    figure(`${about}: gateway over straight without probabilities`, shareOf(gateway, plain), "times"),
    figure(
      `${about}: gateway at temperature 1 over straight with ${listed} listed`,
      shareOf(drawn, withList),
      "times",
    ),
    figure(`${about}: load of the machine in the last minute`, loadavg()[0] ?? 0, ""),
  ];
}

type Ways = Readonly<Record<string, SendPrompt>>;

/** Tokens a second of each way, in rounds in which every way has a turn: the machine may do other things meanwhile. */
async function inTurns<All extends Ways>(
  ways: All,
  count: number,
): Promise<Readonly<Record<keyof All, readonly number[]>>> {
  const names = Object.keys(ways) as (keyof All)[];
  const speeds = Object.fromEntries(names.map((name) => [name, [] as number[]])) as Record<
    keyof All,
    number[]
  >;
  // The first round compiles.
  for (let round = 0; round <= rounds; round++) {
    for (const name of names) {
      const { tokens, ms } = await roundOf(count, ways[name] as SendPrompt);
      if (round > 0) speeds[name].push((1_000 * tokens) / ms);
    }
  }
  return speeds;
}
