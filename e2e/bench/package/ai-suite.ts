/** The suite of Vercel's AI SDK, in Chromium: the real `ai` package and `useChat`, with the model in the page and no API route. */
import { modelFolder } from "../../../scripts/models-folder.ts";
import { openBenchPage, servedFolder } from "../decode/browser.ts";
import { type BenchRow, exactly, missingRows } from "../machine.ts";
import type { AiBench } from "./ai-page.tsx";

declare global {
  interface Window {
    aiBench: AiBench;
  }
}

export async function aiSuiteRows(): Promise<BenchRow[]> {
  const bundled = await suite("bundled model", null, "/models/stories260k/", "fp32");
  const folder = modelFolder("smollm2-135m-instruct");
  const large =
    folder === null
      ? missingRows("`ai` suite, SmolLM2")
      : await suite("SmolLM2", folder, servedFolder(folder), "int8");
  return [...bundled, ...large];
}

async function suite(
  name: string,
  folder: string | null,
  address: string,
  dtype: string,
): Promise<BenchRow[]> {
  const { page, close } = await openBenchPage({
    folders: folder === null ? [] : [folder],
    at: { path: "package/ai.html", global: "aiBench" },
  });
  try {
    await page.evaluate(([at, type]) => window.aiBench.open(at, type), [address, dtype] as const);
    const names = await page.evaluate(() => window.aiBench.names());
    let right = 0;
    for (const each of names) {
      const wrong = await page.evaluate((found) => window.aiBench.runCase(found), each);
      if (wrong === null) right += 1;
      else console.error(`${name}, ${each}: ${wrong}`);
    }
    // One more case: what a page shows that uses the hook.
    await page.evaluate(() => window.aiBench.showChat());
    await page.getByRole("button", { name: "Send" }).click();
    await page.locator("main:has([data-role=assistant]) output", { hasText: "ready" }).waitFor();
    const answer = await page.locator("[data-role=assistant]").first().innerText();
    if (answer.trim() !== "") right += 1;
    else console.error(`${name}, useChat: the answer is empty.`);
    const all = names.length + 1;
    return [exactly(`\`ai\` suite with useChat, ${name}: cases that hold`, right, `of ${all}`, all)];
  } finally {
    await close();
  }
}
