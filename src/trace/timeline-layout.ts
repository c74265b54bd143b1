/**
 * Where tokens stand on the ribbon. Pure geometry: no DOM, no colours. Lengths are in CSS pixels.
 * While tokens stream, lines before the last never change, and of the last only the word that is being
 * written may move to a new line. Kind and standing of a token are read from the model when it is drawn:
 * removing an unfolded span moves nothing. Removing a folded one lays out anew from the line where it begins.
 */
import { none } from "./token-table.ts";
import type { TraceModel } from "./trace-model.ts";
import { visibleText } from "./visible-text.ts";

/** A token, or a folded run of removed tokens. */
export interface RibbonCell {
  readonly token: number;
  /** Tokens that it stands for: 1, or the length of the folded run. */
  readonly tokenCount: number;
  readonly x: number;
  readonly width: number;
  readonly text: string;
  /** Span of a folded run, else null. */
  readonly foldedSpan: number | null;
}

export interface RibbonLine {
  /** Top edge: line number × line height. */
  readonly y: number;
  readonly cells: readonly RibbonCell[];
}

export interface RibbonOptions {
  readonly width: number;
  /** Of every line, with the room for ghosts, so that none moves when a ghost comes. */
  readonly lineHeight: number;
  /** Added to the text's width on each side of a cell. */
  readonly padding: number;
  /** Width of a text in the ribbon's font. */
  measure(text: string): number;
  isFolded?(span: number): boolean;
}

export interface RibbonLayout {
  readonly options: RibbonOptions;
  readonly lines: readonly RibbonLine[];
  readonly height: number;
  /** Lays out what the model has gained and gives the number of the first line that changed (`lines.length` for none). */
  update(model: TraceModel): number;
  /** Line of a token, or -1 for one that is not laid out. */
  lineOf(token: number): number;
}

/** Shown for the end of the sequence, for a token without text, and for a folded run. */
export const cellSigns = { end: "¶", empty: "∅", folded: "⋯" } as const;

/** Text of a token's cell. */
export function cellText(model: TraceModel, token: number): string {
  const text = model.tokens.text[token] ?? "";
  if (text !== "") return visibleText(text);
  return model.tokens.kind[token] === "end" ? cellSigns.end : cellSigns.empty;
}

type Cell = { -readonly [Key in keyof RibbonCell]: RibbonCell[Key] };

interface Progress {
  lines: { y: number; cells: Cell[] }[];
  /** Line of each token that is laid out. */
  lineOf: number[];
  /** Cell of the last line at which the last word begins. */
  wordStart: number;
  breakNext: boolean;
  spansSeen: number;
}

export function createRibbonLayout(options: RibbonOptions): RibbonLayout {
  const progress: Progress = { lines: [], lineOf: [], wordStart: 0, breakNext: false, spansSeen: 0 };
  const measure = remembered(options);
  return {
    options,
    get lines() {
      return progress.lines;
    },
    get height() {
      return progress.lines.length * options.lineHeight;
    },
    lineOf: (token) => progress.lineOf[token] ?? none,
    update(model) {
      let first = Math.max(progress.lines.length - 1, 0);
      const before = progress.lineOf.length;
      first = Math.min(first, forgetFolded(progress, options, model));
      if (progress.lineOf.length === before && before === model.tokens.text.length)
        return progress.lines.length;
      for (let token = progress.lineOf.length; token < model.tokens.text.length; token += 1) {
        place(progress, options, measure, model, token);
      }
      return first;
    },
  };
}

function remembered({ measure, padding }: RibbonOptions): (text: string) => number {
  const widths = new Map<string, number>();
  return (text) => {
    let width = widths.get(text);
    if (width === undefined) {
      width = measure(text) + 2 * padding;
      if (widths.size < 10_000) widths.set(text, width);
    }
    return width;
  };
}

/** Takes back the lines from the first token on that a newly removed and folded span changes. */
function forgetFolded(progress: Progress, options: RibbonOptions, model: TraceModel): number {
  let from = progress.lines.length;
  for (; progress.spansSeen < model.spans.length; progress.spansSeen += 1) {
    const line = progress.lineOf[model.spans[progress.spansSeen]?.removed[0] ?? none];
    if (line !== undefined && options.isFolded?.(progress.spansSeen)) from = Math.min(from, line);
  }
  const start = progress.lines[from]?.cells[0];
  if (!start) return from;
  progress.lines.length = from;
  progress.lineOf.length = start.token;
  progress.wordStart = 0;
  // The line began here, so a break came before it; the first line needs none.
  progress.breakNext = from > 0;
  return from;
}

