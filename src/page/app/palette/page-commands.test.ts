import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { actOf } from "../key-acts.ts";
import { keyTable } from "../keys.ts";
import type { PageActions, PageDialog } from "../page-actions.ts";
import { aboutOf } from "../store/shown-run.ts";
import { testStores } from "../store/testing/test-stores.ts";
import { fitOf } from "./find-commands.ts";
import { galleryCommands, modCommands, runCommands } from "./listed-commands.ts";
import { pageCommands, readActions } from "./page-commands.ts";
import { goToCommands } from "./read-commands.ts";

function open() {
  const stores = testStores({
    first: { mods: [{ name: "first", source: "export default 1;", enabled: true }] },
  });
  const done: (PageDialog | string)[] = [];
  const page: PageActions = {
    run: () => done.push("run"),
    open: (dialog) => done.push(dialog),
    show: (place) => done.push(place),
    openFile: () => done.push("file"),
    openLine: (mod) => done.push(mod),
    withAndWithout: (seeds) => done.push(`${seeds} seeds`),
  };
  const command = (id: string) => {
    const found = pageCommands(stores, page).find((each) => each.id === id);
    if (!found) throw new Error(`No command ${id}.`);
    return found;
  };
  return { stores, page, done, command };
}

function openWithRun() {
  const opened = open();
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens: 60 }).records);
  opened.stores.run.getState().show(trace);
  return opened;
}

test("commands have ids of their own and say why they cannot be done", () => {
  const { stores, page } = open();
  const commands = [
    ...pageCommands(stores, page),
    ...modCommands(stores, page),
    ...galleryCommands(stores, page),
  ];
  expect(new Set(commands.map(({ id }) => id)).size).toBe(commands.length);
  const refused = commands.filter(({ disabled }) => disabled !== undefined).map(({ id }) => id);
  expect(refused).toEqual([
    ...["stop", "pause", "step", "step-event", "share", "play"],
    ...["first-token", "last-token", "verify", "with-without", "eight-seeds", "go-on", "theme-system"],
  ]);
});

test("what a key does, a command does too", () => {
  const { stores, page } = openWithRun();
  const named = new Set(pageCommands(stores, page).map(({ keys }) => keys));
  const pressed = (key: string) => ({ key, ctrlKey: key === "Enter", metaKey: false, altKey: false });
  for (const key of ["Enter", "s", "h", "x", "v", "?", " ", "."]) {
    const found = actOf(pressed(key), false, true);
    expect(keyTable.map(({ act }) => act)).toContain(found?.act);
  }
  expect([...named].filter(Boolean).sort()).toEqual([
    ...[".", "?", "Ctrl Enter", "b", "e", "h", "r", "s", "space", "v", "x"],
  ]);
});

test("letters that are switched off are not promised", () => {
  const { stores, command } = open();
  expect(command("history").keys).toBe("h");
  command("letter-keys").act();
  expect(stores.settings.getState().letterKeys).toBe(false);
  expect(command("history").keys).toBeUndefined();
  expect(command("keys").keys).toBe("?");
});

test("commands change what they name", () => {
  const { stores, command, done } = openWithRun();
  command("theme-dark").act();
  expect(stores.settings.getState().theme).toBe("dark");
  expect(command("theme-dark").disabled).toBeDefined();
  command("fold").act();
  expect(stores.settings.getState().foldRemoved).toBe(true);
  expect(command("fold").title).toBe("Unfold removed text");
  command("last-token").act();
  const { selection, trace } = stores.run.getState();
  expect(selection?.cursor).toBe(trace.tokens.text.length - 1);
  for (const id of ["run", "share", "verify", "history", "experiments", "add-mod", "keys", "write"])
    command(id).act();
  expect(done).toEqual(["run", "share", "verify", "history", "experiments", "gallery", "help", "write"]);
});

test("8 seeds can be reached where the pane has no room for their button", () => {
  const { stores, command, done } = open();
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens: 60 }).records);
  stores.run.getState().restore(trace, { ...aboutOf(stores.run.getState()), recorded: false });
  expect(command("eight-seeds").disabled).toBeUndefined();
  command("eight-seeds").act();
  expect(done).toEqual(["8 seeds"]);
  expect(fitOf(command("eight-seeds"), "8 seeds")).toBeGreaterThan(0);
});

test.each([
  ["live", "share"],
  ["stop", "stop"],
  ["cancel", "stop"],
  ["delete", "history"],
  ["copy", "share"],
  ["url", "share"],
  ["csv", "experiments"],
  ["compare", "history"],
  ["fork", "history"],
  ["branch", "history"],
  ["example", "add-mod"],
  ["template", "add-mod"],
  ["dark mode", "theme-dark"],
  ["settings", "run-settings"],
  ["temperature", "run-settings"],
  ["shortcuts", "keys"],
])("the word %j finds the command %s", (word, id) => {
  const { command } = openWithRun();
  expect(fitOf(command(id), word)).toBeGreaterThan(0);
});

test("what a notice offers can be chosen", () => {
  const { stores, command, done } = open();
  stores.notices.getState().show("A mod was deleted.", { label: "Undo", run: () => done.push("undone") });
  const id = stores.notices.getState().notices[0]?.id;
  expect(command(`notice-${id}`)).toMatchObject({ title: "Undo", about: "A mod was deleted." });
  command(`notice-${id}`).act();
  expect(done).toEqual(["undone"]);
  expect(stores.notices.getState().notices).toEqual([]);
});

test.each([
  ["12", 11],
  ["token 12", 11],
  ["Go to step 3", 2],
])("%j goes to a token", (text, cursor) => {
  const { stores, page, done } = openWithRun();
  goToCommands(stores, readActions(page), text)[0]?.act();
  expect(stores.run.getState().selection?.cursor).toBe(cursor);
  expect(done).toEqual(["read"]);
});

test.each([
  ["0", /tokens 1 to/],
  ["100000", /tokens 1 to/],
])("%j says which tokens there are", (text, said) => {
  const { stores, page } = openWithRun();
  expect(goToCommands(stores, readActions(page), text)[0]?.disabled).toMatch(said);
});

test.each(["", "twelve", "12 dragons", "1234567890"])("%j is no token", (text) => {
  const { stores, page } = openWithRun();
  expect(goToCommands(stores, readActions(page), text)).toEqual([]);
});

test("mods are opened and switched; a gallery mod is put to work", () => {
  const { stores, page, done } = open();
  const [opens, switches, versions] = modCommands(stores, page);
  opens?.act();
  expect(done).toEqual(["first-first"]);
  switches?.act();
  expect(stores.mods.getState().mods[0]?.enabled).toBe(false);
  versions?.act();
  expect(done.at(-1)).toEqual({ versionsOf: "first-first" });
  galleryCommands(stores, page)[0]?.act();
  expect(stores.mods.getState().mods.filter(({ enabled }) => enabled)).toHaveLength(1);
  expect(stores.mods.getState().mods).toHaveLength(2);
});

test("a stranger's title is shown with what is not seen in it", () => {
  const { stores, page } = open();
  const facts = { id: "1", when: 0, title: "a\u202eb", prompt: "", tags: ["x\u200b"], mods: [], model: "m" };
  const run = { ...facts, tokens: 3, finishReason: "stop", interrupted: false };
  const [command] = runCommands(stores, page, [run as never], 0);
  expect(command?.title).not.toContain("\u202e");
  expect(command?.words).not.toContain("\u200b");
});
