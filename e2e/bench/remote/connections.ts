/**
 * 256 connections to a gateway for a minute, a tenth of them aborted: wrong answers, memory, and requests that stay behind. Without
 * mods, with a trusted mod, and with the same mod in sandboxes.
 */
import { mkdtempSync, readFileSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type GatewayProcess, withGatewayScripts } from "../../../scripts/testing/gateway-process.ts";
import { atLeast, atMost, type BenchRow, exactly, figure } from "../machine.ts";
import { collectGarbage, inspectable } from "./collect-garbage.ts";
import { storyFolder, withServer, writeStory } from "./servers.ts";

const connections = 256;
const seconds = 60;
const abortedShare = 0.1;
const prompts = 16;
const tokens = 24;
const mostGrowth = 1.1;

interface Counts {
  answers: number;
  wrong: number;
  /** Failed requests by the status of the response, or by the error's text if no response came. */
  readonly failed: Map<string, number>;
  aborted: number;
}

class RefusedRequest extends Error {
  readonly status: number;

  constructor(status: number, text: string) {
    super(`The gateway answered ${status}: ${text}`);
    this.status = status;
  }
}

/** Replaces a word in each answer, so that an answer whose mod did not run is wrong. */
const modSource = `import { mod } from "midtoken/mod";
export default mod({
  added: (event, actions) => (event.step === 9 ? actions.forceTokens(" zebra") : undefined),
});
`;

interface ServedModel {
  readonly gateway: GatewayProcess;
  /** Address of the engine. */
  readonly server: string;
  /** The model's name at the gateway. */
  readonly model: string;
}

