/** OpenAI's own client, unmodified, on the handler. */
import { afterAll, beforeAll, expect, test } from "vitest";
import { openAiCases } from "./testing/openai-suite.ts";
import { type StoryHttp, startStoryHttp } from "./testing/story-http.ts";

let story: StoryHttp;
beforeAll(async () => {
  story = await startStoryHttp();
});
afterAll(() => story.dispose());

test.each(openAiCases)("$name", async ({ run }) => {
  // Its failure is an exception that says what was wanted.
  expect(await run(story.context)).toBeUndefined();
});
