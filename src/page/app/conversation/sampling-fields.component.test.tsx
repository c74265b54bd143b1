// @vitest-environment happy-dom
/** The fields of texts in the settings of sampling: one text per line. */
import { act } from "react";
import { expect, test } from "vitest";
import type { LoadedModel } from "../../../runtime/session/shared/loading.ts";
import { fill, findOnly, render, waitUntilPasses } from "../../../view/ui/testing/render.ts";
import { type Stores, StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { SamplingFields } from "./sampling-fields.tsx";
import { SamplingSettingsPanel } from "./sampling-settings.tsx";

const loaded = { capacity: 8192 } as LoadedModel;

const field = (label: string) => findOnly<HTMLTextAreaElement>(`textarea[aria-label="${label}"]`);

async function open(): Promise<Stores> {
  const stores = createTestStores({});
  await render(
    <StoresProvider value={stores}>
      <SamplingFields />
    </StoresProvider>,
  );
  return stores;
}

test.each([
  ["Banned texts", "bannedStrings"],
  ["Stop sequences", "stop"],
] as const)("%s: a text per line, an empty line is none, and \\n is a line break", async (label, name) => {
  const { settings } = await open();
  expect(field(label).value).toBe("");
  await fill(field(label), "big dog\n\n Lily\nThe\\nEnd\n");
  expect(settings.getState()[name]).toEqual(["big dog", " Lily", "The\nEnd"]);
  // The line break that was typed last stays, so that another text can follow.
  expect(field(label).value).toBe("big dog\n\n Lily\nThe\\nEnd\n");
  await fill(field(label), "");
  expect(settings.getState()[name]).toEqual([]);
});

test("banned texts that a run or a workspace brings replace those in the field", async () => {
  const { settings } = await open();
  await fill(field("Banned texts"), "big dog");
  await act(async () => void settings.getState().change({ bannedStrings: ["a\nb", "cat"] }));
  expect(field("Banned texts").value).toBe("a\\nb\ncat");
  await act(async () => void settings.getState().change({ bannedStrings: [] }));
  expect(field("Banned texts").value).toBe("");
});

test("the folded settings count the banned texts", async () => {
  const stores = createTestStores({});
  const element = await render(
    <StoresProvider value={stores}>
      <SamplingSettingsPanel />
    </StoresProvider>,
  );
  expect(element.textContent).not.toContain("banned");
  await act(async () => void stores.settings.getState().change({ bannedStrings: ["big dog", "cat"] }));
  await waitUntilPasses(() => expect(element.textContent).toContain("2 banned"));
});

test("the room of the loaded model is stated before the run", async () => {
  const { model } = await open();
  const does = () => findOnly('[aria-label="Max tokens"]').closest(".setting")?.textContent;
  expect(does()).toContain("The run ends after this many tokens.");
  expect(does()).not.toContain("Prompt and output");
  await act(async () => model.setState({ status: { type: "ready", loaded } }));
  expect(does()).toContain("Prompt and output together have room for 8,192 tokens in this model.");
});
