/** How high the blocks of a long text are: as measured where a block was drawn, else as high as the first one that was. */

export interface BlockHeights {
  /** Takes a height that was measured, in px; answers whether that is news. */
  measure(block: number, height: number): boolean;
  heightOf(block: number): number;
  isMeasured(block: number): boolean;
  /** How much work a block is to lay out, as `Blocks` says. */
  workOf(block: number): number;
  /** Px from the top of the text to a block. */
  offsetOf(block: number): number;
  forget(): void;
}

export interface BlockRange {
  /** The blocks to draw: from `first` to before `last`. */
  readonly first: number;
  readonly last: number;
}

/** In px, before any block was drawn: five lines of the text. */
const guessedHeight = 220;

/** Estimates a text's blocks before they are drawn. */
export interface Blocks {
  /** Whether nothing of a block is shown, so that it takes no room. */
  readonly isEmpty: (block: number) => boolean;
  /** How much work it is to lay out, as `layoutWork` counts it. */
  readonly workOf: (block: number) => number;
}

export function createBlockHeights({ isEmpty, workOf }: Blocks): BlockHeights {
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

/** The characters of these texts. A character in another font, or one shown as a sign, counts as eight. */
export function layoutWork(texts: readonly string[]): number {
  return texts.reduce(
    (work, text) => work + text.length + 7 * (text.match(/[\u0800-\uffff]/g)?.length ?? 0),
    0,
  );
}

/** How far above and below the view blocks are drawn, in px: as far as a view scrolls in a frame or two. */
const margin = 90;
/** At most so many blocks with something in them are drawn, however low they are. */
const mostDrawn = 8;
/**
 * The most work of blocks of unknown height that are drawn at a time, but at least one block: the first thousand
 * emoji of 96 tokens may fill the view ten times over.
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
