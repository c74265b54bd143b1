import { expect } from "@playwright/test";
import { testsOnOnePage } from "../../shared-page.ts";
import type { WllamaPeer } from "./page.ts";

declare global {
  interface Window {
    wllamaPeer: WllamaPeer;
  }
}

const test = testsOnOnePage("/e2e/peer/wllama/index.html", "wllamaPeer");

test("wllama is kept to strategies by the example of docs/masks.md, and to a grammar by its own", async ({
  page,
}) => {
  const answers = await page.evaluate(() => window.wllamaPeer.answers("Once upon a time"));
  expect(answers).toEqual({
    plain: ", there was a little girl named Lily. She",
    grammar: expect.stringMatching(/^ in [a-z]+\.$/),
    choices: " in a castle.",
    regex: expect.stringMatching(/^, there were [0-9]{2} (cats|dogs)\.$/),
  });
});
