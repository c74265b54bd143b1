// @vitest-environment happy-dom
/** The form for a link with the run: the sizes of its parts. */
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { click, findOnly, render, waitUntilPasses } from "../../../view/ui/testing/render.ts";
import { ShareLink } from "./share-link.tsx";
import { runToShare } from "./shared.ts";

const numberIn = (text: string | null | undefined) =>
  Number(/[\d,]+/.exec(text ?? "")?.[0].replaceAll(",", ""));

/** The texts of the column of sizes. */
const sizes = () => [...document.querySelectorAll(".share-cost")].map((each) => each.textContent ?? "");

/** Waits until each part has its size, and expects that the sizes in the link add up to its length. */
async function expectSum(): Promise<void> {
  await waitUntilPasses(() => {
    const length = numberIn(findOnly(".share-length strong").textContent);
    const inLink = sizes().filter((text) => /^[\d,]+ characters$/.test(text));
    expect(inLink.reduce((sum, text) => sum + numberIn(text), 0)).toBe(length);
  });
}

test("every part has a size, and the sizes of the parts in the link add up to its length", async () => {
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens: 60 }).records);
  await render(<ShareLink shared={runToShare(trace, false, "https://host/")} />);
  await expectSum();
  expect(document.querySelectorAll(".share-part")).toHaveLength(sizes().length);
  expect(findOnly(".share-alternatives .share-cost").textContent).toMatch(/^[\d,]+ characters$/);
  await click(document.querySelectorAll<HTMLInputElement>("input[type=radio]")[0] as HTMLElement);
  await expectSum();
  await waitUntilPasses(() =>
    expect(findOnly(".share-alternatives .share-cost").textContent).toMatch(/^would add [\d,]+ characters$/),
  );
});

test("a run from a link that lacks parts: the sizes add up too", async () => {
  const trace = createTraceModel(["draws", "prompt", "tokenIds"]);
  trace.append(sampleTrace({ tokens: 60 }).records);
  await render(<ShareLink shared={runToShare(trace, false, "https://host/")} />);
  await expectSum();
});
