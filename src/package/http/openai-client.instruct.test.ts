/** OpenAI's own client, unmodified, on the handler with an instruct model: the cases that need one. */
import { afterAll, beforeAll, describe, expect, test } from "vitest";
import { modelFolder } from "../../../scripts/models-folder.ts";
import { type HttpTestEngine, startInstructTestEngine } from "./testing/story-http.ts";
import { chatCases } from "./testing/suite-chat.ts";

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
