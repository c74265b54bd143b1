// @vitest-environment happy-dom
/** The dialog of examples: keys of its search field, what a filter hides, and how many mods need another model. */
import { expect, test, vi } from "vitest";
import {
  click,
  fill,
  findButton,
  findOnly,
  render,
  waitUntilPasses,
} from "../../../view/ui/testing/render.ts";
import { exampleGroups } from "../../examples/index.ts";
import { StoresProvider } from "../store/stores.ts";
import { createTestCatalogEntry, createTestStores } from "../store/testing/test-stores.ts";
import { findExamples } from "./find-examples.ts";
import { Gallery } from "./gallery.tsx";

test("Escape closes the dialog also while its search field has a text", async () => {
  const onClose = vi.fn();
  await render(
    <StoresProvider value={createTestStores({})}>
      <Gallery onRules={() => {}} onTaken={() => {}} onClose={onClose} />
    </StoresProvider>,
  );
  const field = findOnly<HTMLInputElement>("input[type=search]");
  await fill(field, "JSON");
  const pressed = new KeyboardEvent("keydown", { key: "Escape", bubbles: true, cancelable: true });
  field.dispatchEvent(pressed);
  expect(pressed.defaultPrevented).toBe(true);
  expect(onClose).toHaveBeenCalledOnce();
});

const ofStory = findExamples(exampleGroups, "layer", "bundled").flatMap(({ examples }) => examples);
const ofAll = findExamples(exampleGroups, "layer").flatMap(({ examples }) => examples);

async function gallery(onTaken = () => {}): Promise<void> {
  await render(
    <StoresProvider value={createTestStores({ models: [createTestCatalogEntry("some/instruct")] })}>
      <Gallery onRules={() => {}} onTaken={onTaken} onClose={() => {}} />
    </StoresProvider>,
  );
}
const cards = () => document.querySelectorAll(".gallery-card").length;

test("a search whose mods are all hidden by the filter says so, and shows them when asked", async () => {
  expect(ofStory).toEqual([]);
  await gallery();
  await click(findOnly("input[type=checkbox]"));
  await fill(findOnly<HTMLInputElement>("input[type=search]"), "layer");
  expect(findOnly(".gallery-none").textContent).toContain(
    `No mod for the current model has “layer” in its name or description. ${ofAll.length} mods for other models match.`,
  );
  await click(findButton("Show mods for all models"));
  expect(cards()).toBe(ofAll.length);
  expect(document.querySelector(".gallery-none")).toBeNull();
  await fill(findOnly<HTMLInputElement>("input[type=search]"), "no such word");
  await click(findOnly("input[type=checkbox]"));
  expect(findOnly(".gallery-none").textContent).toBe(
    "No mod has “no such word” in its name or description. Try another word.",
  );
});

test.each(["Try with its example prompt: Plot twist", "Add to my mods: Plot twist", "Blank mod"])(
  "“%s” shows the editor, which another pane may cover",
  async (button) => {
    const onTaken = vi.fn();
    await gallery(onTaken);
    await click(findButton(button));
    expect(onTaken).toHaveBeenCalledOnce();
  },
);

test("the number of mods that need an instruct model counts the listed mods", async () => {
  await gallery();
  const offer = () => findOnly(".gallery-models").textContent;
  const needy = (mods: readonly { readonly model: string }[]) =>
    mods.filter(({ model }) => model === "instruct").length;
  const all = exampleGroups.flatMap(({ examples }) => examples);
  await waitUntilPasses(() =>
    expect(offer()).toContain(`${needy(all)} of these mods need an instruct model`),
  );
  await fill(findOnly<HTMLInputElement>("input[type=search]"), "layer");
  expect(offer()).toContain(`${needy(ofAll)} of these mods need an instruct model`);
  await click(findOnly("input[type=checkbox]"));
  expect(offer()).not.toContain("of these mods");
});

test("a card names a model only if the mod is not for the current model", async () => {
  await gallery();
  const needs = [...document.querySelectorAll<HTMLElement>("[data-needs]")].map(
    ({ dataset }) => dataset.needs,
  );
  const instruct = findExamples(exampleGroups, "", "instruct").flatMap(({ examples }) => examples);
  expect(needs).toEqual(instruct.map(() => "instruct"));
});
