import "fake-indexeddb/auto";
import { expect, test } from "vitest";
import { createTraceModel } from "../../../core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../core/trace/testing/sample-trace.ts";
import { createRunRepository, type RunRepository } from "../../runs/repository.ts";
import { featureKeys } from "../features/feature-keys.ts";
import { features } from "../features/features.ts";
import { guideCommands } from "../guide/guide-commands.ts";
import { findKeyBinding } from "../key-acts.ts";
import type { PageActions, PageDialog } from "../page-actions.ts";
import { playgroundKeys } from "../playground-keys.ts";
import { shownRunFieldsOf } from "../store/shown-run.ts";
import { createTestStores } from "../store/testing/test-stores.ts";
import type { Command } from "./command.ts";
import { commandMatchScore, findCommands } from "./find-commands.ts";
import { galleryCommands, modCommands, savedRunCommands } from "./listed-commands.ts";
import { pageCommands, readingActionsOf } from "./page-commands.ts";
import { goToCommands } from "./read-commands.ts";

function open(runs?: RunRepository) {
  const stores = createTestStores({
    ...(runs && { runs }),
    first: { mods: [{ name: "first", source: "export default 1;", enabled: true }] },
  });
  const done: (PageDialog | string)[] = [];
  const page: PageActions = {
    run: () => done.push("run"),
    open: (dialog) => done.push(dialog),
    show: (place) => done.push(place),
    openFile: () => done.push("file"),
    openLine: (mod) => done.push(mod),
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
    ...["stop", "pause", "step", "step-event", "share", "print", "play"],
    ...[
      "first-token",
      "last-token",
      "verify",
      "with-without",
      "eight-seeds",
      "continue",
      "go-on",
      "theme-system",
    ],
  ]);
});

test("each command of a feature stands in the palette", () => {
  const { stores, page } = openWithRun();
  const ofFeatures = features.flatMap(({ commands }) => commands?.(stores, page) ?? []).map(({ id }) => id);
  expect(ofFeatures).toEqual(["with-without", "eight-seeds", "experiments", "vectors"]);
  expect(pageCommands(stores, page).map(({ id }) => id)).toEqual(expect.arrayContaining(ofFeatures));
});