function place(
  progress: Progress,
  options: RibbonOptions,
  measure: (text: string) => number,
  model: TraceModel,
  token: number,
): void {
  const span = model.tokens.removedBy[token] ?? none;
  const folded = span !== none && options.isFolded?.(span) === true;
  const last = progress.lines.at(-1)?.cells.at(-1);
  if (folded && last?.foldedSpan === span) {
    last.tokenCount += 1;
    progress.lineOf.push(progress.lines.length - 1);
    return;
  }
  const text = folded ? cellSigns.folded : cellText(model, token);
  const width = Math.min(measure(text), options.width);
  const startsWord = folded || last === undefined || last.foldedSpan !== null || startsNewWord(model, token);
  const line = lineFor(progress, options, width, startsWord);
  const before = line.cells.at(-1);
  const x = before ? before.x + before.width : 0;
  if (startsWord || line.cells.length === 0) progress.wordStart = line.cells.length;
  line.cells.push({ token, tokenCount: 1, x, width, text, foldedSpan: folded ? span : null });
  progress.lineOf.push(progress.lines.length - 1);
  progress.breakNext = !folded && (model.tokens.text[token] ?? "").includes("\n");
}

function startsNewWord(model: TraceModel, token: number): boolean {
  return /^\s/.test(model.tokens.text[token] ?? "") || /\s$/.test(model.tokens.text[token - 1] ?? "");
}

/** The line that has room for a cell: the last, or a new one to which the unfinished word moves along. */
function lineFor(
  progress: Progress,
  options: RibbonOptions,
  width: number,
  startsWord: boolean,
): { cells: Cell[] } {
  const { width: available, lineHeight } = options;
  const last = progress.lines.at(-1);
  const end = last?.cells.at(-1);
  if (last && !progress.breakNext && (!end || end.x + end.width + width <= available)) return last;
  const next = { y: progress.lines.length * lineHeight, cells: [] as Cell[] };
  const moves = last && !progress.breakNext && !startsWord && progress.wordStart > 0;
  progress.lines.push(next);
  if (!moves) return next;
  const word = last.cells.splice(progress.wordStart);
  const shift = word[0]?.x ?? 0;
  for (const cell of word) {
    cell.x -= shift;
    progress.lineOf.fill(progress.lines.length - 1, cell.token, cell.token + cell.tokenCount);
    next.cells.push(cell);
  }
  progress.wordStart = 0;
  const moved = next.cells.at(-1);
  return moved && moved.x + moved.width + width > available ? lineFor(progress, options, width, false) : next;
}

/** Numbers of the lines in a window: first, and one past the last. */
export function visibleLines(layout: RibbonLayout, top: number, height: number): readonly [number, number] {
  const { lineHeight } = layout.options;
  const first = Math.min(Math.max(Math.floor(top / lineHeight), 0), layout.lines.length);
  const end = Math.min(Math.max(Math.ceil((top + height) / lineHeight), first), layout.lines.length);
  return [first, end];
}

/** The cell of a token: its own, or the folded run that it is in. */
export function cellOf(layout: RibbonLayout, token: number): RibbonCell | null {
  const cells = layout.lines[layout.lineOf(token)]?.cells ?? [];
  return cells.find((cell) => token >= cell.token && token < cell.token + cell.tokenCount) ?? null;
}

/** The cell under a point, or null beside the text. */
export function cellAt(layout: RibbonLayout, x: number, y: number): RibbonCell | null {
  const cells = layout.lines[Math.floor(y / layout.options.lineHeight)]?.cells ?? [];
  return cells.find((cell) => x >= cell.x && x < cell.x + cell.width) ?? null;
}

/** The token that the arrow up (-1) or down (1) goes to: on the next line, nearest to the middle of the cell. */
export function tokenOnNextLine(layout: RibbonLayout, token: number, direction: 1 | -1): number {
  const from = cellOf(layout, token);
  const cells = layout.lines[layout.lineOf(token) + direction]?.cells;
  if (!from || !cells) return token;
  const middle = from.x + from.width / 2;
  const away = (cell: RibbonCell) => Math.max(cell.x - middle, middle - cell.x - cell.width);
  return cells.reduce((best, cell) => (away(cell) < away(best) ? cell : best)).token;
}

/** Width that a ghost over a cell may take: to the next cell with a ghost, or to the end of the line. */
export function ghostRoom(layout: RibbonLayout, model: TraceModel, token: number): number {
  const cells = layout.lines[layout.lineOf(token)]?.cells ?? [];
  const from = cells.find((cell) => cell.token === token);
  if (!from) return 0;
  const next = cells.find((cell) => cell.token > token && model.tokens.ghost[cell.token]);
  return (next?.x ?? layout.options.width) - from.x;
}
