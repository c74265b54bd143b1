/** OpenAI's own client, unmodified, on the handler. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { openAiCases } from "./testing/openai-suite.ts";
import { type HttpTestEngine, startInstructTestEngine, startStoryTestEngine } from "./testing/story-http.ts";
import { chatCases } from "./testing/suite-chat.ts";

let story: HttpTestEngine;
beforeAll(async () => {
  story = await startStoryTestEngine();
});
afterAll(() => story.dispose());

test.each(openAiCases)("$name", async ({ run }) => {
  // A failed case throws an error that says what was expected.
  expect(await run(story.context)).toBeUndefined();
});

const folder = modelFolder("smollm2-135m-instruct");

describe.skipIf(folder === null)("on an instruct model (MIDTOKEN_MODELS)", () => {
  let instruct: HttpTestEngine;
  beforeAll(async () => {
    instruct = await startInstructTestEngine(folder ?? "");
  });
  afterAll(() => instruct.dispose());

  test.each(chatCases)("$name", async ({ run }) => {
    expect(await run(instruct.context)).toBeUndefined();
  });
});
