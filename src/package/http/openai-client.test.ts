/** OpenAI's own client, unmodified, on the handler with the story model. With an instruct model: `openai-client.instruct.test.ts`. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAiCases } from "./testing/openai-suite.ts";
import { type HttpTestEngine, startStoryTestEngine } from "./testing/story-http.ts";

let story: HttpTestEngine;
beforeAll(async () => {
  story = await startStoryTestEngine();
});
afterAll(() => story.dispose());

test.each(openAiCases)("$name", async ({ run }) => {
  // A failed case throws an error that says what was expected.
  expect(await run(story.context)).toBeUndefined();
});
