/** Names of an object beyond those it declares: which there may be, and what their values have to be. */
import { Automaton } from "../../automaton/automaton.ts";
import { countTexts } from "../../automaton/count-texts.ts";
import type { Expression } from "../../automaton/expression.ts";
import { ConstraintLimitError } from "../../strategy-error.ts";
import type { ObjectAlternative, SchemaHandle, StringAlternative } from "../normal-form.ts";
import { anyString } from "../scalars/scalars.ts";
import { matchesString } from "../scalars/string.ts";
import { stringTerminal } from "../scalars/string-terminal.ts";
import type { Emission } from "./emission.ts";
import { overlapGroups } from "./pattern-groups.ts";

/** Names, and what all of them are valid for. Classes of one object have no name in common. */
export interface NameClass {
  /** The text after the opening quote, with the closing quote, as JSON.stringify writes it: one text for each name. */
  readonly text: Expression;
  readonly handle: SchemaHandle;
}

export interface UndeclaredNames {
  readonly classes: readonly NameClass[];
  /** When the names are few: each with its schema, and no classes. */
  readonly listed: ReadonlyMap<string, SchemaHandle>;
  /** The number of names in the classes; Infinity for any number that is surely enough. */
  readonly count: number;
  /** Equal for equal classes. */
  readonly signature: string;
}

/** A set of names by the patterns they match and do not. */
interface Split {
  readonly matched: readonly number[];
  readonly unmatched: readonly number[];
}

const MOST_CLASSES = 64;
/** Longest list of names that are kept apart. */
const MOST_NAMES = 64;

/** The names that an object may have besides the declared ones: as classes, or as a list if `propertyNames` lists few names. */
export function undeclaredNamesOf(emission: Emission, alternative: ObjectAlternative): UndeclaredNames {
  return new NameTable(emission, alternative).names();
}

class NameTable {
  readonly #emission: Emission;
  readonly #alternative: ObjectAlternative;
  readonly #bases: readonly StringAlternative[];
  /** Names that `propertyNames` lists. */
  readonly #literals: readonly string[];

  constructor(emission: Emission, alternative: ObjectAlternative) {
    this.#emission = emission;
    this.#alternative = alternative;
    const allowed = alternative.names === null ? [anyString] : alternative.names.normal();
    this.#bases = allowed.filter((each) => each.type === "string");
    this.#literals = allowed.flatMap((each) =>
      each.type === "literal" && typeof each.value === "string" && !alternative.properties.has(each.value)
        ? [each.value]
        : [],
    );
  }

  names(): UndeclaredNames {
    const isListed = this.#bases.length === 0 && this.#literals.length <= MOST_NAMES;
    const classes = isListed ? [] : this.#classes();
    const listed = isListed ? this.#listed() : new Map<string, SchemaHandle>();
    return { classes, listed, count: this.#count(classes), signature: this.#signature(classes) };
  }

  /** Only if `minProperties` asks for at least two names besides the required ones, too few names may be left. */
  #count(classes: readonly NameClass[]): number {
    if (classes.length === 0) return 0;
    const { minProperties, required } = this.#alternative;
    if (minProperties <= required.size + 1) return Number.POSITIVE_INFINITY;
    return classes.reduce((sum, { text }) => {
      const automaton = new Automaton(this.#emission.expressions, text);
      return sum + countTexts(automaton, automaton.start);
    }, 0);
  }

  #signature(classes: readonly NameClass[]): string {
    const { properties, patterns, additional, names } = this.#alternative;
    if (classes.length === 0) return "";
    return JSON.stringify([
      [...properties.keys()].sort(),
      patterns.map(({ pattern, schema }) => [pattern, schema.key]),
      additional.key,
      names?.key ?? "",
    ]);
  }

  #handle(matched: readonly number[]): SchemaHandle {
    const { patterns, additional, both } = this.#alternative;
    const [first, ...others] = patterns.flatMap(({ schema }, index) =>
      matched.includes(index) ? [schema] : [],
    );
    if (first === undefined) return additional;
    return others.length === 0 ? first : both([first, ...others]);
  }

  #listed(): ReadonlyMap<string, SchemaHandle> {
    const { patterns } = this.#alternative;
    const listed = new Map<string, SchemaHandle>();
    for (const name of this.#literals) {
      const matched = [...patterns.keys()].filter((index) =>
        this.#matches(name, { matched: [index], unmatched: [] }),
      );
      const handle = this.#handle(matched);
      if (allowsSomeValue(handle)) listed.set(name, handle);
    }
    return listed;
  }

  #matches(name: string, split: Split): boolean {
    return matchesString(this.#restricted(anyString, split), name);
  }

  #classes(): readonly NameClass[] {
    return this.#splits().flatMap((split) => {
      const handle = this.#handle(split.matched);
      if (!allowsSomeValue(handle)) return [];
      const text = this.#text(split);
      return text.kind === "nothing" ? [] : [{ text, handle }];
    });
  }

  /** Every combination of patterns that some name may have, and that of none. */
  #splits(): readonly Split[] {
    const { patterns } = this.#alternative;
    const groups = overlapGroups(
      this.#emission,
      patterns.map(({ pattern }) => pattern),
    );
    const matching = groups.flatMap((group) => this.#splitsOf(group));
    return [...matching, { matched: [], unmatched: [...patterns.keys()] }];
  }

  /** The combinations of at least one pattern of a group: no pattern of another group matches their names. */
  #splitsOf(group: readonly number[]): readonly Split[] {
    let splits: readonly Split[] = [{ matched: [], unmatched: [] }];
    for (const index of group) {
      splits = splits
        .flatMap(({ matched, unmatched }) => [
          { matched: [...matched, index], unmatched },
          { matched, unmatched: [...unmatched, index] },
        ])
        .filter((split) => group.length === 1 || this.#isPossible(split));
      if (splits.length > MOST_CLASSES) {
        throw new ConstraintLimitError(
          `the patterns of patternProperties split the names into more than ${MOST_CLASSES} groups`,
        );
      }
    }
    return splits.filter(({ matched }) => matched.length > 0);
  }

  #isPossible(split: Split): boolean {
    if (split.matched.length > 0 && !allowsSomeValue(this.#handle(split.matched))) return false;
    return this.#text(split).kind !== "nothing";
  }

  #text(split: Split): Expression {
    return stringTerminal(
      this.#emission.expressions,
      this.#bases.map((base) => this.#restricted(base, split)),
      this.#literals.filter((name) => this.#matches(name, split)),
      true,
    );
  }

  #restricted(base: StringAlternative, { matched, unmatched }: Split): StringAlternative {
    const texts = (indexes: readonly number[]) =>
      indexes.map((index) => this.#alternative.patterns[index]?.pattern ?? "");
    return {
      ...base,
      patterns: [...base.patterns, ...texts(matched)],
      notPatterns: [...base.notPatterns, ...texts(unmatched)],
      except: [...base.except, ...this.#alternative.properties.keys()],
    };
  }
}

/** Whether some value is valid for the handle. */
export function allowsSomeValue(handle: SchemaHandle): boolean {
  return handle.normal().length > 0;
}
