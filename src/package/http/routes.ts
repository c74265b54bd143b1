/** The routes of an engine over HTTP: OpenAI's calls, and Midtoken's own for mods and recorded requests. */

import { isRecord } from "../../core/base/record.ts";
import { showJson } from "../../core/base/show.ts";
import { invalidRequestError, modelNotFoundError } from "../api/api-error.ts";
import type { ChatCompletionRequest } from "../api/chat-completion.ts";
import type { EmbeddingRequest } from "../api/embeddings/embedding-types.ts";
import type { MidtokenEngine, ModFile } from "../api/midtoken-engine.ts";
import type { TextCompletionRequest } from "../api/text-completion.ts";
import { respondWithCompletion } from "./respond-to-call.ts";
import { responseRoutes } from "./response-routes.ts";
import type { Route } from "./route.ts";

export const routes: readonly Route[] = [
  {
    method: "POST",
    path: "/chat/completions",
    promptField: "messages",
    async answer({ engine, body, ...asked }) {
      return respondWithCompletion(engine.chat.completions, (await body()) as ChatCompletionRequest, asked);
    },
  },
  {
    method: "POST",
    path: "/completions",
    async answer({ engine, body, ...asked }) {
      return respondWithCompletion(engine.completions, (await body()) as TextCompletionRequest, asked);
    },
  },
  ...responseRoutes,
  {
    method: "POST",
    path: "/embeddings",
    async answer({ engine, body, request: { signal }, notes }) {
      const fields = (await body()) as EmbeddingRequest;
      if (isRecord(fields) && typeof fields.model === "string") notes.model = fields.model;
      const answer = await engine.embeddings.create(fields, { signal });
      notes.usage = { prompt_tokens: answer.usage.prompt_tokens, completion_tokens: 0 };
      return Response.json(answer);
    },
  },
  {
    method: "GET",
    path: "/models",
    answer: async ({ engine }) => Response.json({ object: "list", data: await modelsOf(engine) }),
  },
  {
    method: "GET",
    path: "/models/*",
    answer: async ({ engine, name }) => Response.json(await modelNamed(engine, name)),
  },
  {
    method: "GET",
    path: "/mods",
    async answer({ engine: { mods } }) {
      await mods.sync();
      return Response.json({ object: "list", data: mods.list() });
    },
  },
  {
    method: "POST",
    path: "/mods",
    async answer({ engine, body }) {
      const mod = await body();
      if (!isRecord(mod)) {
        throw invalidRequestError(
          `The body is ${showJson(mod)}: send what serializeMod returns, or { "name", "source" }.`,
          null,
        );
      }
      // `register` checks it field by field.
      return Response.json(await engine.mods.register(mod as unknown as ModFile));
    },
  },
  {
    method: "DELETE",
    path: "/mods/*",
    async answer({ engine, name }) {
      await engine.mods.remove(name);
      return Response.json({ id: name, object: "mod", deleted: true });
    },
  },
  {
    method: "GET",
    path: "/requests/*/trace",
    async answer({ engine, name }) {
      // A copy in a buffer of its own, which a response body needs.
      const file = new Uint8Array(await engine.requests.traceFile(name));
      return new Response(file, {
        headers: {
          "content-type": "application/octet-stream",
          "content-disposition": `attachment; filename="${name.replace(/[^\w-]/g, "_")}.trace"`,
        },
      });
    },
  },
];

/**
 * Each model alone, and each model with each mod: programs in which the user chooses a model have no other way to choose a
 * mod.
 */
async function modelsOf({ models, mods }: MidtokenEngine) {
  await mods.sync();
  return models.list().flatMap(({ id }) => {
    const names = [id, ...mods.list().map(({ name }) => `${id}/${name}`)];
    // The creation time of a model is unknown.
    return names.map((name) => ({ id: name, object: "model", created: 0, owned_by: "midtoken" }));
  });
}

async function modelNamed(engine: MidtokenEngine, name: string) {
  const models = await modelsOf(engine);
  const found = models.find(({ id }) => id === name);
  if (found) return found;
  throw modelNotFoundError(
    name,
    models.map(({ id }) => id),
  );
}
