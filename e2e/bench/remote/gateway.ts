/** Throughput of streamed requests through a gateway, over that of the same requests sent straight to the server. */
import { loadavg } from "node:os";
import { basename } from "node:path";
import { smolLm2SetupHint, smolLm2WithWeights } from "../../../scripts/models-folder.ts";
import { writeSmolLm2Gguf } from "../../../scripts/remote/smollm2-gguf.ts";
import {
  type GatewayProcess,
  type StartGateway,
  withGatewayScripts,
} from "../../../scripts/testing/gateway-process.ts";
import { atLeast, type BenchRow, figure, missingRows } from "../machine.ts";
import type { ShowRows } from "../sections.ts";
import { median } from "../statistics.ts";
import { storyFolder, withServer, writeStory } from "./servers.ts";
import {
  type GatewayCall,
  inTurns,
  roundOf,
  shareOf,
  stepByStep,
  straightTo,
  throughGateway,
} from "./streamed-load.ts";

const atOnce = [1, 4, 16];
const slots = 16;
const rounds = 3;
/** Rounds with all slots before anything is measured: Node compiles a function for good after some thousand tokens. */
const warmRounds = 2;
/** The gateway asks for so many tokens of each step by default, where it does not ask for whole rows. */
const listed = 64;
const leastShare = 0.9;
const seed = 1;

interface ServedModel {
  readonly name: string;
  readonly folder: string;
  readonly url: string;
  /** The tokens of each answer. */
  readonly tokens: number;
}

/** Shows the rows of each number of requests as soon as they are measured: those of SmolLM2 take minutes. */
export async function gatewayRows(show: ShowRows): Promise<BenchRow[]> {
  return withGatewayScripts(async (start) => {
    await withServer(writeStory, { slots }, ({ url }) =>
      showModel(show, start, { name: "bundled model", folder: storyFolder, url, tokens: 150 }),
    );
    const folder = smolLm2WithWeights();
    if (folder === null) return missingRows("a gateway before SmolLM2", smolLm2SetupHint);
    await withServer(writeSmolLm2Gguf, { slots }, ({ url }) =>
      showModel(show, start, { name: "SmolLM2", folder, url, tokens: 40 }),
    );
    return [];
  });
}

async function showModel(show: ShowRows, start: StartGateway, model: ServedModel): Promise<void> {
  const gateway = await start({
    engines: [model.url],
    model: model.folder,
    words: ["--listed", String(listed), "--metrics"],
  });
  try {
    const warm = throughGateway(callOf(gateway, model, 0));
    for (let round = 0; round < warmRounds; round++) await roundOf(slots, warm);
    for (const count of atOnce) show(await loadRows(gateway, model, count));
  } finally {
    await gateway.stop();
  }
}

function callOf(
  { address }: GatewayProcess,
  { folder, tokens }: ServedModel,
  temperature: number,
): GatewayCall {
  return { address, model: basename(folder), tokens, temperature };
}

async function loadRows(
  gatewayProcess: GatewayProcess,
  model: ServedModel,
  count: number,
): Promise<BenchRow[]> {
  const { name, url, tokens } = model;
  const ways = {
    plain: straightTo(url, tokens, 0),
    withList: straightTo(url, tokens, listed),
    stepped: stepByStep(url, Math.ceil(tokens / 3), listed),
    gateway: throughGateway(callOf(gatewayProcess, model, 0)),
    seeded: throughGateway({ ...callOf(gatewayProcess, model, 1), seed }),
    unseeded: throughGateway(callOf(gatewayProcess, model, 1)),
  };
  const { plain, withList, stepped, gateway, seeded, unseeded } = await inTurns(ways, count, rounds);
  const about = `${name}, ${count} at once`;
  return [
    figure(`${about}: straight to the server, no probabilities`, median(plain), "tokens/s"),
    figure(`${about}: straight to the server, ${listed} listed`, median(withList), "tokens/s"),
    figure(`${about}: straight to the server, step by step, ${listed} listed`, median(stepped), "tokens/s"),
    figure(`${about}: through the gateway`, median(gateway), "tokens/s"),
    atLeast(
      `${about}: gateway over straight with ${listed} listed`,
      shareOf(gateway, withList),
      "times",
      leastShare,
    ),
    figure(`${about}: gateway over straight without probabilities`, shareOf(gateway, plain), "times"),
    figure(
      `${about}: gateway at temperature 1, with a seed, over straight with ${listed} listed`,
      shareOf(seeded, withList),
      "times",
    ),
    figure(
      `${about}: gateway at temperature 1, without a seed, over straight with ${listed} listed`,
      shareOf(unseeded, withList),
      "times",
    ),
    figure(`${about}: load of the machine in the last minute`, loadavg()[0] ?? 0, ""),
  ];
}
