/** The commands of the page itself: the run, its views, the dialogs, and the look of the page. */
import { withFeatureCommands } from "../features/feature-commands.ts";
import { pageUpdateStore } from "../offline/update-store.ts";
import type { PageActions } from "../page-actions.ts";
import { openableFileEndings } from "../share/opened-files.ts";
import type { Stores } from "../store/stores.ts";
import type { Command, UngroupedCommand } from "./command.ts";
import { continueAtEndCommand, continueWithModsCommands } from "./go-on-commands.ts";
import {
  appearanceCommands,
  type ReadingActions,
  shortcutFieldOf,
  shownRunCommands,
  viewCommands,
} from "./read-commands.ts";

export function pageCommands(stores: Stores, page: PageActions): readonly Command[] {
  const of = (group: Command["group"], commands: readonly UngroupedCommand[]) =>
    commands.map((command) => ({ ...command, group }));
  const read = readingActionsOf(page);
  const own = [
    ...of("Run", runCommands(stores, page, read)),
    ...of("View", viewCommands(stores, read, true)),
    ...of("Page", [...dialogCommands(stores, page), ...appearanceCommands(stores, read)]),
  ];
  return withFeatureCommands(own, stores, page);
}

/** The playground's actions for commands about reading a run. */
export function readingActionsOf(page: PageActions): ReadingActions {
  return { open: page.open, showRead: () => page.show("read") };
}

function runCommands(stores: Stores, page: PageActions, read: ReadingActions): readonly UngroupedCommand[] {
  const { status, pause, resume, stepOnce, stepEvent, stop } = stores.run.getState();
  const isBusy = status === "starting" || status === "running" || status === "paused";
  const isGoingOn = status === "running" || status === "paused";
  const idle = "No run is in progress";
  return [
    ...(isBusy
      ? []
      : [
          {
            id: "run",
            title: "Run",
            words: "start generate go again rerun retry repeat regenerate",
            ...shortcutFieldOf(stores, "Enter"),
            act: page.run,
          },
        ]),
    {
      id: "stop",
      title: "Stop the run",
      words: "cancel end",
      ...(isBusy ? shortcutFieldOf(stores, "Escape") : { disabled: idle }),
      act: stop,
    },
    status === "paused"
      ? {
          id: "resume",
          title: "Resume the run",
          words: "go on continue",
          ...shortcutFieldOf(stores, " "),
          act: resume,
        }
      : {
          id: "pause",
          title: "Pause the run",
          words: "halt",
          ...shortcutFieldOf(stores, " "),
          ...(status !== "running" && { disabled: idle }),
          act: pause,
        },
    {
      id: "step",
      title: "Write one more token",
      words: "step single",
      ...shortcutFieldOf(stores, "."),
      ...(!isGoingOn && { disabled: idle }),
      act: stepOnce,
    },
    {
      id: "step-event",
      title: "Continue to the next event or mod reply",
      words: "step single debug",
      ...shortcutFieldOf(stores, "e"),
      ...(!isGoingOn && { disabled: idle }),
      act: stepEvent,
    },
    {
      id: "breakpoints",
      title: "Breakpoints: where runs pause",
      words: "debug break stop at wait",
      ...shortcutFieldOf(stores, "b"),
      act: () => page.open("breakpoints"),
    },
    ...shownRunCommands(stores, read),
    {
      id: "verify",
      title: "Repeat and check this run",
      words: "verify record mods reproduce rerun repeatable deterministic",
      ...(status !== "finished" && status !== "failed" && { disabled: "No finished run is shown" }),
      act: () => page.open("verify"),
    },
    continueAtEndCommand(stores),
    ...continueWithModsCommands(stores),
  ];
}

function dialogCommands(stores: Stores, page: PageActions): readonly UngroupedCommand[] {
  const { take } = pageUpdateStore.getState();
  return [
    ...noticeCommands(stores),
    ...(take
      ? [{ id: "update", title: "Reload to update Midtoken", words: "update version", act: take }]
      : []),
    {
      id: "write",
      title: "Write: edit the mods",
      words: "editor source code typescript javascript script",
      act: () => page.show("write"),
    },
    {
      id: "run-settings",
      title: "Settings: prompt, temperature, seed and limits",
      words:
        "options preferences parameters sampling random randomness top-p top-k min-p penalty max tokens length stop sequence conversation chat turn system message role answer format json schema tools functions calling thinking reasoning deadline",
      act: () => page.show("run"),
    },
    {
      id: "history",
      title: "History: saved runs",
      words:
        "list search find open previous earlier tags star favorite favourite bookmark rename compare fork branch saved diff delete remove clear",
      ...shortcutFieldOf(stores, "h"),
      act: () => page.show("history"),
    },
    {
      id: "add-mod",
      title: "Examples: add a mod",
      words: "gallery samples demo new create template blank script",
      act: () => page.open("gallery"),
    },
    {
      id: "rules",
      title: "Rules without code",
      words: "no code mod form builder when then condition ban replace insert stop",
      act: () => page.open("rules"),
    },
    {
      id: "open-file",
      title: "Open a run or a mod from a file …",
      words: "trace import load upload html png source ts json",
      act: () => chooseFile(page.openFile),
    },
    {
      id: "workspace",
      title: "Workspace: save mods, prompt and runs as a file, or open such a file",
      words: "export import load download upload backup zip json restore move project session",
      act: () => page.open("workspace"),
    },
    {
      id: "choose-model",
      title: "Choose a model or a server",
      words:
        "change switch load gpu webgpu webassembly wasm cpu device local hugging face hub openai ollama llama.cpp vllm api key token quantization",
      // The menu belongs to the button in the bar, which takes the focus after the list of commands is gone.
      act: () => requestAnimationFrame(() => document.querySelector<HTMLElement>(".model-button")?.click()),
    },
    {
      id: "offline",
      title: "Offline: saved files and free space",
      words:
        "storage cache data disk memory space models delete remove clear reset download network internet quota install app service worker privacy",
      act: () => page.open("offline"),
    },
  ];
}

/** The button of a notice is far from the keyboard focus and disappears, so the palette offers it too. */
function noticeCommands(stores: Stores): readonly UngroupedCommand[] {
  const { notices, act } = stores.notices.getState();
  return notices.flatMap(({ id, text, action }) =>
    action ? [{ id: `notice-${id}`, title: action.label, about: text, act: () => act(id) }] : [],
  );
}

function chooseFile(open: (file: File) => void): void {
  const input = document.createElement("input");
  input.type = "file";
  input.accept = openableFileEndings;
  input.onchange = () => {
    const [file] = input.files ?? [];
    if (file) open(file);
  };
  input.click();
}
