/** OpenAI's own client on `midtoken serve`: responses and embeddings, over a socket, with mods in QuickJS. */
import OpenAI from "openai";
import { afterAll, beforeAll, expect, test } from "vitest";
import type { SuiteContext } from "../../http/testing/suite-case.ts";
import { embeddingCases } from "../../http/testing/suite-embeddings.ts";
import { registerModsOverHttp } from "../../http/testing/suite-mods.ts";
import { responseCases } from "../../http/testing/suite-responses.ts";
import { bundledModel, runMidtoken } from "../testing/test-terminal.ts";

const stop = new AbortController();
let ended: ReturnType<typeof runMidtoken>;
let context: SuiteContext;

beforeAll(async () => {
  const address = await new Promise<string>((resolve, reject) => {
    ended = runMidtoken(["serve", "--model", bundledModel, "--port", "0"], {
      signal: stop.signal,
      onWrite(text) {
        const [found] = /http:\S+/.exec(text) ?? [];
        if (found) resolve(found);
      },
    });
    void ended.then(({ errors }) => reject(new Error(errors)));
  });
  const client = new OpenAI({ apiKey: "none", baseURL: address, maxRetries: 0 });
  context = { client, model: "stories260k", mods: await registerModsOverHttp(client) };
});

afterAll(async () => {
  stop.abort(new DOMException("Stopped.", "AbortError"));
  await ended;
});

test.each([...responseCases, ...embeddingCases])("$name", async ({ run }) => {
  // A failed case throws an error that says what was expected.
  expect(await run(context)).toBeUndefined();
});
