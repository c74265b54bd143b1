/** The engine's verdict on a case: refused, or which instances it takes. */
import type { Json } from "../json-schema/normal-form.ts";
import { jsonSchema } from "../strategies/json-schema.ts";
import type { Strategy } from "../strategy.ts";
import { ConstraintLimitError, StrategyError } from "../strategy-error.ts";
import type { SchemaCase } from "./cases.ts";
import { orderMembersBySchema } from "./in-order.ts";
import { type FormalLanguage, formalLanguageOf } from "./walks.ts";

export interface Refusal {
  readonly name: string;
  /** The last keyword of the path that the error names; "limit" where a bound was met. */
  readonly keyword: string;
  readonly message: string;
}

export interface Verdict {
  readonly refusal: Refusal | null;
  /** Valid instances that it takes in no order of their members, invalid ones that it takes, and errors other than a refusal. */
  readonly wrong: readonly string[];
  /** Valid instances that it takes, but neither as they are written nor in the order in which the schema lists their members. */
  readonly otherOrder: readonly string[];
}

/** The strategy of a schema, or why there is none. Errors that are no refusal are thrown on. */
export function strategyOfSchemaCase(
  { name, schema }: SchemaCase,
  order: "required" | "any" = "required",
): Strategy | Refusal {
  try {
    return jsonSchema(schema as object | boolean, { order });
  } catch (error) {
    if (!(error instanceof StrategyError || error instanceof ConstraintLimitError)) throw error;
    return { name, keyword: keywordOf(error), message: error.message };
  }
}

/** The last keyword of the path that a refusal names; "limit" where a bound was met. */
export function keywordOf(error: StrategyError | ConstraintLimitError): string {
  if (error instanceof ConstraintLimitError) return "limit";
  return error.where.split("/").findLast((part) => !/^\d*$/.test(part)) ?? "";
}

export const isRefusal = (made: Strategy | Refusal): made is Refusal => "message" in made;

/** The texts of an instance as a model may have to write it: as the case has it, and as the schema lists its members. */
export function instanceTextsOf({ schema }: SchemaCase, value: Json): readonly string[] {
  const [written, ordered] = [JSON.stringify(value), JSON.stringify(orderMembersBySchema(schema, value))];
  return written === ordered ? [written] : [written, ordered];
}

/** Makes the strategy of a case, and reads the bytes of each instance's text. Errors other than refusals are in `wrong`. */
export function verdictOf(given: SchemaCase): Verdict {
  try {
    const made = strategyOfSchemaCase(given);
    if (isRefusal(made)) return { refusal: made, wrong: [], otherOrder: [] };
    return { refusal: null, ...judged(given, formalLanguageOf(made.build)) };
  } catch (error) {
    return { refusal: null, wrong: [`${given.name}: ${error}`], otherOrder: [] };
  }
}

function judged(given: SchemaCase, language: FormalLanguage): Pick<Verdict, "wrong" | "otherOrder"> {
  const accepts = (value: Json) => instanceTextsOf(given, value).some((text) => language.accepts(text));
  const rejected = given.valid.filter((value) => !accepts(value));
  const inAnyOrder = rejected.length > 0 ? strategyOfSchemaCase(given, "any") : null;
  const free = inAnyOrder === null || isRefusal(inAnyOrder) ? null : formalLanguageOf(inAnyOrder.build);
  const otherOrder = rejected.filter((value) => free?.accepts(JSON.stringify(value)));
  const describe = (value: Json) =>
    `${given.name} rejects valid ${given.valid.indexOf(value)}: ${instanceTextsOf(given, value)
      .map((text) => farthest(language, text))
      .join(" and ")}`;
  return {
    wrong: [
      ...rejected.filter((value) => !otherOrder.includes(value)).map(describe),
      ...given.invalid.flatMap(({ breaks, value }, index) =>
        accepts(value)
          ? [`${given.name} accepts invalid ${index} (${breaks}): ${JSON.stringify(value)}`]
          : [],
      ),
    ],
    otherOrder: otherOrder.map(describe),
  };
}

/** The text with a mark where it stopped being possible. */
function farthest(language: FormalLanguage, text: string): string {
  let end = text.length;
  while (end > 0 && !language.begins(text.slice(0, end))) end--;
  return `${text.slice(0, end)}⟂${text.slice(end)}`;
}
