/** A prompt of 8 MB to `midtoken serve` while 20 other requests run: how soon it is refused, and how much later the others end. */
import { readFileSync } from "node:fs";
import { request } from "node:http";
import { resolve } from "node:path";
import { installClient, type RunningServer, startServe } from "../../package/clients/set-up.ts";
import { atMost, type BenchRow, exactly, figure, timeAtMost } from "../machine.ts";
import { median } from "../statistics.ts";

const root = resolve(import.meta.dirname, "../../..");
const others = 20;
const rounds = 5;
const longPrompt = "Once upon a time. ".repeat(450_000);

interface Refusal {
  readonly status: number;
  readonly ms: number;
}

/** @param tarball path of the packed package */
export async function longPromptRows(tarball: string): Promise<BenchRow[]> {
  const folder = installClient({}, tarball);
  try {
    const server = await startServe(folder, [
      { model: resolve(root, "public/models/stories260k"), dtype: "fp32" },
    ]);
    return await measure(server).finally(() => server.close());
  } finally {
    folder.remove();
  }
}

async function measure(server: RunningServer): Promise<BenchRow[]> {
  const first = await processorMs(server, () => askLong(server));
  await askOthers(server);
  const refusals: Refusal[] = [];
  const ratios: number[] = [];
  const costs: number[] = [];
  for (let round = 0; round < rounds; round++) {
    const alone = await timed(() => askOthers(server));
    const beside = await timed(async () => {
      const running = askOthers(server);
      refusals.push(await askLong(server));
      await running;
    });
    ratios.push(beside / alone);
    costs.push((await processorMs(server, () => askLong(server))).processor);
  }
  const right = [first, ...refusals].filter(({ status }) => status === 400).length;
  const name = "a prompt of 8 MB to midtoken serve";
  const besides = `while ${others} others run`;
  return [
    exactly(`${name}: refused with a 400`, right, `of ${rounds + 1}`, rounds + 1),
    await timeAtMost(`${name}, the first request: to the refusal`, first.ms, "ms", 100),
    await timeAtMost(`${name}, ${besides}: to the refusal`, median(refusals.map(({ ms }) => ms)), "ms", 100),
    figure(`${name}: processor time of the server, the first request`, first.processor, "ms"),
    figure(`${name}: processor time of the server, median of ${rounds}`, median(costs), "ms"),
    atMost(`${name}: the time of the ${others} others, over without it`, median(ratios), "", 1.1),
  ];
}

async function timed(work: () => Promise<unknown>): Promise<number> {
  const start = performance.now();
  await work();
  return performance.now() - start;
}

function askOthers({ baseUrl }: RunningServer): Promise<unknown> {
  const body = JSON.stringify({
    model: "stories260k",
    messages: [{ role: "user", content: "Once upon a time" }],
    max_tokens: 100,
    temperature: 0,
  });
  const headers = { "content-type": "application/json" };
  const ask = async (): Promise<void> => {
    const response = await fetch(`${baseUrl}/chat/completions`, { method: "POST", headers, body });
    if (!response.ok) throw new Error(`One of the others got ${response.status}: ${await response.text()}`);
    await response.arrayBuffer();
  };
  return Promise.all(Array.from({ length: others }, ask));
}

const longBody = Buffer.from(
  JSON.stringify({ model: "stories260k", messages: [{ role: "user", content: longPrompt }] }),
);

/** By Node's own client, which sends the whole body also to a server that has answered. */
function askLong({ baseUrl }: RunningServer): Promise<Refusal> {
  return new Promise((done, fail) => {
    const headers = { "content-type": "application/json", "content-length": longBody.length };
    const start = performance.now();
    const asked = request(`${baseUrl}/chat/completions`, { method: "POST", headers }, (response) => {
      response.resume().on("end", () => {
        done({ status: response.statusCode ?? 0, ms: performance.now() - start });
      });
    });
    asked.on("error", fail).end(longBody);
  });
}

/** Processor time that the server's process took meanwhile, by Linux's /proc, in steps of 10 ms. */
async function processorMs(
  { processId }: RunningServer,
  work: () => Promise<Refusal>,
): Promise<Refusal & { readonly processor: number }> {
  const before = usedMs(processId);
  const refusal = await work();
  return { ...refusal, processor: usedMs(processId) - before };
}

function usedMs(processId: number): number {
  const fields = readFileSync(`/proc/${processId}/stat`, "utf8").split(") ")[1]?.split(" ");
  return 10 * (Number(fields?.[11]) + Number(fields?.[12]));
}
