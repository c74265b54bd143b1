/** Time per step over what the server itself takes. */
import { folderSource } from "../../../src/package/node/folder-source.ts";
import { httpExchange } from "../../../src/package/node/http-exchange.ts";
import { bestToken } from "../../../src/runtime/engine/testing/greedy.ts";
import type { Exchange } from "../../../src/runtime/remote/exchange.ts";
import { loadRemoteModel } from "../../../src/runtime/remote/load-remote-model.ts";
import { type BenchRow, calibrate, figure, timeAtMost } from "../machine.ts";
import { median } from "../statistics.ts";
import { storyFolder, storyReference, withServer, writeStory } from "./servers.ts";

const steps = 300;

export function overheadRows(): Promise<BenchRow[]> {
  return withServer(writeStory, {}, async ({ url }) => {
    const rows: BenchRow[] = [];
    for (const listed of [20, 64, undefined]) {
      const timed = timedExchange(httpExchange());
      const { model, formatPrompt } = await loadRemoteModel(storyReference, {
        source: folderSource(storyFolder),
        access: { url, listed },
        exchange: timed.exchange,
      });
      let next: readonly number[] = formatPrompt([{ role: "user", content: "Once upon a time" }]);
      const over: number[] = [];
      const calibrations = [calibrate()];
      for (let step = 0; step < steps; step++) {
        const start = performance.now();
        const token = await nextToken(model, next);
        over.push(performance.now() - start - timed.serverMs());
        next = [token];
      }
      calibrations.push(calibrate());
      const shown = listed === undefined ? "whole rows" : `${listed} listed`;
      const name = `overhead per step over the server's timings, Node, ${shown}`;
      // The server's timings leave out how long it writes the list: of 512 tokens that is most of the time.
      if (listed === undefined) rows.push(figure(name, median(over), "ms"));
      else rows.push(await timeAtMost(name, median(over), "ms", 1.5, calibrations));
    }
    return rows;
  });
}

type Model = Awaited<ReturnType<typeof loadRemoteModel>>["model"];

async function nextToken(model: Model, tokens: readonly number[]): Promise<number> {
  if (!model.forwardListed) return bestToken(await model.forward(tokens));
  const [row] = await model.forwardListed(tokens, 1, model.listedTokens ?? 0);
  return row?.tokens[0] ?? 0;
}

/** An exchange that reads how long the server says that it computed. */
function timedExchange(exchange: Exchange): { readonly exchange: Exchange; serverMs(): number } {
  let last = 0;
  return {
    async exchange(request) {
      const reply = await exchange(request);
      const found = [...reply.text.matchAll(/"(?:prompt|predicted)_ms":([\d.]+)/g)];
      last = found.reduce((sum, [, ms]) => sum + Number(ms), 0);
      return reply;
    },
    serverMs: () => last,
  };
}
