/** Conjunctions of facts about numbers and strings. */
import type { Effort } from "../effort.ts";
import type { NumberAlternative, StringAlternative } from "../normal-form.ts";
import { anyNumber, anyString, isNumberPossible } from "../scalars/scalars.ts";
import { isStringPossible } from "../scalars/string-possible.ts";
import type { Fact, Formula, NumberFact, StringFact } from "./facts.ts";
import type { Shape } from "./shape.ts";

/** Fields can be replaced, lists cannot be changed: a copy shares them. */
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

  add(added: Fact): boolean {
    const fact = added as NumberFact;
    const asked = this.#asked;
    this.#isPossible = undefined;
    if ("limit" in fact) this.#limit(fact.is, fact.limit, fact.exclusive);
    else if (fact.is === "integer") asked.integer = true;
    else if (fact.is === "except") asked.except = withAll(asked.except, fact.values);
    else asked[fact.is] = withAll(asked[fact.is], [fact.divisor]);
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

  entails(asked: Fact): boolean {
    const fact = asked as NumberFact;
    return fact.is === "integer" && this.#asked.integer;
  }

  isPossible(): boolean {
    this.#isPossible ??= isNumberPossible(this.#asked);
    return this.#isPossible;
  }

  excludes(): boolean {
    return false;
  }

  undecided(): Formula | null {
    return null;
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

  add(added: Fact): boolean {
    const fact = added as StringFact;
    const asked = this.#asked;
    this.#isPossible = undefined;
    if (fact.is === "length") {
      asked.minLength = Math.max(asked.minLength, fact.min);
      asked.maxLength = Math.min(asked.maxLength, fact.max);
      return asked.minLength <= asked.maxLength;
    }
    asked[fact.is] = withAll(asked[fact.is], fact.texts);
    return true;
  }

  entails(asked: Fact): boolean {
    const fact = asked as StringFact;
    if (fact.is === "length") return fact.min <= this.#asked.minLength && fact.max >= this.#asked.maxLength;
    return fact.texts.every((text) => this.#asked[fact.is].includes(text));
  }

  /** Found by looking for a text: asked once, when all facts are in. */
  isPossible(effort: Effort): boolean {
    this.#isPossible ??= isStringPossible(this.#asked, effort);
    return this.#isPossible;
  }

  excludes(): boolean {
    return false;
  }

  undecided(): Formula | null {
    return null;
  }

  alternative(): StringAlternative {
    return { ...this.#asked };
  }
}