export async function* connectionRows(): AsyncIterable<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-connections-"));
  const file = join(folder, "zebra.ts");
  writeFileSync(file, modSource);
  try {
    yield await rowsWith("bundled model");
    yield await rowsWith("the same with a trusted mod", ["--mod", file, "--trusted-mods"], "/zebra");
    yield await rowsWith("the same with the mod in sandboxes", ["--mod", file], "/zebra");
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

/** @param mod the part of the model's name that names the mod */
function rowsWith(name: string, mods: readonly string[] = [], mod = ""): Promise<BenchRow[]> {
  // An aborted request counts until its work has ended.
  const words = ["--metrics", "--connections", String(2 * connections), ...mods];
  const options = { slots: connections, contextLength: 256, flags: ["--metrics"] };
  return withServer(writeStory, options, ({ url: server }) =>
    withGatewayScripts(async (start) => {
      const gateway = await start({ engines: [server], model: storyFolder, words, nodeOptions: inspectable });
      try {
        return await rowsOf({ gateway, server, model: `${basename(storyFolder)}${mod}` }, name);
      } finally {
        await gateway.stop();
      }
    }),
  );
}

async function rowsOf(served: ServedModel, name: string): Promise<BenchRow[]> {
  const { gateway, server } = served;
  const alone: string[] = [];
  for (let place = 0; place < prompts; place++) alone.push(await answerTo(served, place));
  if (served.model.endsWith("/zebra") && !alone.every((text) => text.includes("zebra")))
    throw new Error("The mod changed no answer.");
  // The first load compiles code and fills the caches of the gateway.
  await load(served, alone, seconds / 3);
  await idle(gateway, server);
  const before = await heldBytes(gateway);
  const counts = await load(served, alone, seconds);
  const left = await idle(gateway, server);
  const after = await heldBytes(gateway);
  const about = `${connections} connections for ${seconds} s, ${name}`;
  return [
    figure(`${about}: whole answers of ${tokens} tokens`, counts.answers, ""),
    atLeast(`${about}: aborted`, counts.aborted, "", 1),
    exactly(`${about}: wrong answers`, counts.wrong, "", 0),
    exactly(`${about}: failed requests`, sum(counts.failed), "", 0),
    ...[...counts.failed].map(([why, count]) => figure(`${about}: failed with ${why}`, count, "")),
    atMost(`${about}: memory afterwards over before`, after / before, "times", mostGrowth),
    figure(`${about}: memory of the gateway afterwards`, after / 2 ** 20, "MiB"),
    exactly(`${about}: requests left at the gateway`, left.gateway, "", 0),
    exactly(`${about}: requests left at the server`, left.server, "", 0),
    figure(`${about}: load of the machine in the last minute`, loadavg()[0] ?? 0, ""),
  ];
}

const bodyOf = (model: string, place: number, stream: boolean): string =>
  JSON.stringify({
    model,
    prompt: `Once upon a time, there was a girl number ${place}`,
    max_tokens: tokens,
    temperature: 0,
    stream,
  });

function send({ address }: GatewayProcess, body: string, signal?: AbortSignal): Promise<Response> {
  const headers = { "content-type": "application/json" };
  return fetch(`${address}/completions`, { method: "POST", headers, body, ...(signal && { signal }) });
}

/** @throws Error for an answer that is not whole */
async function answerTo({ gateway, model }: ServedModel, place: number, stream = false): Promise<string> {
  const response = await send(gateway, bodyOf(model, place, stream));
  const text = await response.text();
  if (response.status !== 200) throw new RefusedRequest(response.status, text);
  if (!stream) return choiceText(JSON.parse(text));
  const events = [...text.matchAll(/^data: (\{.*)$/gm)].map(([, event = ""]) => JSON.parse(event));
  return events.map(choiceText).join("");
}

const choiceText = (answer: { readonly choices?: readonly { readonly text: string }[] }): string => {
  if (!answer.choices) throw new Error(`The gateway answered ${JSON.stringify(answer)}`);
  return answer.choices[0]?.text ?? "";
};

/** Each connection sends one request after the other. */
async function load(served: ServedModel, alone: readonly string[], forSeconds: number): Promise<Counts> {
  const end = Date.now() + 1_000 * forSeconds;
  const counts: Counts = { answers: 0, wrong: 0, failed: new Map(), aborted: 0 };
  const connection = async (number: number): Promise<void> => {
    for (let count = 0; Date.now() < end; count++) {
      const place = (number + count) % prompts;
      // Every tenth request of a connection, and another one for each connection.
      if ((number + count) % Math.round(1 / abortedShare) === 0) {
        await abortedRequest(served, place, count % 2 === 0);
        counts.aborted += 1;
        continue;
      }
      try {
        const text = await answerTo(served, place, count % 2 === 0);
        counts.answers += 1;
        if (text !== alone[place]) counts.wrong += 1;
      } catch (error) {
        const why = failureName(error);
        counts.failed.set(why, (counts.failed.get(why) ?? 0) + 1);
      }
    }
  };
  await Promise.all(Array.from({ length: connections }, (_, number) => connection(number)));
  return counts;
}

/** The status and the error's code, or the code of the system. */
function failureName(error: unknown): string {
  if (error instanceof RefusedRequest) {
    const code = /"code": ?"(\w+)"/.exec(error.message)?.[1];
    return code === undefined ? `status ${error.status}` : `status ${error.status} (${code})`;
  }
  const { cause, message } = error as Error;
  const { code } = (cause ?? {}) as { code?: unknown };
  return typeof code === "string" ? code : message.slice(0, 60);
}

const sum = (counts: ReadonlyMap<string, number>): number =>
  [...counts.values()].reduce((total, count) => total + count, 0);

/** Leaves in the middle: after the first piece of a stream, or while a whole answer is made. */
async function abortedRequest(
  { gateway, model }: ServedModel,
  place: number,
  stream: boolean,
): Promise<void> {
  const gone = new AbortController();
  const timer = setTimeout(() => gone.abort(), 200);
  try {
    const response = await send(gateway, bodyOf(model, place, stream), gone.signal);
    await response.body?.getReader().read();
  } catch {
    // The request was aborted before its answer.
  }
  clearTimeout(timer);
  gone.abort();
}

interface Left {
  readonly gateway: number;
  readonly server: number;
}

const mostIdleMs = 30_000;

/** Waits until nothing is in progress, at most half a minute. */
async function idle({ address }: GatewayProcess, server: string): Promise<Left> {
  const end = Date.now() + mostIdleMs;
  while (true) {
    const health = await (await fetch(new URL("/health", address))).json();
    const { running, waiting } = (health as { requests: { running: number; waiting: number } }).requests;
    const metrics = await (await fetch(`${server}/metrics`)).text();
    const atServer = Number(/^llamacpp:requests_processing (\d+)/m.exec(metrics)?.[1]);
    const left = { gateway: running + waiting, server: atServer };
    if ((left.gateway === 0 && left.server === 0) || Date.now() > end) return left;
    await new Promise((resolve) => setTimeout(resolve, 500));
  }
}

async function heldBytes(gateway: GatewayProcess): Promise<number> {
  // Without it the memory of one and the same gateway differs by a third from round to round.
  await collectGarbage(gateway);
  return residentBytes(gateway.pid);
}

function residentBytes(pid: number): number {
  const kilobytes = /^VmRSS:\s+(\d+) kB/m.exec(readFileSync(`/proc/${pid}/status`, "utf8"))?.[1];
  return 1_024 * Number(kilobytes);
}
