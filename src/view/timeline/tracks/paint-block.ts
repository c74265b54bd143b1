/**
 * Paints one block of a lane. Work of the loop and the model is grey, and its height shows its duration. A mod's work has the
 * mark of its tokens in the text. Shape and text say the same as the colour.
 */
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import type { Palette } from "../palette.ts";
import { describeBlock } from "./span-labels.ts";
import type { BlockLook, Lane, LaneBlock } from "./track-lanes.ts";

export interface BlockPaintTarget {
  readonly trace: TraceModel;
  readonly lane: Lane;
  readonly top: number;
  readonly height: number;
  readonly width: number;
  readonly palette: Palette;
}

type Context = CanvasRenderingContext2D;

/** Px: blocks of this width show their mark; wider blocks also show text. */
const wideEnough = 7;
const least = 2;

export function paintBlock(context: Context, place: BlockPaintTarget, block: Readonly<LaneBlock>): void {
  const left = Math.max(-4, block.left);
  const right = Math.min(place.width + 4, block.left + block.width);
  if (right < 0 || left > place.width) return;
  const gap = block.width > 3 && !isMarkedToken(place.lane, block.look) ? 1 : 0;
  const box = { left, width: Math.max(1, right - left - gap), top: place.top, height: place.height };
  if (isGrey(block.look)) paintGrey(context, place, block, box);
  else if (box.width < wideEnough) paintNarrow(context, place.palette, block.look, box);
  else paintMarked(context, place.palette, block, box);
  if (block.count === 1) paintText(context, place, block, box);
}

const joined: ReadonlySet<BlockLook> = new Set(["forced", "reinjected", "removed", "steered"]);

/** Whether neighbouring tokens of the block's kind share one mark without gaps. */
function isMarkedToken({ kind }: Lane, look: BlockLook): boolean {
  return kind === "output" && joined.has(look);
}

interface Box {
  readonly left: number;
  readonly top: number;
  readonly width: number;
  readonly height: number;
}

const greys: ReadonlySet<BlockLook> = new Set(["sampled", "silent", "sampling", "pass", "prompt"]);
const isGrey = (look: BlockLook) => greys.has(look);
const strengths: Partial<Record<BlockLook, number>> = { pass: 0.6, prompt: 0.6, sampling: 0.45, silent: 0.4 };

function paintGrey(
  context: Context,
  { palette }: BlockPaintTarget,
  { look, share }: Readonly<LaneBlock>,
  { left, top, width, height }: Box,
): void {
  if (look === "sampled") {
    context.fillStyle = palette.lineStrong;
    context.globalAlpha = 0.55;
    context.fillRect(left, top + height - 3, width, 3);
    context.globalAlpha = 1;
    return;
  }
  const high = Math.max(least, share * height);
  context.fillStyle = palette.lineStrong;
  context.globalAlpha = strengths[look] ?? 0.5;
  context.fillRect(left, top + height - high, width, high);
  context.globalAlpha = 1;
  if (look === "prompt" && width >= wideEnough) hatch(context, palette.ink3, { left, top, width, height });
}

/** Paints a block that is too narrow for a mark: each kind has a shape of its own. */
function paintNarrow(context: Context, palette: Palette, look: BlockLook, box: Box): void {
  const { left, top, width, height } = box;
  const rows = narrowShapes[look] ?? [[0, 1]];
  context.fillStyle = solidOf(palette, look);
  for (const [from, to] of rows) context.fillRect(left, top + from * height, width, (to - from) * height);
}

/** A narrow block has no room for a pattern, so its shape shows its look: the vertical ranges that are filled, from 0 (top) to 1 (bottom). */
const narrowShapes: Partial<Record<BlockLook, readonly (readonly [number, number])[]>> = {
  forced: [[0, 1]],
  reinjected: [
    [0, 0.35],
    [0.65, 1],
  ],
  adjusted: [[0.55, 1]],
  removed: [
    [0, 0.2],
    [0.4, 0.6],
    [0.8, 1],
  ],
  steered: [[0, 0.3]],
  end: [[0, 0.5]],
  other: [[0.2, 0.8]],
};

