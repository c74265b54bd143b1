/** Commands for reading a run, in the playground and on the page of a shared link. */
import { isRange, selectToken } from "../../../core/trace/model/selection.ts";
import { runPanels } from "../../../view/timeline/run-panels.ts";
import type { KeyRow, KeyStores } from "../key-row.ts";
import { keyLabel, keyTable } from "../keys.ts";
import { panels } from "../read/panels.ts";
import type { Theme } from "../store/settings-store.ts";
import type { Command, UngroupedCommand } from "./command.ts";

export type ReadingStores = Pick<KeyStores, "run" | "settings">;

export interface ReadingActions {
  open(dialog: "share" | "help"): void;
  /** Scrolls to the pane that shows the run. */
  showRead(): void;
}

/** The label of a key as a field of a command; empty if the key has no action, or is a letter and the user switched letters off. */
export function shortcutFieldOf(
  stores: ReadingStores,
  key: string,
  table: readonly KeyRow[] = keyTable,
): { keys?: string } {
  const row = table.find(({ keys, act }) => act !== undefined && keys.includes(key));
  if (!row || (row.isLetter && !stores.settings.getState().letterKeys)) return {};
  const single = { ...row, keys: [key] };
  return { keys: keyLabel(single) };
}

export function shownRunCommands(stores: ReadingStores, page: ReadingActions): readonly UngroupedCommand[] {
  const { status, trace, selection, select, play } = stores.run.getState();
  const none = trace.tokens.text.length === 0 ? { disabled: "No run is shown" } : {};
  const unfinished =
    status !== "finished" && status !== "failed" ? { disabled: "No finished run is shown" } : {};
  return [
    {
      id: "share",
      title: "Share this run",
      words:
        "link permalink url copy export save download trace file picture image png screenshot card markdown html web page embed iframe live watch send post publish tweet collaborate invite",
      ...shortcutFieldOf(stores, "s"),
      ...(status === "reading" ? { disabled: "The run is still loading" } : none),
      act: () => page.open("share"),
    },
    {
      id: "print",
      title: "Print this run, or save it as a PDF",
      words: "paper",
      ...none,
      // The list of commands is gone by then.
      act: () => requestAnimationFrame(() => window.print()),
    },
    {
      id: "play",
      title: "Play the run event by event",
      words: "playback replay animate animation slow motion video gif watch",
      ...shortcutFieldOf(stores, "r"),
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
            title: "Select one token in the range",
            ...shortcutFieldOf(stores, "Escape"),
            act: () => select(selectToken(selection.cursor)),
          },
        ]
      : []),
  ];
}

const panelWords: Readonly<Record<(typeof panels)[number]["id"], string>> = {
  step: "probability probabilities logits alternatives top-k why inspect details",
  layers: "logit lens hidden states activations",
  tracks: "time duration speed performance slow latency profile",
  charts: "chart graph plot histogram probability entropy surprisal perplexity statistics",
  events: "log console filter search mod calls replies",
  transcript: "plain text copy chat",
};

/** `hasLayers`: whether a model can be asked for its layers. */
export function viewCommands(
  { settings }: ReadingStores,
  page: ReadingActions,
  hasLayers = false,
): readonly UngroupedCommand[] {
  const { shadeProbability, shadeLayers, foldRemoved, change } = settings.getState();
  return [
    ...(hasLayers ? panels : runPanels).map(({ id, label }) => ({
      id: `panel-${id}`,
      title: `Show ${label}`,
      words: `panel tab view timeline ${panelWords[id]}`,
      act: () => {
        page.showRead();
        // The panel belongs to the pane that shows the run, which a narrow page shows now.
        requestAnimationFrame(() => {
          const tab = document.getElementById(`panel-tab-${id}`);
          tab?.click();
          tab?.focus();
        });
      },
    })),
    {
      id: "shade",
      title: shadeProbability ? "Stop shading words" : "Shade words by how unexpected they were",
      words: "probability surprise surprisal color colour heatmap highlight",
      act: () => change({ shadeProbability: !shadeProbability, shadeLayers: false }),
    },
    ...(hasLayers
      ? [
          {
            id: "depth",
            title: shadeLayers
              ? "Stop shading words by layer"
              : "Shade words by the layer of the model that decided them",
            words: "depth inside logit lens",
            act: () => change({ shadeLayers: !shadeLayers, shadeProbability: false }),
          },
        ]
      : []),
    {
      id: "fold",
      title: foldRemoved ? "Unfold removed text" : "Fold removed text",
      words: "fold unfold hide show spans collapse expand",
      act: () => change({ foldRemoved: !foldRemoved }),
    },
  ];
}

const themes: readonly { readonly theme: Theme; readonly title: string }[] = [
  { theme: "light", title: "Theme: light" },
  { theme: "dark", title: "Theme: dark" },
  { theme: "system", title: "Theme: system" },
];

/** Commands for the look of the page and its keys. */
export function appearanceCommands(stores: ReadingStores, page: ReadingActions): readonly UngroupedCommand[] {
  const { theme, letterKeys, change } = stores.settings.getState();
  return [
    {
      id: "keys",
      title: "Keyboard shortcuts",
      words: "help hotkeys key bindings",
      ...shortcutFieldOf(stores, "?"),
      act: () => page.open("help"),
    },
    ...themes.map((each) => ({
      id: `theme-${each.theme}`,
      title: each.title,
      words: "colour color appearance mode look night",
      ...(theme === each.theme && { disabled: "Already chosen" }),
      act: () => change({ theme: each.theme }),
    })),
    {
      id: "letter-keys",
      title: letterKeys ? "Turn single-letter shortcuts off" : "Turn single-letter shortcuts on",
      words: "shortcuts speech",
      act: () => change({ letterKeys: !letterKeys }),
    },
  ];
}

/** "40" or "token 40" selects that token. */
export function goToCommands({ run }: ReadingStores, page: ReadingActions, text: string): readonly Command[] {
  const number = /^\s*(?:(?:go to )?(?:token|step)\s*)?(\d{1,9})\s*$/i.exec(text)?.[1];
  if (number === undefined) return [];
  const { trace, select } = run.getState();
  const count = trace.tokens.text.length;
  const wanted = Number(number);
  const title = `Go to token ${number}`;
  const isOutside = wanted < 1 || wanted > count;
  const outsideProblem = isOutside ? `The run has tokens 1 to ${count}` : null;
  const problem = count === 0 ? "No run is shown" : outsideProblem;
  return [
    {
      id: "go-to",
      group: "Go to",
      title,
      words: text,
      ...(problem !== null && { disabled: problem }),
      act: () => {
        page.showRead();
        select(selectToken(wanted - 1));
      },
    },
  ];
}
