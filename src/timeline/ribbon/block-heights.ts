/** How high the blocks of a long text are: as measured where a block was drawn, else as high as the first one that was. */

export interface BlockHeights {
  /** Takes a height that was measured, in px; answers whether that is news. */
  measure(block: number, height: number): boolean;
  heightOf(block: number): number;
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

/** `isEmpty`: whether nothing of a block is shown, so that it takes no room. */
export function createBlockHeights(isEmpty: (block: number) => boolean): BlockHeights {
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

/** How far above and below the view blocks are drawn, in px. */
const margin = 240;
/** At most so many blocks with something in them are drawn, however low they are. */
const mostDrawn = 8;

/** The blocks in view and near it. `top`: px of the text above the view. */
export function blocksInView(
  heights: Pick<BlockHeights, "heightOf">,
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
  while (last < count && y < view.top + view.height + margin && drawn < mostDrawn) {
    const height = heights.heightOf(last);
    if (height > 0) drawn += 1;
    y += height;
    last += 1;
  }
  return { first, last };
}
