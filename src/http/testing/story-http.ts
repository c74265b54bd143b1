/** An engine in this process with the bundled story model, and OpenAI's own client on its handler. Node only. */
import OpenAI from "openai";
import { createEngine } from "../../api/create-engine.ts";
import type { MidtokenEngine, Mods } from "../../api/midtoken-engine.ts";
import { storyModel, storyReference, storySession } from "../../api/testing/story-engine.ts";
import { startModelHub } from "../../engine/testing/model-hub.ts";
import { mod } from "../../sdk/mod.ts";
import { createFetchHandler, type FetchHandler } from "../fetch-handler.ts";
import type { SuiteContext } from "./suite-case.ts";

export interface StoryHttp {
  readonly engine: MidtokenEngine;
  readonly handler: FetchHandler;
  readonly context: SuiteContext;
  dispose(): Promise<void>;
}

const suiteMods = { noLily: "no-lily", takesBack: "takes-back", broken: "broken" };

export async function startStoryHttp(): Promise<StoryHttp> {
  const hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
  const engine = await createEngine({
    ...{ session: storySession, model: storyReference(hub), device: "wasm", keepRequests: 200 },
  });
  registerSuiteMods(engine.mods);
  const handler = createFetchHandler(engine);
  const client = new OpenAI({
    ...{ apiKey: "none", baseURL: "http://midtoken.test/v1" },
    fetch: (url, init) => handler(new Request(url, init)),
  });
  return {
    ...{ engine, handler },
    context: { client, model: storyModel, mods: suiteMods },
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
    { name: suiteMods.takesBack },
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
