/** The examples of docs/embed.md: how long they are, and that they run, built from the packed tarball. */
import { readFileSync } from "node:fs";
import { resolve } from "node:path";
import { runNodeExample } from "../../package/example-apps.ts";
import { driveExample, drivenExamples } from "../../package/examples.ts";
import { launchChromium } from "../decode/browser.ts";
import { atMost, type BenchRow, exactly } from "../machine.ts";

const root = resolve(import.meta.dirname, "../../..");

/** Lines that hold code. */
function linesOf(path: string): number {
  const lines = readFileSync(resolve(root, path), "utf8").split("\n");
  return lines.filter((line) => line.trim() !== "" && !line.trim().startsWith("//")).length;
}

export async function lengthRows(): Promise<BenchRow[]> {
  const first = linesOf("e2e/docs/embed/first-completion.ts");
  const chat = linesOf("e2e/package/examples/html/index.html");
  return [
    atMost("a first completion", first, "lines of code", 10),
    atMost("a chat with a mod and a timeline, its page included", chat, "lines of code", 25),
  ];
}

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
