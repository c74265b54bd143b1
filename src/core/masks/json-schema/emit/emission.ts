/** The state that all files of the emitter share: the arena of expressions, the white space, and the rules of this schema. */
import { type Expression, Expressions } from "../../automaton/expression.ts";
import type { RuleBeginnings } from "../../automaton/expression-node.ts";
import { getOrCreate } from "../../automaton/get-or-create.ts";
import { stringTerminalMachine, terminalMachineOf } from "../../automaton/string-terminal-machine.ts";
import { fromTemplate, type Template, templateOf } from "../../automaton/template.ts";
import type { Alternative, SchemaHandle } from "../normal-form.ts";

/**
 * "compact": none, as `JSON.stringify(value)` writes it. "spaced": one space after each colon and comma, as Python's `json.dumps`.
 * "usual": one space after each colon, and each item or property after a space or on a new line with any indent, as
 * `JSON.stringify(value, null, 2)`. "free": wherever RFC 8259, section 2 allows it, at most 64 characters in one place. No white
 * space follows the whole value.
 */
export type WhiteSpace = "compact" | "spaced" | "usual" | "free";

/**
 * "required": the required properties as the schema lists them, optional ones anywhere, undeclared names behind the required
 * ones. "schema": all declared properties as the schema lists them, undeclared names behind them. "any": every order.
 */
export type KeyOrder = "required" | "schema" | "any";

export interface EmitOptions {
  readonly order: KeyOrder;
  readonly whiteSpace: WhiteSpace;
}

/** Most characters of white space in one place: a model that writes only white space has to continue after them. */
const LONGEST_GAP = 64;

/** The white space that may stand at each place of a JSON text. */
interface Style {
  /** White space that only the style "free" allows: before the whole value, after an opening bracket, after each property or item. */
  readonly gap: Expression;
  /** An optional new line with its indent, in the style "usual": after an opening bracket and before a closing bracket. */
  readonly line: Expression;
  /** A colon and a comma, each with the white space around it. */
  readonly colon: Expression;
  readonly comma: Expression;
}

export interface Emission {
  readonly expressions: Expressions;
  readonly options: EmitOptions;
  readonly style: Style;
  /** A rule of this schema. A key always names the same language, which is not empty. */
  rule(key: string, expand: () => Expression, beginnings?: RuleBeginnings): Expression;
  /** A short name for a long signature. Equal signatures get equal names. */
  shortName(signature: string): string;
  /** The expression that `make` returns for a number, string or other alternative without parts. Equal alternatives share it: many properties are plain strings. */
  scalar<Scalar extends Alternative>(
    alternative: Scalar,
    make: (expressions: Expressions, scalar: Scalar) => Expression,
  ): Expression;
  /** All values that the handle allows. The handle allows at least one value. */
  value(handle: SchemaHandle): Expression;
  /** For items that have to differ: one white space, one order of properties, one spelling of each value. */
  canonical(): Emission;
}

const schemasOf = new WeakMap<Expressions, number>();

/** Emits the values of a handle. */
type EmitValue = (emission: Emission, handle: SchemaHandle) => Expression;

/**
 * @param value the values of a handle, emitted when the rule of the handle is first reached
 * @param canonicalValue the same in one spelling each
 */
export function createEmission(
  expressions: Expressions,
  options: EmitOptions,
  value: EmitValue,
  canonicalValue: EmitValue = value,
): Emission {
  const serial = (schemasOf.get(expressions) ?? 0) + 1;
  schemasOf.set(expressions, serial);
  const names = new Map<string, string>();
  const scalars = new Map<string, Expression>();
  let canonical: Emission | undefined;
  const emission: Emission = {
    expressions,
    options,
    style: styleOf(expressions, options.whiteSpace),
    rule: (key, expand, beginnings) => expressions.rule(`json${serial}:${key}`, expand, beginnings),
    shortName: (signature) => getOrCreate(names, signature, () => names.size.toString(36)),
    scalar(alternative, make) {
      // Infinity, an open end of a range, becomes null in JSON. No schema has another end that becomes null, so the key is unique.
      const key = JSON.stringify(alternative);
      return getOrCreate(scalars, key, () =>
        fromAnyArena(expressions, key, (arena) => make(arena, alternative)),
      );
    },
    canonical() {
      canonical ??= createEmission(expressions, canonicalOptions(options), canonicalValue);
      return canonical;
    },
    value: (handle) => emission.rule(`v${emission.shortName(handle.key)}`, () => value(emission, handle)),
  };
  return emission;
}

function canonicalOptions({ whiteSpace }: EmitOptions): EmitOptions {
  const isSpaced = whiteSpace === "spaced" || whiteSpace === "usual";
  return { order: "schema", whiteSpace: isSpaced ? "spaced" : "compact" };
}

/** Templates of all schemas, by the key of the alternative; null for an expression that has no template. */
const templates = new Map<string, Template | null>();
const TEMPLATES_KEPT = 200;

/** @param key names the same language for every arena. */
function fromAnyArena(
  expressions: Expressions,
  key: string,
  make: (expressions: Expressions) => Expression,
): Expression {
  if (terminalMachineOf(expressions) !== stringTerminalMachine) return make(expressions);
  let template = templates.get(key);
  if (template === undefined) {
    const arena = new Expressions();
    arena.meter = expressions.meter;
    template = templateOf(make(arena));
    if (templates.size >= TEMPLATES_KEPT) templates.clear();
    templates.set(key, template);
  }
  return template === null ? make(expressions) : fromTemplate(expressions, template);
}

function styleOf(expressions: Expressions, whiteSpace: WhiteSpace): Style {
  const { empty } = expressions;
  const literal = (text: string) => expressions.literal(text);
  const anyOf = (characters: string) =>
    expressions.repeat(expressions.union(...Array.from(characters, literal)), 0, LONGEST_GAP);
  const gap = whiteSpace === "free" ? anyOf(" \t\n\r") : empty;
  const isUsual = whiteSpace === "usual";
  const space = isUsual || whiteSpace === "spaced" ? literal(" ") : gap;
  const indented = isUsual ? expressions.sequence(literal("\n"), anyOf(" \t")) : expressions.nothing;
  return {
    gap,
    line: expressions.union(empty, indented),
    colon: expressions.sequence(gap, literal(":"), space),
    comma: expressions.sequence(literal(","), expressions.union(space, indented)),
  };
}
