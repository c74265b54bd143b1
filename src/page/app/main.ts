/** Entry of the page: shows a shared run or the playground, as the address asks, and fetches no more than that. */
import "@fontsource-variable/inter/wght.css";
import "@fontsource-variable/jetbrains-mono/wght.css";
import "./app.css";
import "./print.css";
import { loadViewer } from "virtual:viewer";
import { importProgramPart, ProgramPartError } from "../../core/base/import-part.ts";
import { messageOf } from "../../core/base/message-of.ts";
import { fragmentKind } from "../../core/trace/file/fragment-kind.ts";
import { waitForFirstPaint } from "../../view/ui/first-paint.ts";
import { isFeatureLink } from "./features/link-kinds.ts";
import { handOverToPlayground, type PlaygroundHandOver } from "./share/hand-over.ts";

/** Draws into the root. Returns a function that removes the drawing. */
type Mount = (root: HTMLElement, hash: string) => () => void;

const root = document.getElementById("root");
if (!root) throw new Error("index.html has no element with the id root.");

/** The address without its fragment is the playground's. */
function leaveForPlayground(handed: PlaygroundHandOver): void {
  handOverToPlayground(handed);
  history.pushState(null, "", location.pathname + location.search);
  void show();
}

const halves = {
  viewer: async (): Promise<Mount> => {
    const { mountViewer } = await importProgramPart("The view of shared runs", loadViewer, "mountViewer");
    return (place, hash) => mountViewer(place, { hash, leave: leaveForPlayground });
  },
  playground: async (): Promise<Mount> => {
    const load = () => import("./playground-entry.tsx");
    return (await importProgramPart("The playground", load, "preparePlayground")).preparePlayground();
  },
} as const;

let shown: { readonly half: keyof typeof halves; readonly hash: string; readonly remove: () => void } | null =
  null;
/** The number of the last call of `show`: the result of an earlier call comes too late. */
let latest = 0;

/** While the code of the other half is fetched, app.css shows a bar at the top of the page. */
async function show(): Promise<void> {
  const { hash } = location;
  const half = fragmentKind(hash) === null && !isFeatureLink(hash) ? "playground" : "viewer";
  latest += 1;
  const turn = latest;
  const isShown = shown?.half === half && (half === "playground" || shown.hash === hash);
  root?.setAttribute("aria-busy", String(!isShown));
  if (isShown) return;
  try {
    const mount = await halves[half]();
    if (turn !== latest) return;
    shown?.remove();
    root?.replaceChildren();
    shown = { half, hash, remove: mount(root as HTMLElement, hash) };
  } catch (cause) {
    if (turn === latest) tellFailure(cause, half);
  } finally {
    if (turn === latest) root?.setAttribute("aria-busy", "false");
  }
}

/**
 * No other part of the page can report this. A reload opens a link again without loss; in the playground a fork may be waiting.
 */
function tellFailure(cause: unknown, half: keyof typeof halves): void {
  shown?.remove();
  shown = null;
  const main = document.createElement("main");
  main.className = "fault";
  main.setAttribute("role", "alert");
  const words = document.createElement("p");
  const advice =
    cause instanceof ProgramPartError
      ? "Check that you are online, and reload the page."
      : "Reload the page.";
  words.textContent = `${messageOf(cause)} ${advice} Nothing that this browser saved is lost.`;
  main.append(words);
  if (half === "playground") main.append(buttonOf("Try again", () => void show()));
  main.append(buttonOf("Reload the page", () => location.reload()));
  root?.replaceChildren(main);
}

function buttonOf(label: string, act: () => void): HTMLButtonElement {
  const button = document.createElement("button");
  button.type = "button";
  button.className = "button";
  button.textContent = label;
  button.onclick = act;
  return button;
}

/**
 * Milliseconds after which the page is saved for use without a network: first the page is shown, and nothing waits for the
 * saving.
 */
const keepsAfter = 4_000;

if (import.meta.env.PROD) {
  setTimeout(() => {
    // If loading fails now, the next visit tries again.
    import("./offline/offline-use.ts")
      .then(({ startOfflineUse }) => startOfflineUse())
      .catch(() => undefined);
  }, keepsAfter);
}

// A link is drawn without this part.
void waitForFirstPaint().then(() =>
  import("./page-translation.ts").then(
    ({ supportPageTranslation }) => supportPageTranslation(),
    () => undefined,
  ),
);

addEventListener("hashchange", () => void show());
addEventListener("popstate", () => void show());
void show();
