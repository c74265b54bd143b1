/** An engine in this process with the bundled story model, and OpenAI's own client on its handler. Node only. */
import OpenAI from "openai";
import { createChatCompletions, createTextCompletions } from "../../api/completions.ts";
import { LoadedModels } from "../../api/loaded-models.ts";
import type { MidtokenEngine } from "../../api/midtoken-engine.ts";
import { ModRegistry } from "../../api/mod-registry.ts";
import { RequestStore } from "../../api/request-store.ts";
import { createStart } from "../../api/start-requests.ts";
import { storyModel, storyReference, storySession } from "../../api/testing/story-engine.ts";
import { startModelHub } from "../../engine/testing/model-hub.ts";
import { mod } from "../../sdk/mod.ts";
import { createFetchHandler, type FetchHandler } from "../fetch-handler.ts";
import type { SuiteContext } from "./openai-suite.ts";

export interface StoryHttp {
  readonly engine: MidtokenEngine;
  readonly handler: FetchHandler;
  readonly context: SuiteContext;
  dispose(): Promise<void>;
}

const suiteMods = { noLily: "no-lily", takesBack: "takes-back", broken: "broken" };

export async function startStoryHttp(): Promise<StoryHttp> {
  const hub = await startModelHub({ [storyModel]: "public/models/stories260k" });
  const models = new LoadedModels(storySession, undefined);
  const mods = new ModRegistry(() => models.compiler);
  const requests = new RequestStore({ keep: 200, viewer: "" });
  await models.load(storyReference(hub), { device: "wasm" });
  const start = createStart({ models, mods, requests });
  registerSuiteMods(mods);
  const engine: MidtokenEngine = {
    ...{ models, mods, requests },
    chat: { completions: createChatCompletions(start) },
    completions: createTextCompletions(start),
    dispose: () => models.dispose(),
  };
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

function registerSuiteMods(mods: Pick<ModRegistry, "registerTrusted">): void {
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
