/** Converts values to the small whole numbers of columns, and back. */

/**
 * The first number of a value says how the value is written: as its guess, as its bytes, or, from `firstPlace` on, as its
 * distance from the guess on the grid.
 */
export const numberEncodings = { guess: 0, float32: 1, float64: 2, firstPlace: 3 } as const;

/** Maps signed distances to whole numbers, small ones first: 0, -1, 1, -2, 2, … → 0, 1, 2, 3, 4, … */
export const zigzagEncode = (distance: number): number => (distance >= 0 ? distance * 2 : -distance * 2 - 1);
export const zigzagDecode = (folded: number): number => (folded % 2 === 0 ? folded / 2 : -(folded + 1) / 2);

/**
 * The place of an option, with the guessed option moved to the front: with guess 2, the places 0, 1, 2, 3 get the ranks 1,
 * 2, 0, 3. Options added at the end later keep all these ranks.
 */
export const rankOfPlace = (place: number, guess: number): number => {
  if (place === guess) return 0;
  return place < guess ? place + 1 : place;
};
export const placeOfRank = (rank: number, guess: number): number => {
  if (rank === 0) return Math.max(guess, 0);
  return rank <= guess ? rank - 1 : rank;
};
