/** The examples of docs/embed.md, built from the packed tarball and run. */
import { runNodeExample } from "../../package/example-apps.ts";
import { driveExample, drivenExamples } from "../../package/examples.ts";
import { launchChromium } from "../decode/browser.ts";
import { type BenchRow, exactly } from "../machine.ts";

/** @param tarball path of the packed package */
export async function exampleRows(tarball: string): Promise<BenchRow[]> {
  const browser = await launchChromium();
  let right = 0;
  try {
    for (const example of drivenExamples) {
      const wrong = await driveExample(browser, tarball, example);
      if (wrong === null) right += 1;
      else console.error(`${example.name}: ${wrong}`);
    }
  } finally {
    await browser.close();
  }
  if (runNodeExample(tarball).includes(" Max")) right += 1;
  else console.error("The Node example: its mod had no say.");
  const all = drivenExamples.length + 1;
  return [
    exactly(
      "examples of docs/embed.md from the packed tarball, in Chromium and Node",
      right,
      `of ${all}`,
      all,
    ),
  ];
}
