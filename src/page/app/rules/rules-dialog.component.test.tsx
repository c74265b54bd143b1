// @vitest-environment happy-dom
/** Rules are written, refused, deleted and saved with the page's own stores. */
import { act } from "react";
import { expect, test } from "vitest";
import { click, findButton, findOnly, render } from "../../../view/ui/testing/render.ts";
import type { PageDialog } from "../page-actions.ts";
import { type Stores, StoresProvider } from "../store/stores.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import { RulesDialog } from "./rules-dialog.tsx";
import { RulesNote } from "./rules-note.tsx";

interface Opened {
  readonly stores: Stores;
  readonly did: string[];
}

async function open(stores = createTestStores(), isNew = false): Promise<Opened> {
  const did: string[] = [];
  const actions = { run: () => did.push("run"), open: (dialog: PageDialog) => did.push(String(dialog)) };
  await render(
    <StoresProvider value={stores}>
      <RulesDialog isNew={isNew} actions={actions} onClose={() => did.push("close")} />
    </StoresProvider>,
  );
  return { stores, did };
}

const rule = (number: number) => findOnly(`.rule:nth-child(${number})`);

function labelled<Found extends HTMLElement>(label: string, within: ParentNode = document): Found {
  const found = [...within.querySelectorAll("label")].find((each) => each.textContent === label);
  const control = found && document.getElementById(found.htmlFor);
  if (!control) throw new Error(`No field is called ${label}.`);
  return control as Found;
}

async function type(label: string, text: string, within?: ParentNode): Promise<void> {
  const field = labelled<HTMLInputElement | HTMLTextAreaElement>(label, within);
  const prototype =
    field instanceof HTMLTextAreaElement ? HTMLTextAreaElement.prototype : HTMLInputElement.prototype;
  await act(async () => {
    Object.getOwnPropertyDescriptor(prototype, "value")?.set?.call(field, text);
    field.dispatchEvent(new Event("input", { bubbles: true }));
  });
}

async function choose(label: string, name: string, within?: ParentNode): Promise<void> {
  const select = labelled<HTMLSelectElement>(label, within);
  await act(async () => {
    select.value = name;
    select.dispatchEvent(new Event("change", { bubbles: true }));
  });
}

const sourceOf = ({ stores }: Opened) => stores.mods.getState().mods[0]?.source ?? "";
const notice = ({ stores }: Opened) => stores.notices.getState().notices[0];
const takeOffer = (opened: Opened) => act(async () => notice(opened)?.action?.run());

test("the empty panel says how to begin; an example can be saved and run at once", async () => {
  const opened = await open();
  expect(findOnly(".rules-none").textContent).toContain("There are no rules yet.");
  expect(findButton("Save").disabled).toBe(true);
  expect(findButton(/^Save and run/)).toMatchObject({ disabled: true, title: "Add a rule first" });
  await click(findButton("Replace a phrase"));
  expect(labelled<HTMLTextAreaElement>("Replace").value).toBe("big");
  await click(findButton(/^Save and run/));
  expect(opened.did).toEqual(["close", "run"]);
  expect(sourceOf(opened)).toContain('do: { replace: "big", with: "tiny" }');
  await takeOffer(opened);
  expect(opened.stores.mods.getState().mods).toEqual([]);
});

test("errors stand at their fields, and the first of them gets the focus", async () => {
  const opened = await open();
  await click(findButton("Add a rule"));
  await choose("When", "afterTokens");
  await type("Tokens", "none");
  await click(findButton("Save"));
  expect(opened.did).toEqual([]);
  const field = labelled("Tokens");
  expect(document.activeElement).toBe(field);
  expect(document.getElementById(field.getAttribute("aria-describedby") ?? "")?.textContent).toBe(
    "Enter a whole number from 1 to 100,000.",
  );
  expect(findOnly(".rules-count").textContent).toBe("2 problems to fix");
  await type("Tokens", "12");
  await type("Text to insert", "Look!");
  expect(document.querySelectorAll('[aria-invalid="true"]')).toHaveLength(0);
  await click(findButton("Save"));
  expect(sourceOf(opened)).toContain('{ when: { afterTokens: 12 }, do: { insert: "Look!" } }');
});

test("a pair that cannot work is refused where it is chosen", async () => {
  await open();
  await click(findButton("Add a rule"));
  await choose("Do", "startWith");
  expect(findOnly('[role="alert"]').textContent).toMatch(
    /^“Start the answer with” works only before the first word/,
  );
  await choose("When", "always");
  expect(document.querySelector('[role="alert"]')).toBeNull();
});