function paintMarked(
  context: Context,
  palette: Palette,
  { look, continuesPrevious }: Readonly<LaneBlock>,
  box: Box,
): void {
  const { left, top, width, height } = box;
  const solid = solidOf(palette, look);
  context.fillStyle = tintOf(palette, look);
  context.fillRect(left, top, width, height);
  context.fillStyle = solid;
  const bottom = top + height - 2;
  switch (look) {
    case "forced":
      context.fillRect(left, bottom, width, 2);
      if (!continuesPrevious) context.fillRect(left, bottom - 8, 2, 8);
      return;
    case "reinjected":
      for (let x = 0; x < width; x += 8) context.fillRect(left + x, bottom, Math.min(5, width - x), 2);
      return;
    case "adjusted":
      for (let x = 0; x < width; x += 4) context.fillRect(left + x, bottom, Math.min(2, width - x), 2);
      if (width >= 14) context.fillText("Δ", left + 4, top + height / 2);
      return;
    case "steered":
      context.fillRect(left, top, width, 1.5);
      return;
    case "removed":
      hatch(context, solid, box);
      context.fillRect(left, top + height / 2 - 0.75, width, 1.5);
      return;
    case "fault":
      frame(context, box);
      if (width >= 14) context.fillText("!", left + 7, top + height / 2 + 1);
      return;
    default:
      frame(context, box);
  }
}

function frame(context: Context, { left, top, width, height }: Box): void {
  context.fillRect(left, top, width, 1);
  context.fillRect(left, top + height - 1, width, 1);
  context.fillRect(left, top, 1, height);
  context.fillRect(left + width - 1, top, 1, height);
}

function hatch(context: Context, colour: string, { left, top, width, height }: Box): void {
  context.save();
  context.beginPath();
  context.rect(left, top, width, height);
  context.clip();
  context.beginPath();
  const first = Math.floor((left - height) / 6) * 6;
  for (let x = first; x < left + width; x += 6) {
    context.moveTo(x, top + height);
    context.lineTo(x + height, top);
  }
  context.strokeStyle = colour;
  context.globalAlpha = 0.3;
  context.lineWidth = 1;
  context.stroke();
  context.restore();
}

/** Narrower blocks, in px, have no text. */
const roomForText = 20;

function paintText(context: Context, place: BlockPaintTarget, block: Readonly<LaneBlock>, box: Box): void {
  const hasSign = block.look === "adjusted" || block.look === "fault";
  if (box.width < (hasSign ? 2 : 1) * roomForText) return;
  const margin = box.width < 40 ? 3 : 5;
  const inset = hasSign ? 15 : margin;
  const from = Math.max(box.left, 0) + inset;
  const room = Math.min(box.left + box.width, place.width) - from - 2;
  // A number is useless if cut, so a duration is shown whole or not at all.
  const isWhole = box.width < 3 * roomForText || (isGrey(block.look) && block.look !== "prompt");
  const text = fitted(context, describeBlock(place.trace, place.lane, block.item), room, isWhole);
  if (text === "") return;
  const middle = box.top + box.height / 2;
  context.fillStyle = place.palette.ink;
  if (block.look === "removed") {
    // A tint behind the word, so that the stroke through the word stays visible.
    context.fillStyle = place.palette.removedTint;
    context.fillRect(from - 2, middle - 7, context.measureText(text).width + 4, 14);
    context.fillStyle = place.palette.ink2;
    context.fillText(text, from, middle + 0.5);
    context.fillStyle = place.palette.removed;
    context.fillRect(from - 2, middle, context.measureText(text).width + 4, 1.5);
    return;
  }
  context.fillText(text, from, middle - (isGrey(block.look) ? 0 : 1));
}

/** The part of a text that fits; "" if fewer than two letters fit. */
function fitted(context: Context, text: string, room: number, isWhole: boolean): string {
  if (text === "" || room < 8) return "";
  const short = text.slice(0, Math.ceil(room / 3));
  const wide = context.measureText(short).width;
  if (short.length === text.length && wide <= room) return text;
  if (isWhole) return "";
  const letters = Math.floor((short.length * (room - 10)) / wide);
  return letters < 2 ? "" : `${short.slice(0, letters).trimEnd()}…`;
}

function solidOf(palette: Palette, look: BlockLook): string {
  switch (look) {
    case "forced":
    case "reinjected":
    case "adjusted":
    case "removed":
    case "steered":
      return palette[look];
    case "fault":
      return palette.danger;
    default:
      return palette.ink2;
  }
}

function tintOf(palette: Palette, look: BlockLook): string {
  switch (look) {
    case "forced":
      return palette.forcedTint;
    case "reinjected":
      return palette.reinjectedTint;
    case "adjusted":
      return palette.adjustedTint;
    case "removed":
      return palette.removedTint;
    case "steered":
      return palette.steeredTint;
    default:
      return palette.pane;
  }
}
