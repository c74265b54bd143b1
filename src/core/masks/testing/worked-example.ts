/** One small schema from JSON to the bits of a mask: every value that the documents print, computed by the real code. */
import { Automaton } from "../automaton/automaton.ts";
import { Expressions } from "../automaton/expression.ts";
import { vocabularyFromList } from "../interop/vocabulary-from-list.ts";
import { compileJsonSchema } from "../json-schema/compile.ts";
import type { NumberAlternative, ObjectAlternative, SchemaHandle } from "../json-schema/normal-form.ts";
import { normalizeSchema } from "../json-schema/normalize/normalize.ts";
import { linkSchema } from "../json-schema/read/link.ts";
import { SchemaDocument } from "../json-schema/read/scan.ts";
import type { SchemaNode } from "../json-schema/read/schema-node.ts";
import { type Constraint, type ConstraintState, constraintOf } from "../masks/constraint.ts";
import { stopAtOpen, walkTree } from "../masks/walk.ts";
import { jsonSchema } from "../strategies/json-schema.ts";
import { firstTokens } from "../vocabulary/token-bits.ts";
import { TokenList } from "../vocabulary/token-list.ts";
import { vocabularyOf } from "../vocabulary/vocabulary.ts";
import { printExpression } from "./print-expression.ts";

const schema = {
  type: "object",
  properties: { age: { type: "integer", minimum: 0, maximum: 150 } },
  required: ["age"],
  additionalProperties: false,
};

/** The last token ends the output, so it has no bytes. */
const tokens = ["{", '{"', '"', "age", '":', "}", "0", "1", "2", "52", "15", "42", "2}", ",", "name", null];
const vocabulary = vocabularyFromList(tokens, { eosTokenIds: [15] });

/** The text as tokens: `{"`, `age`, `":`, `1`. */
const spelling = [1, 3, 4, 7];

/** The lines of the README of the folder. */
export function describeShortWalk(): string {
  const walk = new Walk();
  return lines([
    ["schema", JSON.stringify(schema)],
    ["read", walk.nodes()],
    ["normalize", walk.alternatives()],
    ["emit", walk.expressionAfter("")],
    ["tokens", tokens.map((token, index) => `${index} ${token ?? "end"}`).join("  ")],
    ["text so far", walk.text],
    ["state", walk.expressionAfter(walk.text)],
    ["allowed", walk.allowed()],
    ["mask", walk.bits()],
  ]);
}

/** The lines of the document on masks: the states on the way, the steps of the last state, the tree and the walk. */
export function describeLongWalk(): string {
  const walk = new Walk();
  const beginnings = ["", "{", '{"age"', '{"age":', walk.text];
  return lines([
    ["read", walk.nodes()],
    ["normalize", walk.alternatives()],
    ...beginnings.map((text) => [`after ${text || "nothing"}`, walk.expressionAfter(text)] as const),
    ...walk.steps(),
    ["tree", walk.tree()],
    ["walk", walk.walked()],
    ["allowed", walk.allowed()],
    ["mask", walk.bits()],
    ["after 5", walk.expressionAfter(`${walk.text}5`)],
    ["after 5}", walk.end()],
  ]);
}

class Walk {
  readonly #automaton: Automaton;
  readonly #constraint: Constraint = constraintOf(jsonSchema(schema), vocabulary);
  readonly text = spelling.map((token) => tokens[token]).join("");

  constructor() {
    const expressions = new Expressions();
    this.#automaton = new Automaton(expressions, compileJsonSchema(schema)(expressions));
  }

  /** The schemas that were read, each at its place in the document. */
  nodes(): string {
    const document = new SchemaDocument(schema);
    return linkSchema(document, document.root).map(printNode).join("; ");
  }

  alternatives(): string {
    const [object] = normalizeSchema(schema).root.normal() as readonly [ObjectAlternative];
    const handle = object.properties.get("age") as SchemaHandle;
    const [age] = handle.normal() as readonly [NumberAlternative];
    const others = object.additional.normal().length === 0 ? "no other names" : "other names";
    return `${object.type}: age (${age.integer ? "integer" : age.type} from ${age.minimum} to ${age.maximum}), ${others}`;
  }

  expressionAfter(text: string): string {
    return printExpression(this.#automaton, this.#automaton.expressionOf(this.#stateAfter(text)));
  }

  #stateAfter(text: string): number {
    return this.#automaton.walk(this.#automaton.start, new TextEncoder().encode(text));
  }

  /** The partial derivatives of the state after the text: a set of bytes and what is left after each. */
  steps(): (readonly [string, string])[] {
    const { derivatives } = this.#automaton;
    const expression = this.#automaton.expressionOf(this.#stateAfter(this.text));
    return derivatives.steps(expression).map(({ set, next }) => {
      const bytes = this.#automaton.expressions.bytes(set);
      return [`step ${printExpression(this.#automaton, bytes)}`, printExpression(this.#automaton, next)];
    });
  }

  /** Nodes in preorder: depth in dots, byte, and the token that ends there. */
  tree(): string {
    const { size, head, token } = vocabularyOf(vocabulary).tree;
    return Array.from({ length: size }, (_, node) => {
      const byte = String.fromCharCode((head[node] as number) & 255);
      const ends = (token[node] as number) < 0 ? "" : `=${token[node]}`;
      return ".".repeat(((head[node] as number) >> 8) - 1) + byte + ends;
    }).join(" ");
  }

  walked(): string {
    const { tree } = vocabularyOf(vocabulary);
    const visited = walkTree(
      this.#automaton,
      this.#stateAfter(this.text),
      tree,
      new TokenList(),
      stopAtOpen([], false),
    );
    return `${visited} of ${tree.size} nodes visited`;
  }

  #constraintState(): ConstraintState {
    return spelling.reduce<ConstraintState>((state, token) => {
      const next = state.advance(token);
      if (next === null) throw new Error(`Token ${token} is not allowed.`);
      return next;
    }, this.#constraint.start);
  }

  allowed(): string {
    return firstTokens(this.#constraintState().mask(), 32)
      .map((token) => `${token} ${tokens[token]}`)
      .join("  ");
  }

  /** One word of 32 bits, the highest token first. */
  bits(): string {
    const [word = 0] = this.#constraintState().mask();
    return `0b${word.toString(2).padStart(16, "0")} (bit i is token i)`;
  }

  end(): string {
    const state = this.#stateAfter(`${this.text}5}`);
    const canEnd = this.#automaton.isAccepting(state);
    return `${printExpression(this.#automaton, this.#automaton.expressionOf(state))}, canEnd ${canEnd}`;
  }
}

function printNode({ always, integer, maximum, minimum, path, required }: SchemaNode): string {
  if (always !== null) return `${path} ${always}`;
  if (integer) return `${path} integer from ${minimum} to ${maximum}`;
  return `${path} object that requires ${required.join(", ")}`;
}

function lines(rows: readonly (readonly [string, string])[]): string {
  const width = Math.max(...rows.map(([name]) => name.length)) + 2;
  return rows.map(([name, value]) => name.padEnd(width) + value).join("\n");
}
