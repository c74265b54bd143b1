/** Finds equal texts in different tokens: of different models, or of a mod that wrote a text in other tokens. Pure. */
import type { PlaceRange, Segment, Side } from "./comparison.ts";
import { continuesWord } from "./words.ts";

type Texts = Readonly<Record<Side, (place: number) => string>>;
type Part = Omit<Segment, "column">;

/** Splits a difference: text at its beginning and end that is equal and only tokenized differently becomes parts of its own. */
export function splitDifference(left: PlaceRange, right: PlaceRange, texts: Texts): readonly Part[] {
  const ends = { left: endsOf(left, texts.left), right: endsOf(right, texts.right) };
  const before = respelledFrom(left.first, right.first, ends);
  const leftStart = before.at(-1)?.left.end ?? left.first;
  const rightStart = before.at(-1)?.right.end ?? right.first;
  const after = respelledUpTo(
    { first: leftStart, end: left.end },
    { first: rightStart, end: right.end },
    texts,
  );
  const rest = {
    left: { first: leftStart, end: after[0]?.left.first ?? left.end },
    right: { first: rightStart, end: after[0]?.right.first ?? right.end },
  };
  const isEmpty = rest.left.first === rest.left.end && rest.right.first === rest.right.end;
  return [...before, ...(isEmpty ? [] : [{ kind: "changed" as const, ...rest }]), ...after];
}

/** A text, and the place in the text at which each of its tokens ends. */
interface Ends {
  readonly text: string;
  readonly ends: readonly number[];
}

function endsOf({ first, end }: PlaceRange, textAt: (place: number) => string): Ends {
  const pieces: string[] = [];
  const ends: number[] = [];
  let length = 0;
  for (let place = first; place < end; place += 1) {
    const piece = textAt(place);
    pieces.push(piece);
    length += piece.length;
    ends.push(length);
  }
  return { text: pieces.join(""), ends };
}

/** From the beginning on, finds the stretches of text that both outputs share and that end after a token and a word in both. */
function respelledFrom(leftFirst: number, rightFirst: number, { left, right }: Record<Side, Ends>): Part[] {
  const sharedLength = commonStart(left.text, right.text);
  const parts: Part[] = [];
  // The current token of each side, the first token of the next part on each side, and the text length at which it begins.
  let i = 0;
  let j = 0;
  let leftStart = 0;
  let rightStart = 0;
  let startLength = 0;
  while (i < left.ends.length && j < right.ends.length) {
    const leftEnd = left.ends[i] ?? 0;
    const rightEnd = right.ends[j] ?? 0;
    if (Math.min(leftEnd, rightEnd) > sharedLength) break;
    const isCommonEnd = leftEnd === rightEnd && leftEnd > startLength;
    if (isCommonEnd && !isInWord(left.text, leftEnd) && !isInWord(right.text, rightEnd)) {
      parts.push({
        kind: "respelled",
        left: { first: leftFirst + leftStart, end: leftFirst + i + 1 },
        right: { first: rightFirst + rightStart, end: rightFirst + j + 1 },
      });
      leftStart = i + 1;
      rightStart = j + 1;
      startLength = leftEnd;
    }
    if (leftEnd <= rightEnd) i += 1;
    if (rightEnd <= leftEnd) j += 1;
  }
  return parts;
}

/** Whether a word goes on at this place, in a text or a reversed text. */
const isInWord = (text: string, place: number) =>
  continuesWord(text.slice(Math.max(0, place - 2), place), text.slice(place, place + 2));

function commonStart(one: string, other: string): number {
  const most = Math.min(one.length, other.length);
  let length = 0;
  while (length < most && one[length] === other[length]) length += 1;
  return length;
}

/** Like `respelledFrom`, from the end backwards. */
function respelledUpTo(left: PlaceRange, right: PlaceRange, texts: Texts): Part[] {
  const backwards = (range: PlaceRange, textAt: (place: number) => string) =>
    endsOf({ first: 0, end: range.end - range.first }, (place) => reversed(textAt(range.end - 1 - place)));
  const ends = { left: backwards(left, texts.left), right: backwards(right, texts.right) };
  const turned = ({ first, end }: PlaceRange, range: PlaceRange) => ({
    first: range.end - end,
    end: range.end - first,
  });
  return respelledFrom(0, 0, ends)
    .map((part) => ({ ...part, left: turned(part.left, left), right: turned(part.right, right) }))
    .reverse();
}

/** The text reversed by UTF-16 units. Compare it only with other reversed texts. */
const reversed = (text: string) => text.split("").reverse().join("");
