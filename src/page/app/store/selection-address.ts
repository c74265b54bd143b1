/**
 * The selection in the page's address: `?select=13-40`. It stands before the `#`, because a shared link has its trace after the
 * `#`, and older copies of the page ignore the part before.
 */
import type { StoreApi } from "zustand/vanilla";
import {
  formatSelection,
  isSameSelection,
  parseSelection,
  rangeOf,
  type Selection,
} from "../../../core/trace/model/selection.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { openingSelection } from "../../../view/timeline/ribbon/ribbon-cells.ts";
import type { RunState } from "./run-store.ts";

const parameter = "select";
/**
 * The selection is written to the address after so many milliseconds without a change: browsers refuse many changes of the
 * address in a row.
 */
const rest = 300;
const longestQuote = 40;

interface Page {
  readonly location: Pick<Location, "pathname" | "search" | "hash">;
  readonly history: Pick<History, "replaceState" | "state">;
}

/**
 * Once a run is shown, selects the tokens that the address names, or else the token at which the run branches off, or else the
 * first change by a mod. From then on the address follows the selection. @param say shows a message. @returns a function that
 * stops this.
 */
export function syncSelectionWithAddress(
  run: StoreApi<RunState>,
  say: (message: string) => void,
  { location, history }: Page = window,
): () => void {
  let asked = new URLSearchParams(location.search).get(parameter);
  let timer: ReturnType<typeof setTimeout> | undefined;
  const write = () => {
    const { selection, trace } = run.getState();
    const query = new URLSearchParams(location.search);
    if (selection === null || isSameSelection(selection, openingSelection(trace))) query.delete(parameter);
    else query.set(parameter, formatSelection(selection));
    const search = query.size > 0 ? `?${query}` : "";
    if (search === location.search) return;
    try {
      history.replaceState(history.state, "", location.pathname + search + location.hash);
    } catch {
      // There were too many changes, or the address is too long. The next selection is written again.
    }
  };
  const open = (trace: TraceModel) => {
    const named = asked;
    asked = null;
    const selection = (named === null ? null : namedSelection(named, trace, say)) ?? openingSelection(trace);
    if (selection) run.getState().select(selection);
  };
  const follow = () => {
    const { status, trace, selection } = run.getState();
    // The selection in the address belongs to the run that the address was written for.
    if (status === "running" || (status === "finished" && selection !== null)) asked = null;
    // A new user does not know that words can be selected, so the first change is explained at once.
    if (status === "finished" && selection === null && trace.tokens.text.length > 0) return open(trace);
    if (asked !== null) return;
    clearTimeout(timer);
    timer = setTimeout(write, rest);
  };
  const end = run.subscribe((now, before) => {
    if (now.selection !== before.selection || now.status !== before.status || now.trace !== before.trace)
      follow();
  });
  follow();
  return () => {
    clearTimeout(timer);
    end();
  };
}

/** For views without an address: selects the token at which the run branches off, or else the first change by a mod. */
export function selectOpeningToken(run: StoreApi<RunState>): void {
  const { trace, select } = run.getState();
  select(openingSelection(trace));
}

function namedSelection(text: string, trace: TraceModel, say: (message: string) => void): Selection | null {
  const selection = parseSelection(text);
  const count = trace.tokens.text.length;
  if (!selection) {
    const shown = showInvisibleCharacters(text, longestQuote);
    say(
      `The link selects “${shown}”. A link can select one token, such as 13, or a range of tokens, such as 13-40.`,
    );
    return null;
  }
  if (rangeOf(selection).end > count) {
    say(
      `The link selects ${formatSelection(selection).includes("-") ? "tokens" : "token"} ${formatSelection(selection)}, but this run has only ${count} tokens.`,
    );
    return null;
  }
  return selection;
}
