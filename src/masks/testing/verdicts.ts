/** What the engine says to a case: refused, or which instances it takes. */
import { jsonSchema } from "../strategies/json-schema.ts";
import type { Strategy } from "../strategy.ts";
import { StrategyError } from "../strategy-error.ts";
import type { SchemaCase } from "./cases.ts";
import { inOrder } from "./in-order.ts";
import { type Language, languageOf } from "./walks.ts";

export interface Refusal {
  readonly name: string;
  /** The last keyword of the path that the error names. */
  readonly keyword: string;
  readonly message: string;
}

export interface Verdict {
  readonly refusal: Refusal | null;
  /** Valid instances that it does not take, invalid ones that it does, and errors other than a refusal. */
  readonly wrong: readonly string[];
}

/** The strategy of a schema, or why there is none. Errors that are no refusal are thrown on. */
export function strategyOf({ name, schema }: SchemaCase): Strategy | Refusal {
  try {
    return jsonSchema(schema as object | boolean);
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    const keyword = error.where.split("/").findLast((part) => !/^\d*$/.test(part)) ?? "";
    return { name, keyword, message: error.message };
  }
}

export const isRefusal = (made: Strategy | Refusal): made is Refusal => "message" in made;

/** The text of an instance, as a model would have to write it. */
export function textOf({ schema }: SchemaCase, value: Parameters<typeof inOrder>[1]): string {
  return JSON.stringify(inOrder(schema, value));
}

/** By the bytes of each instance's text. */
export function verdictOf(given: SchemaCase): Verdict {
  try {
    const made = strategyOf(given);
    if (isRefusal(made)) return { refusal: made, wrong: [] };
    return { refusal: null, wrong: wrongIn(given, languageOf(made.build)) };
  } catch (error) {
    return { refusal: null, wrong: [`${given.name}: ${error}`] };
  }
}

function wrongIn(given: SchemaCase, language: Language): string[] {
  const accepts = (value: Parameters<typeof inOrder>[1]) => language.accepts(textOf(given, value));
  return [
    ...given.valid.flatMap((value, index) =>
      accepts(value)
        ? []
        : [`${given.name} rejects valid ${index}: ${farthest(language, textOf(given, value))}`],
    ),
    ...given.invalid.flatMap(({ breaks, value }, index) =>
      accepts(value) ? [`${given.name} accepts invalid ${index} (${breaks}): ${textOf(given, value)}`] : [],
    ),
  ];
}

/** The text with a mark where it stopped being possible. */
function farthest(language: Language, text: string): string {
  let end = text.length;
  while (end > 0 && !language.begins(text.slice(0, end))) end--;
  return `${text.slice(0, end)}⟂${text.slice(end)}`;
}
