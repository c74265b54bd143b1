/**
 * A call as a JSON object with a name and arguments, as most model families write it: as text, and as the language of such
 * texts.
 */
import { byteSet } from "../masks/automaton/byte-set.ts";
import type { Expression, Expressions } from "../masks/automaton/expression.ts";
import { jsonSchema } from "../masks/strategies/json-schema.ts";
import { createStrategy, type Strategy, wholeTextAsAnswer } from "../masks/strategy.ts";
import { StrategyError } from "../masks/strategy-error.ts";
import type { ToolDefinition } from "../sdk/request.ts";
import type { ParsedCall } from "./format.ts";

/** Writes a call as JSON in the style of Python's `json.dumps`, which chat templates use. */
export function writeCallObject(
  { name, arguments: text }: ParsedCall,
  key: "arguments" | "parameters",
): string {
  return `{"name": ${JSON.stringify(name)}, "${key}": ${text}}`;
}

/**
 * The language of one call of any of the tools: `{"name": "…", "KEY": …}` with arguments that are valid against the tool's
 * schema. `spaced` allows white space wherever JSON does, except in the arguments: a model that begins a call by itself may
 * write it.
 * @throws StrategyError that names the tool, and the path in its parameters.
 */
export function callObjectStrategy(
  tools: readonly ToolDefinition[],
  key: "arguments" | "parameters",
  { spaced = false } = {},
): Strategy {
  const parts = tools.map((tool) => ({
    name: JSON.stringify(tool.function.name),
    parameters: parametersStrategy(tool),
  }));
  return languageStrategy((expressions) =>
    expressions.union(
      ...parts.map(({ name, parameters }) => {
        const written = parameters.build(expressions);
        const pieces = spaced
          ? ["{", `"name"`, ":", name, ",", `"${key}"`, ":", written, "}"]
          : [`{"name": ${name}, "${key}": `, written, "}"];
        const space = spaced ? optionalSpace(expressions) : expressions.empty;
        return expressions.sequence(
          ...pieces.flatMap((piece, index) => [
            index > 0 ? space : expressions.empty,
            typeof piece === "string" ? expressions.literal(piece) : piece,
          ]),
        );
      }),
    ),
  );
}

const noParameters = { type: "object", properties: {}, additionalProperties: false };

/** @throws StrategyError that names the tool, and the path in its parameters. */
function parametersStrategy({ function: about }: ToolDefinition): Strategy {
  const { name, parameters, order = "required" } = about;
  try {
    return jsonSchema(parameters ? { type: "object", ...parameters } : noParameters, {
      whiteSpace: "spaced",
      order,
    });
  } catch (error) {
    if (!(error instanceof StrategyError)) throw error;
    throw new StrategyError(`tool "${name}"`, error.where, error.reason);
  }
}

/** A strategy that consists of a language only. */
export function languageStrategy(build: (expressions: Expressions) => Expression): Strategy {
  return createStrategy({ kind: "seq", build, answerOf: wholeTextAsAnswer });
}

/** The language of `item`, one to `most` times, with `separator` between. */
export function repeatWithSeparator(
  expressions: Expressions,
  {
    item,
    separator,
    most,
  }: { readonly item: Expression; readonly separator: Expression; readonly most: number },
): Expression {
  const more = expressions.repeat(expressions.sequence(separator, item), 0, most - 1);
  return expressions.sequence(item, more);
}

/** Up to eight characters of white space. */
export function optionalSpace(expressions: Expressions): Expression {
  return expressions.repeat(expressions.bytes(byteSet([9, 10], [13, 13], [32, 32])), 0, 8);
}

/** The language of all texts that contain none of the parts. */
export function textWithout(expressions: Expressions, ...parts: readonly Expression[]): Expression {
  const { anything } = expressions;
  return expressions.complement(
    expressions.union(...parts.map((part) => expressions.sequence(anything, part, anything))),
  );
}