test("a typed text stays when another condition takes a text too", async () => {
  await open();
  await click(findButton("Add a rule"));
  await type("Text that the model has written", "dragon");
  await choose("When", "promptContains");
  expect(labelled<HTMLTextAreaElement>("Text in the prompt").value).toBe("dragon");
});

test("a deleted rule comes back where it was, and rules change places", async () => {
  const opened = await open();
  await click(findButton("Ban words"));
  await click(findButton("Add a rule"));
  await choose("Do", "stop", rule(2));
  await type("Text that the model has written", "end", rule(2));
  await click(findButton("Delete rule 1"));
  expect(findOnly(".rules-deleted").textContent).toBe("Rule 1 was deleted.Undo");
  expect(document.activeElement?.textContent).toBe("Undo");
  await click(findButton("Undo"));
  await click(findButton("Move rule 2 up"));
  await click(findButton("Save"));
  expect(sourceOf(opened).match(/do: \{ (\w+)/g)).toEqual(["do: { stop", "do: { ban"]);
});

test("the rules of the open mod are opened again, and saving them changes this mod", async () => {
  const first = await open();
  await click(findButton("Ban words"));
  await click(findButton("Save"));
  document.body.replaceChildren();
  const again = await open(first.stores);
  expect(findOnly("h2").textContent).toBe("Rules in rules");
  await type("Words, one per line", "Lily\n\n park ");
  await click(findButton("Save"));
  expect(again.stores.mods.getState().mods).toHaveLength(1);
  expect(sourceOf(again)).toContain('ban: ["Lily", "park"]');
  await takeOffer(again);
  expect(sourceOf(again)).toContain('ban: ["Lily", "ball"]');
});

test("rules that are left without saving are offered again", async () => {
  const opened = await open();
  await click(findButton("Ban words"));
  await click(findButton("Close"));
  expect(opened.did).toEqual(["close"]);
  expect(notice(opened)?.text).toBe("The rules were not saved.");
  await takeOffer(opened);
  expect(opened.did).toEqual(["close", "rules"]);
  document.body.replaceChildren();
  await open(opened.stores);
  expect(labelled<HTMLTextAreaElement>("Words, one per line").value).toBe("Lily\nball");
});

test("Ctrl Enter saves and runs", async () => {
  const opened = await open();
  await click(findButton("Ban words"));
  const press = new KeyboardEvent("keydown", { key: "Enter", ctrlKey: true, bubbles: true });
  await act(async () => labelled("Words, one per line").dispatchEvent(press));
  expect(opened.did).toEqual(["close", "run"]);
});

async function note(edit: (source: string) => string) {
  const opened = await open();
  await click(findButton("Replace a phrase"));
  await click(findButton("Save"));
  document.body.replaceChildren();
  const { mods } = opened.stores;
  const [mod] = mods.getState().mods;
  if (!mod) throw new Error("The rules made no mod.");
  const source = edit(mod.source);
  await act(async () => mods.getState().edit(mod.id, source));
  const element = await render(
    <StoresProvider value={opened.stores}>
      <RulesNote mod={{ ...mod, source }} onOpen={() => opened.did.push("open")} />
    </StoresProvider>,
  );
  return { opened, element, before: mod.source, source };
}

test("above a mod made with rules stands how to edit them", async () => {
  const { element, opened } = await note((source) => source);
  expect(element.textContent).toBe("This mod was made with rules.Edit the rules");
  await click(findButton("Edit the rules"));
  expect(opened.did.at(-1)).toBe("open");
});

test("an edit by hand can be kept as code, or undone by writing the rules again; both can be undone", async () => {
  const { element, opened, before, source } = await note((text) => `${text}// mine\n`);
  expect(element.textContent).toBe(
    "This mod was made with rules and then edited by hand, so “Rules” can no longer change it.Keep as code onlyRegenerate from the rules",
  );
  await click(findButton("Regenerate from the rules"));
  expect(sourceOf(opened)).toBe(before);
  await takeOffer(opened);
  expect(sourceOf(opened)).toBe(source);
  await click(findButton("Keep as code only"));
  expect(sourceOf(opened).startsWith("import")).toBe(true);
  await takeOffer(opened);
  expect(sourceOf(opened)).toBe(source);
});

test("rules that nobody can read any more are only code", async () => {
  const { element } = await note((source) => source.replace('replace: "big"', "replace: name()"));
  expect(element.textContent).toBe(
    "This mod was made with rules and then edited by hand, so “Rules” can no longer change it.Keep as code only",
  );
});
