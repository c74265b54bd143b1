/** The repository of runs over a browser's own IndexedDB. In Node the same suite runs over one in memory. */
import { expect } from "@playwright/test";
import { repositoryConformance } from "../../src/runs/repository.conformance.ts";
import { testsOnOnePage } from "../shared-page.ts";

const test = testsOnOnePage("/e2e/files/runs.html", "runCheck");

for (const { name } of repositoryConformance("names")) {
  test(name, async ({ page }) => {
    expect(await page.evaluate((check) => globalThis.runCheck(check), name)).toBeNull();
  });
}
