/** The commands of the page itself: the run, its views, the dialogs, and the look of the page. */
import { update } from "../offline/update-store.ts";
import type { PageActions } from "../page-actions.ts";
import { openedFiles } from "../share/opened-files.ts";
import type { Stores } from "../store/stores.ts";
import type { Command, UngroupedCommand } from "./command.ts";
import { goOnCommands } from "./go-on-commands.ts";
import { keysOf, lookCommands, type ReadActions, shownRunCommands, viewCommands } from "./read-commands.ts";

export function pageCommands(stores: Stores, page: PageActions): readonly Command[] {
  const of = (group: Command["group"], commands: readonly UngroupedCommand[]) =>
    commands.map((command) => ({ ...command, group }));
  const read = readActions(page);
  return [
    ...of("Run", runCommands(stores, page, read)),
    ...of("View", viewCommands(stores, read, true)),
    ...of("Page", [...dialogCommands(stores, page), ...lookCommands(stores, read)]),
  ];
}

/** The playground's actions for commands about reading a run. */
export function readActions(page: PageActions): ReadActions {
  return { open: page.open, showRead: () => page.show("read") };
}

function runCommands(stores: Stores, page: PageActions, read: ReadActions): readonly UngroupedCommand[] {
  const { status, pause, resume, stepOnce, stepEvent, stop } = stores.run.getState();
  const isBusy = status === "starting" || status === "running" || status === "paused";
  const isGoingOn = status === "running" || status === "paused";
  const idle = "No run in progress";
  return [
    ...(isBusy
      ? []
      : [{ id: "run", title: "Run", words: "start generate go", ...keysOf(stores, "Enter"), act: page.run }]),
    {
      id: "stop",
      title: "Stop the run",
      words: "cancel end",
      ...(isBusy ? keysOf(stores, "Escape") : { disabled: idle }),
      act: stop,
    },
    status === "paused"
      ? {
          id: "resume",
          title: "Resume the run",
          words: "go on continue",
          ...keysOf(stores, " "),
          act: resume,
        }
      : {
          id: "pause",
          title: "Pause the run",
          words: "halt",
          ...keysOf(stores, " "),
          ...(status !== "running" && { disabled: idle }),
          act: pause,
        },
    {
      id: "step",
      title: "Write one more token",
      words: "step single",
      ...keysOf(stores, "."),
      ...(!isGoingOn && { disabled: idle }),
      act: stepOnce,
    },
    {
      id: "step-event",
      title: "Continue to the next event or reply of a mod",
      words: "step single debug",
      ...keysOf(stores, "e"),
      ...(!isGoingOn && { disabled: idle }),
      act: stepEvent,
    },
    {
      id: "breakpoints",
      title: "Breakpoints: where runs pause",
      words: "debug break stop at wait",
      ...keysOf(stores, "b"),
      act: () => page.open("breakpoints"),
    },
    ...shownRunCommands(stores, read),
    {
      id: "verify",
      title: "Repeat and check this run",
      words: "verify again record mods reproduce",
      ...(status !== "finished" && status !== "failed" && { disabled: "No run has ended here" }),
      act: () => page.open("verify"),
    },
    ...withoutCommands(stores, page),
    ...goOnCommands(stores),
  ];
}

function withoutCommands(stores: Stores, page: PageActions): readonly UngroupedCommand[] {
  const { status, trace, recorded } = stores.run.getState();
  const canStart = status === "finished" && !recorded && (trace.request?.mods.length ?? 0) > 0;
  const rest = {
    words: "compare difference ab test side by side experiment",
    ...(!canStart && { disabled: "No run with mods has ended here" }),
  };
  return [
    {
      id: "with-without",
      title: "With and without the mods: both texts side by side",
      ...rest,
      act: () => page.withAndWithout(1),
    },
    {
      id: "eight-seeds",
      title: "With and without the mods: a table of 8 seeds",
      ...rest,
      act: () => page.withAndWithout(8),
    },
  ];
}

function dialogCommands(stores: Stores, page: PageActions): readonly UngroupedCommand[] {
  const { take } = update.getState();
  const { notices, act } = stores.notices.getState();
  // The button of a notice is far from the keyboard focus and disappears, so the palette offers it too.
  const offers = notices.flatMap(({ id, text, action }) =>
    action ? [{ id: `notice-${id}`, title: action.label, about: text, act: () => act(id) }] : [],
  );
  return [
    ...offers,
    ...(take
      ? [{ id: "update", title: "Reload to the newer Midtoken", words: "update version", act: take }]
      : []),
    { id: "write", title: "Write: the mods", words: "editor source code", act: () => page.show("write") },
    {
      id: "run-settings",
      title: "Settings: prompt, temperature, seed and limits",
      words: "sampling top-p top-k max tokens stop conversation system message",
      act: () => page.show("run"),
    },
    {
      id: "history",
      title: "History: saved runs",
      words: "list search open tags star compare fork branch saved diff delete remove",
      ...keysOf(stores, "h"),
      act: () => page.show("history"),
    },
    {
      id: "experiments",
      title: "Experiments: several mods, prompts and seeds",
      words: "table compare sweep checks csv export statistics ab test",
      ...keysOf(stores, "x"),
      act: () => page.show("experiments"),
    },
    {
      id: "add-mod",
      title: "Examples: add a mod",
      words: "gallery new template blank",
      act: () => page.open("gallery"),
    },
    {
      id: "rules",
      title: "Rules without code",
      words: "no code mod form builder when then condition ban replace insert stop",
      act: () => page.open("rules"),
    },
    {
      id: "vectors",
      title: "Vectors: directions that mods steer a model by",
      words: "steering activation layers direction make",
      ...keysOf(stores, "v"),
      act: () => page.open("vectors"),
    },
    {
      id: "open-file",
      title: "Open a run or a mod from a file …",
      words: "trace import load html png source ts",
      act: () => chooseFile(page.openFile),
    },
    {
      id: "workspace",
      title: "Workspace: save mods, prompt and runs as a file, or open one",
      words: "export import backup zip move",
      act: () => page.open("workspace"),
    },
    {
      id: "offline",
      title: "Offline: saved files and free space",
      words: "storage cache models delete remove download network quota service worker",
      act: () => page.open("offline"),
    },
  ];
}

function chooseFile(open: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = openedFiles;
  input.onchange = () => {
    const [file] = input.files ?? [];
    if (file) open(file);
  };
  input.click();
}
