/**
 * Cached masks for tokens that consist of plain characters. A state that certainly allows a number of such characters uses the
 * cached mask of these tokens, and walks the tree of the other tokens only. All constraints over a vocabulary share the slices.
 */
import {
  BETWEEN_CHARACTERS,
  BROKEN_UTF8,
  type CharacterClass,
  isWithin,
  unescapedCharacters,
  utf8TableOf,
} from "../automaton/characters.ts";
import type { OrderedTexts } from "./text-order.ts";
import { buildTree, type Tree } from "./tree.ts";

export interface Slice {
  /** Tokens that consist of the class's characters, up to the slice's length. Not to be changed. */
  readonly mask: Uint32Array;
  /** All other tokens. */
  readonly rest: Tree;
}

/** See masks/plain-run.ts. */
export interface PlainRun {
  readonly characters: CharacterClass;
  /** The state certainly accepts this many characters of the class, whichever they are. It may accept more. May be Infinity. */
  readonly length: number;
}

/** A slice for fewer characters than this does not pay. */
const SHORTEST_SLICE = 8;

/** The lengths in characters for which slices are made, besides the slice for any length. */
const LENGTHS = [32, 16, SHORTEST_SLICE];

/** The number of cached slices; the least recently used slice is dropped first. */
const SLICES_KEPT = 24;

const CLASSES_KEPT = 1000;

/**
 * Making a slice takes about as long as two walks of the whole tree. A slice is made after walks without it have taken that
 * long.
 */
const WALKS_BEFORE = 2;

/** For each token, the number of characters if all are in the class; 0 if not, or if the number does not fit into a byte. */
interface Counts {
  readonly counts: Uint8Array;
  readonly longest: number;
}

export class Slices {
  readonly #tree: Tree;
  readonly #ordered: OrderedTexts;
  /** For each class, the number of nodes that were walked because its slice was missing. */
  readonly #spent = new Map<string, number>();
  readonly #counts = new Map<string, Counts>();
  readonly #slices = new Map<string, Slice>();
  /** How many slices were dropped so far. */
  dropped = 0;

  constructor(tree: Tree, ordered: OrderedTexts) {
    this.#tree = tree;
    this.#ordered = ordered;
    // The slice of plain text, which most strategies allow somewhere, is made at once, so that no mask has to wait for it.
    this.#slice(unescapedCharacters, Number.POSITIVE_INFINITY);
  }

  /** The best slice for a state that survives this run; null if there is none (yet). */
  find(run: PlainRun | null): Slice | null {
    if (run === null || run.length < SHORTEST_SLICE) return null;
    const { characters, length } = run;
    if ((this.#spent.get(characters.key) ?? 0) >= WALKS_BEFORE * this.#tree.size)
      return this.#ofLength(characters, length);
    return isWithin(unescapedCharacters, characters) ? this.#ofLength(unescapedCharacters, length) : null;
  }

  #ofLength(characters: CharacterClass, length: number): Slice | null {
    const { longest } = this.#countsOf(characters);
    const most = length >= longest ? Number.POSITIVE_INFINITY : LENGTHS.find((each) => each <= length);
    return most === undefined ? null : this.#slice(characters, most);
  }

  /** Counts the nodes of a walk that a slice would have saved. */
  spend(run: PlainRun | null, nodes: number): void {
    if (run === null || run.length < SHORTEST_SLICE) return;
    const { characters } = run;
    if (this.#spent.size >= CLASSES_KEPT) this.#spent.clear();
    this.#spent.set(characters.key, (this.#spent.get(characters.key) ?? 0) + nodes);
  }

  #slice(characters: CharacterClass, most: number): Slice {
    const key = `${characters.key}/${most}`;
    const found = this.#slices.get(key) ?? this.#make(characters, most);
    // The map's order is the order of use: the last entry was used last.
    this.#slices.delete(key);
    this.#slices.set(key, found);
    for (const oldest of this.#slices.keys()) {
      if (this.#slices.size <= SLICES_KEPT) break;
      this.#slices.delete(oldest);
      this.dropped++;
    }
    return found;
  }

  #make(characters: CharacterClass, most: number): Slice {
    const { counts } = this.#countsOf(characters);
    const mask = new Uint32Array(Math.ceil(counts.length / 32));
    const others = new Uint8Array(counts.length);
    for (let token = 0; token < counts.length; token++) {
      const count = counts[token] as number;
      if (count !== 0 && count <= most) (mask[token >> 5] as number) |= 1 << (token & 31);
      else others[token] = 1;
    }
    return { mask, rest: buildTree(this.#ordered, others) };
  }

  #countsOf(characters: CharacterClass): Counts {
    let found = this.#counts.get(characters.key);
    if (!found) {
      found = countCharacters(this.#tree, this.#ordered.texts.start.length - 1, characters);
      if (this.#counts.size >= SLICES_KEPT) this.#counts.clear();
      this.#counts.set(characters.key, found);
    }
    return found;
  }
}

/** Walks the tree once, with the state of UTF-8 decoding and the number of characters at each depth. */
function countCharacters(tree: Tree, vocabularySize: number, characters: CharacterClass): Counts {
  const counts = new Uint8Array(vocabularySize);
  const table = utf8TableOf(characters);
  const states = new Uint8Array(65_536);
  const lengths = new Int32Array(65_536);
  let longest = 0;
  let node = 0;
  while (node < tree.size) {
    const head = tree.head[node] as number;
    const depth = head >>> 8;
    const state = table[((states[depth - 1] as number) << 8) | (head & 255)] as number;
    if (state === BROKEN_UTF8) {
      node = tree.after[node] as number;
      continue;
    }
    const length = (lengths[depth - 1] as number) + (state === BETWEEN_CHARACTERS ? 1 : 0);
    states[depth] = state;
    lengths[depth] = length;
    const token = tree.token[node] as number;
    // A token with more characters than a byte can count gets no count, so the walk handles it.
    if (token >= 0 && state === BETWEEN_CHARACTERS && length < 256) {
      counts[token] = length;
      longest = Math.max(longest, length);
    }
    node++;
  }
  return { counts, longest };
}
