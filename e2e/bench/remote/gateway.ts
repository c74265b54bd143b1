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

interface ServedModel {
  readonly name: string;
  readonly folder: string;
  readonly url: string;
  /** The tokens of each answer. */
  readonly tokens: number;
}

/** The rows of one model are shown before those of the other are measured. */
export async function* gatewayRows(): AsyncIterable<BenchRow[]> {
  yield await withGatewayScripts((start) =>
    withServer(writeStory, { slots }, ({ url }) =>
      modelRows(start, { name: "bundled model", folder: storyFolder, url, tokens: 150 }),
    ),
  );
  yield await withGatewayScripts(smolLm2Rows);
}

async function smolLm2Rows(start: StartGateway): Promise<BenchRow[]> {
  const folder = smolLm2WithWeights();
  if (folder === null) return missingRows("a gateway before SmolLM2", smolLm2SetupHint);
  return withServer(writeSmolLm2Gguf, { slots }, ({ url }) =>
    modelRows(start, { name: "SmolLM2", folder, url, tokens: 40 }),
  );
}

async function modelRows(start: StartGateway, model: ServedModel): Promise<BenchRow[]> {
  const gateway = await start({
    engines: [model.url],
    model: model.folder,
    words: ["--listed", String(listed), "--metrics"],
  });
  try {
    const rows: BenchRow[] = [];
    const warm = throughGateway(callOf(gateway, model, 0));
    for (let round = 0; round < warmRounds; round++) await roundOf(slots, warm);
    for (const count of atOnce) rows.push(...(await loadRows(gateway, model, count)));
    return rows;
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
    drawn: throughGateway(callOf(gatewayProcess, model, 1)),
  };
  const { plain, withList, stepped, gateway, drawn } = await inTurns(ways, count, rounds);
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
      `${about}: gateway at temperature 1 over straight with ${listed} listed`,
      shareOf(drawn, withList),
      "times",
    ),
    figure(`${about}: load of the machine in the last minute`, loadavg()[0] ?? 0, ""),
  ];
}
