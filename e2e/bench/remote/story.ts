/** 200 greedy tokens of the bundled model: on WebAssembly and on a llama.cpp server. */

import { createFolderSource } from "../../../src/package/node/folder-source.ts";
import { createHttpExchange } from "../../../src/package/node/http-exchange.ts";
import { loadModel } from "../../../src/runtime/engine/load/load-model.ts";
import { bestToken } from "../../../src/runtime/engine/testing/greedy.ts";
import { loadRemoteModel } from "../../../src/runtime/remote/load-remote-model.ts";
import { atMost, type BenchRow, exactly } from "../machine.ts";
import { asMap, worstOfTop } from "./compare.ts";
import { storyFolder, storyReference, withServer, writeStory } from "./servers.ts";

const steps = 200;
const listed = 64;

export function storyRows(): Promise<BenchRow[]> {
  return withServer(writeStory, {}, async ({ url }) => {
    const source = createFolderSource(storyFolder);
    const local = await loadModel(storyReference, "wasm", { source });
    const remote = await loadRemoteModel(storyReference, {
      source,
      access: { url },
      exchange: createHttpExchange(),
    });
    const text = local.formatPrompt([{ role: "user", content: "Once upon a time" }]);
    let here = await local.model.forward(text);
    let there = await remote.model.forward(text);
    let same = 0;
    let worst = 0;
    for (let step = 0; step < steps; step++) {
      const token = bestToken(here);
      if (bestToken(there) === token) same += 1;
      worst = Math.max(worst, worstOfTop(here, asMap(there), listed));
      [here, there] = [await local.model.forward([token]), await remote.model.forward([token])];
    }
    await local.model.dispose();
    return [
      exactly("story, greedy: the same token", same, `of ${steps}`, steps),
      atMost(
        "story: worst difference of the 64 most likely tokens (-ctk f32 -ctv f32 -fa off)",
        worst,
        "nats",
        1e-3,
      ),
    ];
  });
}
