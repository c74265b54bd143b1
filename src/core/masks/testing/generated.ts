/** The part of the corpus that is made from shorthand: tool sets, events, resources, and the very large. */
import type { Json } from "../json-schema/normal-form.ts";
import type { SchemaCase } from "./cases.ts";
import {
  definitionShorthands,
  eventShorthands,
  resourceShorthands,
  toolShorthands,
} from "./generated-texts.ts";
import { hugeCases } from "./huge.ts";
import { caseOf, parseShorthand, type ShorthandBlock } from "./shorthand.ts";

/** The generated cases, the same at each call; their names are `generated/…`. */
export function generatedCases(): readonly SchemaCase[] {
  return [...toolCases(), ...eventCases(), ...resourceCases(), ...hugeCases()];
}

/** A call as models write it: the tool's name, then its arguments. */
function callOf(name: string, parameters: ShorthandBlock): ShorthandBlock {
  const call = (value: Json): Json => ({ name, arguments: value });
  return {
    schema: {
      type: "object",
      properties: { name: { const: name }, arguments: parameters.schema },
      required: ["name", "arguments"],
      additionalProperties: false,
    },
    good: [call(parameters.good[0]), call(parameters.good[1])],
    bad: [
      ["const", { name: `${name}_`, arguments: parameters.good[0] }],
      ["required", { name }],
      ...parameters.bad.map(([breaks, value]) => [breaks, call(value)] as const),
    ],
  };
}

/** Every other tool alone, the rest as calls; then sets of calls, one of them or several at once. */
function toolCases(): SchemaCase[] {
  const blocks = Object.entries(toolShorthands).map(([name, text]) => ({
    name,
    block: parseShorthand(text),
  }));
  const single = blocks.map(({ name, block }, index) =>
    index % 2 === 0 ? caseOf(name, block) : caseOf(`call-${name}`, callOf(name, block)),
  );
  const sets: SchemaCase[] = [];
  for (const size of [3, 5, 8, 12]) {
    const calls = blocks.slice(size, size * 2).map(({ name, block }) => callOf(name, block));
    const [one, other] = [calls[0], calls.at(-1)];
    if (!one || !other) throw new Error("There are too few tools.");
    const set: ShorthandBlock = {
      schema: { anyOf: calls.map(({ schema }) => schema) },
      good: [one.good[0], other.good[0]],
      bad: [...one.bad, ...other.bad],
    };
    sets.push(caseOf(`one-of-${size}-tools`, set));
    const several: ShorthandBlock = {
      schema: { type: "array", minItems: 1, items: set.schema },
      good: [[...set.good], [other.good[1]]],
      bad: [["minItems", []], ...set.bad.map(([breaks, value]) => [breaks, [value]] as const)],
    };
    sets.push(caseOf(`several-of-${size}-tools`, several));
  }
  return [...single, ...sets];
}

function eventCases(): SchemaCase[] {
  return Object.entries(eventShorthands).map(([name, text], index) =>
    caseOf(name, parseShorthand(text), {
      $schema: "https://json-schema.org/draft/2020-12/schema",
      description: `Schema of the event ${name}`,
      self: { vendor: "org.example", name, format: "jsonschema", version: `1-0-${index % 4}` },
    }),
  );
}

function resourceCases(): SchemaCase[] {
  const blocks: Record<string, ShorthandBlock> = {};
  for (const [name, text] of Object.entries(definitionShorthands))
    blocks[name] = parseShorthand(text, blocks);
  const $defs = Object.fromEntries(Object.entries(blocks).map(([name, { schema }]) => [name, schema]));
  return Object.entries(resourceShorthands).map(([name, text]) =>
    caseOf(name, parseShorthand(text, blocks), { $defs }),
  );
}
