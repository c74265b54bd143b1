/** The commands of the page itself: the run, its views, dialogs and looks. */
import { isRange, selectToken } from "../../trace/selection.ts";
import { keyLabel, keyTable } from "../keys.ts";
import { update } from "../offline/update-store.ts";
import type { PageActions } from "../page-actions.ts";
import { panels } from "../read/panels.ts";
import { openedFiles } from "../share/opened-files.ts";
import type { Theme } from "../store/settings-store.ts";
import type { Stores } from "../store/stores.ts";
import type { Command, Draft } from "./command.ts";
import { goOnCommands } from "./go-on-commands.ts";

/** The key of a row of the list of keys, where letters count. */
function keysOf(stores: Stores, key: string): { keys?: string } {
  const row = keyTable.find(({ keys, act }) => act !== undefined && keys.includes(key));
  if (!row || (row.isLetter && !stores.settings.getState().letterKeys)) return {};
  const single = { ...row, keys: [key] };
  return { keys: keyLabel(single) };
}

export function pageCommands(stores: Stores, page: PageActions): readonly Command[] {
  const of = (group: Command["group"], drafts: readonly Draft[]) =>
    drafts.map((draft) => ({ ...draft, group }));
  return [
    ...of("Run", runCommands(stores, page)),
    ...of("View", viewCommands(stores, page)),
    ...of("Page", dialogCommands(stores, page)),
  ];
}

function runCommands(stores: Stores, page: PageActions): readonly Draft[] {
  const { status, pause, resume, stepOnce, stepEvent, stop } = stores.run.getState();
  const isBusy = status === "starting" || status === "running" || status === "paused";
  const isGoingOn = status === "running" || status === "paused";
  const idle = "Nothing runs now";
  return [
    isBusy
      ? { id: "stop", title: "Stop the run", words: "cancel end", ...keysOf(stores, "Escape"), act: stop }
      : { id: "run", title: "Run", words: "start generate go", ...keysOf(stores, "Enter"), act: page.run },
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
      title: "Go on to the next event or answer of a mod",
      words: "step single debug",
      ...keysOf(stores, "e"),
      ...(!isGoingOn && { disabled: idle }),
      act: stepEvent,
    },
    {
      id: "breakpoints",
      title: "Breakpoints: where runs pause by themselves",
      words: "debug break stop at wait",
      ...keysOf(stores, "b"),
      act: () => page.open("breakpoints"),
    },
    ...shownRunCommands(stores, page),
  ];
}

function shownRunCommands(stores: Stores, page: PageActions): readonly Draft[] {
  const { status, trace, selection, select, play } = stores.run.getState();
  const none = trace.tokens.text.length === 0 ? { disabled: "No run is shown" } : {};
  const unfinished =
    status !== "finished" && status !== "failed" ? { disabled: "No run has ended here" } : {};
  return [
    {
      id: "share",
      title: "Share this run",
      words: "link permalink export save trace picture png markdown page",
      ...keysOf(stores, "s"),
      ...(status === "reading" ? { disabled: "Not all of the run is read yet" } : none),
      act: () => page.open("share"),
    },
    {
      id: "verify",
      title: "Verify this run",
      words: "check again record mods",
      ...unfinished,
      act: () => page.open("verify"),
    },
    ...goOnCommands(stores),
    {
      id: "play",
      title: "Play the run event by event",
      words: "playback replay animate watch",
      ...keysOf(stores, "r"),
      ...unfinished,
      act: () => void play(),
    },
    {
      id: "first-token",
      title: "Select the first token",
      words: "beginning start",
      ...none,
      act: () => select(selectToken(0)),
    },
    {
      id: "last-token",
      title: "Select the last token",
      words: "end",
      ...none,
      act: () => select(selectToken(trace.tokens.text.length - 1)),
    },
    ...(isRange(selection)
      ? [
          {
            id: "one-token",
            title: "Select one token of the range",
            ...keysOf(stores, "Escape"),
            act: () => select(selectToken(selection.cursor)),
          },
        ]
      : []),
  ];
}

function viewCommands({ settings }: Stores, page: PageActions): readonly Draft[] {
  const { shadeProbability, foldRemoved, change } = settings.getState();
  return [
    ...panels.map(({ id, label }) => ({
      id: `panel-${id}`,
      title: `Show ${label}`,
      words: "panel tab view timeline",
      act: () => {
        page.show("read");
        // The panel belongs to the pane that shows the run, which a narrow page draws now.
        requestAnimationFrame(() => {
          const tab = document.getElementById(`panel-tab-${id}`);
          tab?.click();
          tab?.focus();
        });
      },
    })),
    {
      id: "shade",
      title: shadeProbability ? "Stop shading words" : "Shade words by how little they were expected",
      words: "probability surprise",
      act: () => change({ shadeProbability: !shadeProbability }),
    },
    {
      id: "fold",
      title: foldRemoved ? "Unfold what was removed" : "Fold what was removed",
      words: "hide show spans",
      act: () => change({ foldRemoved: !foldRemoved }),
    },
  ];
}

const themes: readonly { readonly theme: Theme; readonly title: string }[] = [
  { theme: "light", title: "Theme: light" },
  { theme: "dark", title: "Theme: dark" },
  { theme: "system", title: "Theme: as the system has it" },
];

function dialogCommands(stores: Stores, page: PageActions): readonly Draft[] {
  const { theme, letterKeys, change } = stores.settings.getState();
  const { take } = update.getState();
  const { notices, act } = stores.notices.getState();
  // What a notice offers lies far from where the keyboard is, and only for a while.
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
      id: "history",
      title: "History: the runs that are kept",
      words: "list search open tags star",
      ...keysOf(stores, "h"),
      act: () => page.show("history"),
    },
    {
      id: "experiments",
      title: "Experiments: several mods, prompts and seeds",
      words: "table compare sweep checks",
      ...keysOf(stores, "x"),
      act: () => page.show("experiments"),
    },
    {
      id: "add-mod",
      title: "Add a mod from the gallery",
      words: "examples new",
      act: () => page.open("gallery"),
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
      id: "keys",
      title: "List of keys",
      words: "help shortcuts keyboard",
      ...keysOf(stores, "?"),
      act: () => page.open("help"),
    },
    ...themes.map((each) => ({
      id: `theme-${each.theme}`,
      title: each.title,
      words: "colour color appearance mode look",
      ...(theme === each.theme && { disabled: "It is so now" }),
      act: () => change({ theme: each.theme }),
    })),
    {
      id: "letter-keys",
      title: letterKeys ? "Switch keys of one letter off" : "Switch keys of one letter on",
      words: "shortcuts speech",
      act: () => change({ letterKeys: !letterKeys }),
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

/** "40" or "token 40" selects that token. */
export function goToCommands({ run }: Stores, page: PageActions, text: string): readonly Command[] {
  const number = /^\s*(?:(?:go to )?(?:token|step)\s*)?(\d{1,9})\s*$/i.exec(text)?.[1];
  if (number === undefined) return [];
  const { trace, select } = run.getState();
  const count = trace.tokens.text.length;
  const at = Number(number);
  const title = `Go to token ${number}`;
  const problem =
    count === 0 ? "No run is shown" : at < 1 || at > count ? `The run has tokens 1 to ${count}` : null;
  return [
    {
      id: "go-to",
      group: "Go to",
      title,
      words: text,
      ...(problem !== null && { disabled: problem }),
      act: () => {
        page.show("read");
        select(selectToken(at - 1));
      },
    },
  ];
}