test("what a key does, a command does too", () => {
  const { stores, page } = openWithRun();
  const named = new Set(pageCommands(stores, page).map(({ keys }) => keys));
  const pressed = (key: string) => ({ key, ctrlKey: key === "Enter", metaKey: false, altKey: false });
  for (const key of ["Enter", "s", "h", "x", "v", "?", " ", "."]) {
    const found = findKeyBinding(pressed(key), false, true, featureKeys);
    expect(playgroundKeys.map(({ act }) => act)).toContain(found?.act);
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

test("8 seeds can be reached where the pane has no room for their button", async () => {
  const runs = createRunRepository("test.page-commands");
  const { stores, command, done } = open(runs);
  const trace = createTraceModel();
  trace.append(sampleTrace({ tokens: 60 }).records);
  stores.run.getState().restore(trace, { ...shownRunFieldsOf(stores.run.getState()), recorded: false });
  expect(command("eight-seeds").disabled).toBeUndefined();
  command("eight-seeds").act();
  expect(done).toEqual(["experiments"]);
  await expect
    .poll(async () => (await runs.experiments.list()).map(({ experiment }) => experiment.seeds.length))
    .toEqual([8]);
  expect(commandMatchScore(command("eight-seeds"), "8 seeds")).toBeGreaterThan(0);
});

/** Words that people type, by the command that they want. */
const wordsOfUsers: Readonly<Record<string, readonly string[]>> = {
  run: ["start", "generate", "rerun", "retry", "again", "regenerate"],
  stop: ["stop", "cancel"],
  step: ["single step"],
  breakpoints: ["breakpoint", "debug"],
  share: [
    ...[
      "live",
      "copy",
      "url",
      "link",
      "copy link",
      "screenshot",
      "image",
      "png",
      "markdown",
      "html",
      "download",
    ],
    ...["embed", "iframe", "tweet", "export", "save", "send", "publish", "collaborate"],
  ],
  print: ["print", "pdf", "paper"],
  play: ["replay", "animation", "video", "gif"],
  verify: ["reproduce", "deterministic"],
  "with-without": ["compare", "a b", "side by side", "baseline"],
  history: [
    ...[
      "delete",
      "compare",
      "fork",
      "branch",
      "diff",
      "search",
      "find",
      "favorites",
      "tags",
      "previous runs",
    ],
    ...["clear history", "rename"],
  ],
  experiments: ["csv", "batch", "benchmark", "sweep", "eval"],
  "add-mod": ["example", "examples", "template", "samples", "new mod"],
  rules: ["no code", "rule"],
  vectors: ["steering", "vector"],
  "run-settings": [
    ...["settings", "temperature", "seed", "random", "system prompt", "max tokens", "top p", "stop sequence"],
    ...["json schema", "tools", "function calling", "thinking", "preferences", "options"],
  ],
  "choose-model": ["model", "gpu", "webgpu", "api key", "openai", "ollama", "server", "hugging face"],
  "open-file": ["import", "open file", "upload", "json"],
  workspace: ["export", "import", "backup", "download"],
  offline: ["cache", "storage", "reset", "clear", "delete data", "disk space", "install", "privacy"],
  "theme-dark": ["dark mode", "dark", "theme", "colors", "night"],
  keys: ["shortcuts", "keyboard", "hotkeys", "help"],
  "panel-step": ["logits", "probabilities", "why"],
  "panel-charts": ["chart", "entropy", "perplexity"],
  "panel-tracks": ["speed", "time", "slow"],
  "panel-events": ["log", "console", "events"],
  "panel-layers": ["layers", "logit lens"],
  shade: ["heatmap", "highlight", "surprise"],
  fold: ["hide", "collapse"],
};

test.each(Object.entries(wordsOfUsers))("the command %s is found by the words of users", (id, words) => {
  const { stores, page, command } = openWithRun();
  const commands = pageCommands(stores, page);
  for (const word of words) {
    const found = findCommands(commands, word).flatMap((group) => group.commands);
    expect(found, word).toContainEqual(expect.objectContaining({ id: command(id).id }));
  }
});

test("a mod and the guide are found by the words of users", () => {
  const { stores, page } = open();
  const idsFor = (commands: readonly Command[], word: string) =>
    commands.filter((command) => commandMatchScore(command, word) > 0).map(({ id }) => id);
  for (const word of ["rename mod", "delete mod", "duplicate", "edit"])
    expect(idsFor(modCommands(stores, page), word), word).toContain("mod-first-first");
  for (const word of ["undo", "revert", "version"])
    expect(idsFor(modCommands(stores, page), word), word).toContain("mod-versions-first-first");
  for (const word of ["docs", "about", "tutorial", "help", "manual"])
    expect(idsFor(guideCommands(page), word).length, word).toBeGreaterThan(0);
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

test("“compare” finds first the command that compares", () => {
  const { stores, page } = openWithRun();
  const [best, next] = findCommands(pageCommands(stores, page), "compare").flatMap(
    ({ commands }) => commands,
  );
  expect([best?.id, next?.id]).toEqual(["with-without", "eight-seeds"]);
});

test("a search by the name of a dialog finds the dialog before the section of the guide", () => {
  const { stores, page } = open();
  const commands = [...pageCommands(stores, page), ...guideCommands(page)];
  expect(findCommands(commands, "vectors")[0]?.commands[0]?.id).toBe("vectors");
});

test.each([
  ["12", 11],
  ["token 12", 11],
  ["Go to step 3", 2],
])("%j goes to a token", (text, cursor) => {
  const { stores, page, done } = openWithRun();
  goToCommands(stores, readingActionsOf(page), text)[0]?.act();
  expect(stores.run.getState().selection?.cursor).toBe(cursor);
  expect(done).toEqual(["read"]);
});

test.each([
  ["0", /tokens 1 to/],
  ["100000", /tokens 1 to/],
])("%j says which tokens there are", (text, said) => {
  const { stores, page } = openWithRun();
  expect(goToCommands(stores, readingActionsOf(page), text)[0]?.disabled).toMatch(said);
});

test.each(["", "twelve", "12 dragons", "1234567890"])("%j is no token", (text) => {
  const { stores, page } = openWithRun();
  expect(goToCommands(stores, readingActionsOf(page), text)).toEqual([]);
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
  const [command] = savedRunCommands(stores, page, [run as never], 0);
  expect(command?.title).not.toContain("\u202e");
  expect(command?.words).not.toContain("\u200b");
});
