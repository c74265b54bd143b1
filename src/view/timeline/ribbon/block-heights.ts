/**
 * The heights of the blocks of a long text: the measured height of a block that was drawn; for other blocks, the height of the
 * first block that was drawn.
 */

export interface BlockHeights {
  /** Stores a measured height in px. Returns whether the height is new. */
  measure(block: number, height: number): boolean;
  heightOf(block: number): number;
  isMeasured(block: number): boolean;
  /** The work of laying out a block, from `BlockEstimator`. */
  workOf(block: number): number;
  /** Distance from the top of the text to a block, in px. */
  offsetOf(block: number): number;
  forget(): void;
}

export interface BlockRange {
  /** The blocks to draw: from `first` to before `last`. */
  readonly first: number;
  readonly last: number;
}

/** The height in px that is assumed before any block was drawn: five lines of text. */
const guessedHeight = 220;

/** Estimates a text's blocks before they are drawn. */
export interface BlockEstimator {
  /** Whether no token of a block is shown, so that the block takes no room. */
  readonly isEmpty: (block: number) => boolean;
  /** The work of laying out a block, counted by `estimateLayoutWork`. */
  readonly workOf: (block: number) => number;
}

export function createBlockHeights({ isEmpty, workOf }: BlockEstimator): BlockHeights {
  const measured = new Map<number, number>();
  let typical: number | null = null;
  const heightOf = (block: number) =>
    isEmpty(block) ? 0 : (measured.get(block) ?? typical ?? guessedHeight);
  return {
    measure(block, height) {
      typical ??= height;
      if (measured.get(block) === height) return false;
      measured.set(block, height);
      return true;
    },
    heightOf,
    isMeasured: (block) => measured.has(block),
    workOf,
    offsetOf(block) {
      let offset = 0;
      for (let before = 0; before < block; before += 1) offset += heightOf(before);
      return offset;
    },
    forget() {
      measured.clear();
      typical = null;
    },
  };
}

/** The number of UTF-16 units in the texts. A unit from U+0800 on counts as eight: its character often needs another font. */
export function estimateLayoutWork(texts: readonly string[]): number {
  return texts.reduce(
    (work, text) => work + text.length + 7 * (text.match(/[\u0800-\uffff]/g)?.length ?? 0),
    0,
  );
}

/** Blocks within this distance of the view are drawn too, in px: about what scrolls by in one or two frames. */
const margin = 90;
/** The most blocks with content that are drawn, even if they are low. */
const mostDrawn = 8;
/**
 * The most layout work of blocks of unknown height that are drawn at a time (at least one block is drawn). A block of 96
 * tokens may be ten times as high as the view, for example with a thousand emoji.
 */
const mostWork = 2048;

/** The blocks in view and near it. `top`: px of the text above the view. */
export function blocksInView(
  heights: Pick<BlockHeights, "heightOf" | "isMeasured" | "workOf">,
  count: number,
  view: { readonly top: number; readonly height: number },
): BlockRange {
  let first = 0;
  let y = 0;
  while (first < count - 1 && y + heights.heightOf(first) <= view.top - margin) {
    y += heights.heightOf(first);
    first += 1;
  }
  let last = first;
  let drawn = 0;
  let work = 0;
  while (last < count && y < view.top + view.height + margin && drawn < mostDrawn) {
    const height = heights.heightOf(last);
    if (height > 0) drawn += 1;
    if (height > 0 && !heights.isMeasured(last)) {
      const isFirst = work === 0;
      work += heights.workOf(last);
      if (work > mostWork && !isFirst) break;
    }
    y += height;
    last += 1;
  }
  return { first, last };
}
