/** OpenAI's own client, unmodified, on the handler. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { openAiCases } from "./testing/openai-suite.ts";
import { type StoryHttp, startInstructHttp, startStoryHttp } from "./testing/story-http.ts";
import { chatCases } from "./testing/suite-chat.ts";

let story: StoryHttp;
beforeAll(async () => {
  story = await startStoryHttp();
});
afterAll(() => story.dispose());

test.each(openAiCases)("$name", async ({ run }) => {
  // A failed case throws an error that says what was expected.
  expect(await run(story.context)).toBeUndefined();
});

const folder = modelFolder("smollm2-135m-instruct");

describe.skipIf(folder === null)("on an instruct model (MIDTOKEN_MODELS)", () => {
  let instruct: StoryHttp;
  beforeAll(async () => {
    instruct = await startInstructHttp(folder ?? "");
  });
  afterAll(() => instruct.dispose());

  test.each(chatCases)("$name", async ({ run }) => {
    expect(await run(instruct.context)).toBeUndefined();
  });
});
