/** Draws a run as a card: the question, the text with the same marks as on the page, and the maker's name. */

import { countWithNoun } from "../../../core/base/number-text.ts";
import { ownMods } from "../../../core/trace/format/request-mods.ts";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { traceSummary } from "../../../core/trace/model/trace-summary.ts";
import { modName } from "../../../core/trace/model/trace-view.ts";
import { type TranscriptPart, transcriptPage } from "../../../core/trace/model/transcript.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import type { ColourName, Palette } from "../palette.ts";
import { lastMessageOfRequest } from "../prompt-line.tsx";
import { promptRewriters } from "../prompt-rewriters.ts";
import { layOutShareCard, type ShareCardLayout, type ShareCardWord } from "./card-layout.ts";

/** Px of the picture. */
const width = 1200;
const margin = 64;
const type = { text: 30, line: 52, small: 20, smallLine: 32 } as const;
const mostLines = 22;
const sans = '"Inter Variable", system-ui, sans-serif';
const most = { parts: 2_000, characters: 4_000 };
const mostMods = 6;

const fonts = {
  text: `400 ${type.text}px ${sans}`,
  small: `400 ${type.small}px ${sans}`,
  name: `600 ${type.small}px ${sans}`,
} as const;

/** Fonts to load before the card is drawn, because a canvas does not wait for fonts. */
export const shareCardFonts = Object.values(fonts);

/** Resizes `canvas` to the card and draws on it. @throws Error if the browser provides no drawing context. */
export function paintShareCard(canvas: HTMLCanvasElement, trace: TraceModel, palette: Palette): void {
  const context = canvas.getContext("2d");
  if (!context) throw new Error("This browser cannot draw the picture: it has no canvas.");
  const room = { width: width - 2 * margin, lines: mostLines };
  context.font = fonts.text;
  const { parts, next } = transcriptPage(trace, 0, most);
  const text = layOutShareCard(parts, room, (piece) => context.measureText(piece).width);
  const isCut = text.isCut || next < trace.tokens.text.length;
  const asked = lastMessageOfRequest(trace);
  const top = margin + (asked === null ? 0 : type.smallLine + 20);
  const bottom = top + text.lines * type.line + (isCut ? type.smallLine : 0) + 28;
  canvas.width = width;
  canvas.height = bottom + 2 * type.smallLine + margin;
  context.textBaseline = "alphabetic";
  context.direction = "ltr";
  context.fillStyle = palette.pane;
  context.fillRect(0, 0, canvas.width, canvas.height);
  const line = (words: string, y: number, colour: ColourName, font: string = fonts.small) => {
    context.font = font;
    context.fillStyle = palette[colour];
    context.fillText(fitted(context, words, room.width), margin, y);
  };
  if (asked !== null) line(showInvisibleCharacters(asked, 300), margin + type.small, "ink3");
  context.font = fonts.text;
  text.words.forEach((word, place) => {
    const next = text.words[place + 1];
    const isNear = next?.line === word.line;
    paintWord(context, word, { top, palette, isJoined: isNear && next.standing === word.standing });
    if (word.isSteered) paintSteered(context, word, { top, palette, isJoined: isNear && next.isSteered });
  });
  if (isCut) line("… the run continues", bottom - 28, "ink3");
  context.fillStyle = palette.line;
  context.fillRect(margin, bottom, room.width, 1);
  line("Midtoken", bottom + type.smallLine + 4, "ink", fonts.name);
  context.font = fonts.name;
  const after = context.measureText("Midtoken  ").width;
  context.font = fonts.small;
  context.fillStyle = palette.ink2;
  context.fillText(
    fitted(context, metadataOf(trace), room.width - after),
    margin + after,
    bottom + type.smallLine + 4,
  );
  line(marksOf(text), bottom + 2 * type.smallLine + 4, "ink3");
}

/** The text, or the part of its beginning that fits. */
function fitted(context: CanvasRenderingContext2D, text: string, room: number): string {
  let shown = text;
  for (let length = text.length; context.measureText(shown).width > room && length > 0; ) {
    length = Math.floor(length * 0.95);
    shown = `${text.slice(0, length).replace(/[\ud800-\udbff]$/, "")}…`;
  }
  return shown;
}

