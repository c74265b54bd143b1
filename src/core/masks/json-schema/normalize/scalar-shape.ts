/** Conjunctions of atoms about numbers and strings. */
import type { EffortMeter } from "../effort.ts";
import type { NumberAlternative, StringAlternative } from "../normal-form.ts";
import { isNumberPossible } from "../scalars/number-possible.ts";
import { anyNumber, anyString } from "../scalars/scalars.ts";
import { isStringPossible } from "../scalars/string-possible.ts";
import type { Atom, NumberAtom, StringAtom } from "./atoms.ts";
import type { Shape } from "./shape.ts";

/** Fields may be replaced, but lists are never changed, so a copy shares the lists. */
type Draft<Type> = { -readonly [Key in keyof Type]: Type[Key] };

function withAll<Item>(list: readonly Item[], more: readonly Item[]): readonly Item[] {
  const missing = more.filter((item) => !list.includes(item));
  return missing.length === 0 ? list : [...list, ...missing];
}

export class NumberShape implements Shape {
  readonly #asked: Draft<NumberAlternative>;
  #isPossible: boolean | undefined;

  constructor(asked: NumberAlternative = anyNumber) {
    this.#asked = { ...asked };
  }

  copy(): NumberShape {
    return new NumberShape(this.#asked);
  }

  add(added: Atom): boolean {
    const atom = added as NumberAtom;
    const asked = this.#asked;
    this.#isPossible = undefined;
    if ("limit" in atom) this.#limit(atom.is, atom.limit, atom.exclusive);
    else if (atom.is === "integer") asked.integer = true;
    else if (atom.is === "except") asked.except = withAll(asked.except, atom.values);
    else asked[atom.is] = withAll(asked[atom.is], [atom.divisor]);
    return asked.minimum <= asked.maximum;
  }

  #limit(side: "minimum" | "maximum", limit: number, exclusive: boolean): void {
    const asked = this.#asked;
    const isTighter = side === "minimum" ? limit > asked.minimum : limit < asked.maximum;
    const isExclusive = side === "minimum" ? "exclusiveMinimum" : "exclusiveMaximum";
    if (isTighter) asked[isExclusive] = exclusive;
    else if (limit === asked[side]) asked[isExclusive] ||= exclusive;
    if (isTighter) asked[side] = limit;
  }

  entails(asked: Atom): boolean {
    const atom = asked as NumberAtom;
    return atom.is === "integer" && this.#asked.integer;
  }

  isPossible(effort: EffortMeter): boolean {
    this.#isPossible ??= isNumberPossible(this.#asked, effort);
    return this.#isPossible;
  }

  alternative(): NumberAlternative {
    return { ...this.#asked };
  }
}

export class StringShape implements Shape {
  readonly #asked: Draft<StringAlternative>;
  #isPossible: boolean | undefined;

  constructor(asked: StringAlternative = anyString) {
    this.#asked = { ...asked };
  }

  copy(): StringShape {
    return new StringShape(this.#asked);
  }

  add(added: Atom): boolean {
    const atom = added as StringAtom;
    const asked = this.#asked;
    this.#isPossible = undefined;
    if (atom.is === "length") {
      asked.minLength = Math.max(asked.minLength, atom.min);
      asked.maxLength = Math.min(asked.maxLength, atom.max);
      return asked.minLength <= asked.maxLength;
    }
    asked[atom.is] = withAll(asked[atom.is], atom.texts);
    return true;
  }

  entails(asked: Atom): boolean {
    const atom = asked as StringAtom;
    if (atom.is === "length") return atom.min <= this.#asked.minLength && atom.max >= this.#asked.maxLength;
    return atom.texts.every((text) => this.#asked[atom.is].includes(text));
  }

  /** A search for a text finds this out. Called once, when all atoms are added. */
  isPossible(effort: EffortMeter): boolean {
    this.#isPossible ??= isStringPossible(this.#asked, effort);
    return this.#isPossible;
  }

  alternative(): StringAlternative {
    return { ...this.#asked };
  }
}
