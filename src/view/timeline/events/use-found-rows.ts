/** Finds the rows that match a filter, in short slices of time. When the list has grown, only its end is searched again. */
import { useEffect, useRef, useState } from "react";
import { importProgramPart } from "../../../core/base/import-part.ts";
import { messageOf } from "../../../core/base/message-of.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { EventRows } from "./event-rows.ts";
import type { FilterProblem, FilterTerm, ParsedFilter } from "./filter-language.ts";
import { type CompiledTerm, type MatchText, searchRows, termWithMatcher } from "./filter-match.ts";

/** Milliseconds of one slice, and between two updates of the shown rows during a search. */
const sliceMs = 12;
const shownEveryMs = 150;
/** Number of last events whose rows may still change, because calls and probabilities come after their event. */
const unsettled = 16;

export interface FoundRows {
  /** Numbers of rows, ascending; null if there is no filter. */
  readonly found: Uint32Array | null;
  /** The share of a running search that is done; null if no search is running. */
  readonly share: number | null;
  /** An error in a regular expression, with its place in the filter. */
  readonly problem: FilterProblem | null;
}

const all: FoundRows = { found: null, share: null, problem: null };

/** The result of the last search, from which the next one continues. */
interface Searched {
  readonly key: string;
  readonly trace: TraceModel;
  readonly isWhole: boolean;
  /** Rows before this number do not change any more. */
  readonly settled: number;
  readonly found: readonly number[];
}

/** @param key identifies the filter and the selection of rows that are searched */
export function useFoundRows(
  trace: TraceModel,
  rows: EventRows,
  filter: ParsedFilter,
  key: string,
): FoundRows {
  const [shown, setShown] = useState<{ key: string; result: FoundRows }>({ key: "", result: all });
  const searched = useRef<Searched | null>(null);
  const matchers = useRef(new Map<string, MatchText>());
  // biome-ignore lint/correctness/useExhaustiveDependencies: `key` stands for the filter, which is parsed again at each render
  useEffect(() => {
    const show = (result: FoundRows) => setShown({ key, result });
    if (filter.terms.length === 0) {
      searched.current = null;
      show(all);
      return;
    }
    let isOver = false;
    const search = async () => {
      const terms = await readyTerms(filter.terms, matchers.current);
      if (isOver) return;
      if ("message" in terms) return show({ ...all, found: new Uint32Array(), problem: terms });
      await searchInSlices(terms);
    };
    const searchInSlices = async (terms: readonly CompiledTerm[]) => {
      const last = searched.current;
      const isWhole = trace.finished !== null;
      const goesOn = last?.key === key && last.trace === trace && last.isWhole === isWhole;
      const first = goesOn ? last.settled : 0;
      const found = goesOn ? last.found.filter((row) => row < first) : [];
      const steps = searchRows(trace, rows, terms, found, first);
      let nextPicture = performance.now() + shownEveryMs;
      for (;;) {
        const end = performance.now() + sliceMs;
        let step = steps.next();
        while (!step.done && performance.now() < end) step = steps.next();
        if (step.done) break;
        if (performance.now() > nextPicture && !goesOn) {
          show({ found: Uint32Array.from(found), share: step.value, problem: null });
          nextPicture = performance.now() + shownEveryMs;
        }
        await new Promise((resolve) => setTimeout(resolve, 0));
        if (isOver) return;
      }
      const settled = rows.starts[Math.max(0, rows.starts.length - unsettled)] ?? 0;
      searched.current = { key, trace, isWhole, settled, found };
      show({ found: Uint32Array.from(found), share: null, problem: null });
    };
    search().catch((cause: unknown) => {
      if (!isOver) show({ ...all, found: new Uint32Array(), problem: problemOf(filter.terms, cause) });
    });
    return () => {
      isOver = true;
    };
  }, [trace, rows, key]);
  if (filter.terms.length === 0) return all;
  if (shown.key === key) return shown.result;
  return { found: shown.result.found, share: 0, problem: null };
}

/** The terms with the matchers of their regular expressions, or the error of the first invalid expression. */
async function readyTerms(
  terms: readonly FilterTerm[],
  known: Map<string, MatchText>,
): Promise<readonly CompiledTerm[] | FilterProblem> {
  const ready: CompiledTerm[] = [];
  for (const term of terms) {
    const { condition, from, to } = term;
    if (condition.type !== "regex") {
      ready.push(termWithMatcher(term));
      continue;
    }
    try {
      const name = `/${condition.source}/${condition.flags}`;
      const match = known.get(name) ?? (await createMatcher(condition.source, condition.flags));
      known.set(name, match);
      ready.push(termWithMatcher(term, match));
    } catch (cause) {
      return placed(cause, { from: from + (term.isNot ? 1 : 0), to });
    }
  }
  return ready;
}

/** Regular expressions are matched by the mask engine, whose work is counted, so that none can hang the page. */
async function createMatcher(source: string, flags: string): Promise<MatchText> {
  const { createTextMatcher } = await importProgramPart(
    "The regular-expression search",
    () => import("../../../core/masks/regex/text-matcher.ts"),
    "createTextMatcher",
  );
  return createTextMatcher(source, flags);
}

/** The error at the character that a `StrategyError` names (counted from 1 within the expression). */
function placed(cause: unknown, { from, to }: { from: number; to: number }): FilterProblem {
  const message = messageOf(cause);
  const where = cause instanceof Error && "where" in cause ? String(cause.where) : "";
  const column = Number(/^column (\d+)$/.exec(where)?.[1] ?? Number.NaN);
  const at = from + column;
  return at < to ? { from: at, to: at + 1, message } : { from, to, message };
}

function problemOf(terms: readonly FilterTerm[], cause: unknown): FilterProblem {
  const term = terms.find(({ condition }) => condition.type === "regex") ?? terms[0];
  return { from: term?.from ?? 0, to: term?.to ?? 0, message: messageOf(cause) };
}
