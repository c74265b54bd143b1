/** The bench's page: a model on a llama.cpp server, asked by `fetch`. */
import { createUrlSource } from "../../../src/runtime/engine/files/url-source.ts";
import { createBrowserExchange } from "../../../src/runtime/remote/browser-exchange.ts";
import { loadRemoteModel } from "../../../src/runtime/remote/load-remote-model.ts";
import { stepsOver, timedExchange } from "./timed-steps.ts";

export interface RemoteBench {
  /** Milliseconds of each step over the server's own timings. */
  overhead(server: string, listed: number, steps: number): Promise<readonly number[]>;
}

const remoteBench: RemoteBench = {
  async overhead(server, listed, steps) {
    const url = new URL("/models/stories260k/", location.href).href;
    const dtype = { webgpu: "fp32", wasm: "fp32" };
    const timed = timedExchange(createBrowserExchange());
    const { model, formatPrompt } = await loadRemoteModel(
      { id: "stories260k", url, revision: null, dtype },
      { source: createUrlSource(url), access: { url: server, listed }, exchange: timed.exchange },
    );
    const prompt = formatPrompt([{ role: "user", content: "Once upon a time" }]);
    return stepsOver(model, prompt, steps, timed.serverMs);
  },
};
Object.assign(window, { remoteBench });
