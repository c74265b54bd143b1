/** Runs Node's suites of saved runs and of live connections over the browser's own IndexedDB and WebRTC. */
import { expect } from "@playwright/test";
import { transportConformance } from "../../src/page/live/transport.conformance.ts";
import { repositoryConformance } from "../../src/page/runs/repository.conformance.ts";
import { testsOnOnePage } from "../shared-page.ts";
import type { WantedCheck } from "./conformance-page.ts";

const test = testsOnOnePage("/e2e/files/conformance.html", "conformanceCheck");

const wanted: readonly WantedCheck[] = [
  ...repositoryConformance("names").map(({ name }) => ({ suite: "runs" as const, name })),
  ...transportConformance.map(({ name }) => ({ suite: "tabs" as const, name })),
];

for (const check of wanted) {
  test(`${check.suite}: ${check.name}`, async ({ page }) => {
    expect(await page.evaluate((one) => globalThis.conformanceCheck(one), check)).toBeNull();
  });
}
