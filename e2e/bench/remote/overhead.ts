/** Time per step over what the server itself takes, in Node and in Chromium. */
import { createFolderSource } from "../../../src/package/node/folder-source.ts";
import { createHttpExchange } from "../../../src/package/node/http-exchange.ts";
import { loadRemoteModel } from "../../../src/runtime/remote/load-remote-model.ts";
import { openBenchPage } from "../decode/browser.ts";
import { type BenchRow, calibrate, figure, timeAtMost } from "../machine.ts";
import { median } from "../statistics.ts";
import { bareClient } from "./bare-client.ts";
import type { RemoteBench } from "./page.ts";
import { storyFolder, storyReference, withServer, writeStory } from "./servers.ts";
import { stepsOver, timedExchange } from "./timed-steps.ts";

const steps = 300;
const mostMs = { node: 1.5, chromium: 6 };

export async function* overheadRows(): AsyncIterable<BenchRow[]> {
  yield await withServer(writeStory, {}, ({ url }) => rowsInNode(url));
  yield await withServer(writeStory, {}, ({ url }) => rowsInChromium(url));
}

async function rowsInNode(url: string): Promise<BenchRow[]> {
  const rows: BenchRow[] = [];
  for (const listed of [20, 64, undefined]) {
    const timed = timedExchange(createHttpExchange());
    const { model, formatPrompt } = await loadRemoteModel(storyReference, {
      source: createFolderSource(storyFolder),
      access: { url, listed },
      exchange: timed.exchange,
    });
    const prompt = formatPrompt([{ role: "user", content: "Once upon a time" }]);
    const bare = bareClient(`${url}/completion`);
    const calibrations = [calibrate()];
    // After each step its request again, with as little around it as Node allows: the least that a client can take.
    const over = await stepsOver(model, prompt, steps, timed.serverMs, () => bare.send(timed.lastBody()));
    calibrations.push(calibrate());
    bare.close();
    const answered = timed.overMs().slice(-steps);
    const shown = listed === undefined ? "whole rows" : `${listed} listed`;
    const name = `overhead per step over the server's timings, Node, ${shown}`;
    // The server's timings leave out how long it writes the list: of 512 tokens that is most of the time.
    if (listed === undefined) rows.push(figure(name, median(over), "ms"));
    else rows.push(await timeAtMost(name, median(over), "ms", mostMs.node, calibrations));
    rows.push(figure(`of these, until the answer is there, ${shown}`, median(answered), "ms"));
    rows.push(figure(`a bare node:http client in turns with it, ${shown}`, median(bare.overMs), "ms"));
  }
  return rows;
}

async function rowsInChromium(url: string): Promise<BenchRow[]> {
  const { page, close } = await openBenchPage({
    at: { path: "remote/index.html", global: "remoteBench" },
  });
  try {
    const rows: BenchRow[] = [];
    for (const listed of [20, 64]) {
      const calibrations = [calibrate()];
      const over = await page.evaluate(
        ([server, count, wanted]) =>
          (globalThis as unknown as { remoteBench: RemoteBench }).remoteBench.overhead(server, count, wanted),
        [url, listed, steps] as const,
      );
      calibrations.push(calibrate());
      const name = `overhead per step over the server's timings, Chromium, ${listed} listed`;
      rows.push(await timeAtMost(name, median(over), "ms", mostMs.chromium, calibrations));
    }
    return rows;
  } finally {
    await close();
  }
}