/** The same colours as on the page. The kinds of line differ too, so that marks can be told apart without colour. */
const looks: Readonly<
  Record<
    TranscriptPart["standing"],
    { readonly colour: ColourName; readonly tint: ColourName; readonly dash: readonly number[] } | null
  >
> = {
  sampled: null,
  end: null,
  forced: { colour: "forced", tint: "forcedTint", dash: [] },
  reinjected: { colour: "reinjected", tint: "reinjectedTint", dash: [10, 5] },
  adjusted: { colour: "adjusted", tint: "adjustedTint", dash: [2, 4] },
  removed: { colour: "removed", tint: "removedTint", dash: [] },
  asked: { colour: "ink3", tint: "hover", dash: [2, 2] },
  moved: { colour: "ink3", tint: "hover", dash: [] },
};

interface Place {
  /** Px. */
  readonly top: number;
  /** Whether the mark continues over the space to the next word. */
  readonly isJoined: boolean;
  readonly palette: Palette;
}

function paintWord(
  context: CanvasRenderingContext2D,
  word: ShareCardWord,
  { top, palette, isJoined }: Place,
): void {
  const look = looks[word.standing];
  const x = margin + word.x;
  const base = top + word.line * type.line + type.text;
  if (look) {
    const lead = context.measureText(
      word.text.slice(0, word.text.length - word.text.trimStart().length),
    ).width;
    const inside = isJoined ? word.width - lead : context.measureText(word.text.trim()).width;
    context.fillStyle = palette[look.tint];
    context.fillRect(x + lead, base - type.text, inside, type.text + 10);
    context.strokeStyle = palette[look.colour];
    context.lineWidth = 2.5;
    context.setLineDash([...look.dash]);
    const y = word.standing === "removed" ? base - type.text * 0.32 : base + 8;
    context.beginPath();
    context.moveTo(x + lead, y);
    context.lineTo(x + lead + inside, y);
    context.stroke();
    context.setLineDash([]);
  }
  context.fillStyle = word.standing === "removed" ? palette.ink3 : palette.ink;
  context.fillText(word.text, x, base);
}

/** Marks a steered word by a line above it, as on the page. */
function paintSteered(context: CanvasRenderingContext2D, word: ShareCardWord, place: Place): void {
  const lead = word.text.length - word.text.trimStart().length;
  const from = context.measureText(word.text.slice(0, lead)).width;
  const end = place.isJoined ? word.width : context.measureText(word.text.trimEnd()).width;
  context.fillStyle = place.palette.steered;
  context.fillRect(margin + word.x + from, place.top + word.line * type.line - 4, end - from, 2);
}

function metadataOf(trace: TraceModel): string {
  const { request } = trace;
  const count = request ? ownMods(request).length : 0;
  const mods = Array.from({ length: Math.min(count, mostMods) }, (_, mod) => modName(trace, mod));
  const more = count - mods.length;
  const metadata = [
    showInvisibleCharacters(request?.model.id ?? "unknown model"),
    mods.length === 0 ? "no mods" : mods.join(", ") + (more > 0 ? ` and ${more} more` : ""),
    countWithNoun(traceSummary(trace).outputTokens, "token"),
  ];
  if (promptRewriters(trace).length > 0) metadata.push("prompt rewritten");
  return metadata.join("  ·  ");
}

/** The legend of the marks on the card. */
function marksOf({ words }: ShareCardLayout): string {
  const has = (standing: ShareCardWord["standing"]) => words.some((word) => word.standing === standing);
  const said = [
    has("forced") && "underlined: a mod wrote it",
    has("reinjected") && "dashed: replacement",
    has("adjusted") && "dotted: probabilities adjusted",
    has("removed") && "struck through: removed",
    words.some(({ isSteered }) => isSteered) && "overlined: a mod steered the model",
  ];
  return said.filter(Boolean).join("  ·  ") || "Every word is the model’s own.";
}
