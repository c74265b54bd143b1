/** An engine in this process, and OpenAI's own client on its handler. Node only. */
import OpenAI from "openai";
import { mod } from "../../../core/sdk/mod.ts";
import { type ModelHub, startModelHub } from "../../../runtime/engine/testing/model-hub.ts";
import type { ModelReference } from "../../../runtime/session/shared/protocol.ts";
import { createEngine } from "../../api/create-engine.ts";
import type { MidtokenEngine, Mods } from "../../api/midtoken-engine.ts";
import { storyModel, storyReference, storySessionOptions } from "../../api/testing/story-engine.ts";
import { createFetchHandler, type FetchHandler } from "../fetch-handler.ts";
import type { SuiteContext } from "./suite-case.ts";

export interface HttpTestEngine {
  readonly engine: MidtokenEngine;
  readonly handler: FetchHandler;
  readonly context: SuiteContext;
  dispose(): Promise<void>;
}

const suiteMods = { noLily: "no-lily", removesText: "takes-back", broken: "broken" };

/** Starts engine and client with the bundled story model. */
export const startStoryTestEngine = (): Promise<HttpTestEngine> =>
  startHttp(storyModel, "public/models/stories260k", storyReference);

/** Starts an engine with the instruct model, whose files are in `folder`, and OpenAI's client on its handler. */
export const startInstructTestEngine = (folder: string): Promise<HttpTestEngine> =>
  startHttp(instructModel, folder, (hub) => ({
    id: instructModel,
    url: hub.url(instructModel),
    revision: null,
    dtype: { webgpu: "int8", wasm: "int8" },
  }));

const instructModel = "HuggingFaceTB/SmolLM2-135M-Instruct";

async function startHttp(
  model: string,
  folder: string,
  reference: (hub: ModelHub) => ModelReference,
): Promise<HttpTestEngine> {
  const hub = await startModelHub({ [model]: folder });
  const engine = await createEngine({
    session: storySessionOptions,
    model: reference(hub),
    device: "wasm",
    keepRequests: 200,
  });
  registerSuiteMods(engine.mods);
  const handler = createFetchHandler(engine);
  const client = new OpenAI({
    apiKey: "none",
    baseURL: "http://midtoken.test/v1",
    fetch: (url, init) => handler(new Request(url, init)),
  });
  return {
    engine,
    handler,
    context: { client, model, mods: suiteMods },
    async dispose() {
      engine.dispose();
      await hub.close();
    },
  };
}

function registerSuiteMods(mods: Mods): void {
  mods.registerTrusted(
    mod({
      forwardPass: (_event, actions, tokenizer) => actions.adjustLogits({ ban: tokenizer.encode(" Lily") }),
    }),
    { name: suiteMods.noLily },
  );
  mods.registerTrusted(
    mod({ added: ({ step }, actions) => (step === 9 ? actions.backtrack(4, " dragon") : undefined) }),
    { name: suiteMods.removesText },
  );
  mods.registerTrusted(
    mod({
      added({ step }) {
        if (step > 4) throw new Error("It broke.");
      },
    }),
    { name: suiteMods.broken },
  );
}
