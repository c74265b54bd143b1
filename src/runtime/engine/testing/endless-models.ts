/** Copies of the bundled model, changed so that one kind of work never ends. For tests of Stop. */
import { readFileSync } from "node:fs";
import { encodeModel, parseModel } from "../onnx/codec.ts";
import { makeNode, makeTensor, makeValueInfo } from "../onnx/make.ts";
import { type Attribute, elementType, type Graph, type Node } from "../onnx/model.ts";

const folder = "public/models/stories260k";

/** Endless work while a model is loaded. */
export const endlessAtLoad = ["template at load", "tokenizer at load", "graph at load"] as const;

/** Endless work when a loaded model gets a prompt. */
export const endlessAtPrompt = [
  "template at the prompt",
  "tokenizer at the prompt",
  "graph in a pass",
] as const;

/** The kind of work that never ends. */
export type EndlessKind = (typeof endlessAtLoad)[number] | (typeof endlessAtPrompt)[number];

export const endlessKinds: readonly EndlessKind[] = [...endlessAtLoad, ...endlessAtPrompt];

/**
 * Where such a model can run: the page, `midtoken run`, `midtoken serve`. At each, Stop must end all six kinds of work. `npm
 * run bench -- stops` measures them.
 */
export const hostsOfEndlessModels = ["page", "run", "serve"] as const;

/**
 * "graph in a pass" loops in the pass that makes the text this many tokens long. The engine sends its events in batches, and
 * a hung worker sends none: with this many tokens, at least one batch was sent before, even on the fastest machine.
 */
export const tokensUntilEndlessPass = 120;

/** Ten thousand million turns over one list: a new list for each inner loop would soon exceed `templateLimits.allEntries`. */
const loops =
  "{% set turns = range(100000) %}{% for a in turns %}{% for b in turns %}{% endfor %}{% endfor %}";
/**
 * A template with these texts belongs to a model that thinks. Loading such a model tokenizes the closing mark and tests the
 * switch.
 */
const thinks = "{# Here is my thought process: Here is my response: #}";
const plain = "{% for message in messages %}{{ message['content'] }}{% endfor %}";

/** Matches only texts with a digit. In other texts it tries all ways to skip characters before it fails. */
const hopeless = `(?:${"[\\s\\S]?".repeat(40)}){8}[0-9]$`;

/** The folder's files by their paths. */
export function endlessModel(kind: EndlessKind): ReadonlyMap<string, Uint8Array<ArrayBuffer>> {
  const names = ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"];
  const paths = [...names, "onnx/model.onnx"];
  const files = new Map(paths.map((path) => [path, new Uint8Array(readFileSync(`${folder}/${path}`))]));
  const change = (path: string, changes: object) => {
    const before = JSON.parse(new TextDecoder().decode(files.get(path))) as object;
    files.set(path, new TextEncoder().encode(JSON.stringify({ ...before, ...changes })));
  };
  const template = (text: string) => change("tokenizer_config.json", { chat_template: text });
  const splitBy = (expression: string) =>
    change("tokenizer.json", {
      pre_tokenizer: { type: "Split", pattern: { Regex: expression }, behavior: "Isolated", invert: false },
    });
  if (kind === "template at load") template(`${thinks}{% if enable_thinking %}${loops}{% endif %}${plain}`);
  if (kind === "template at the prompt") template(loops + plain);
  if (kind === "tokenizer at load") {
    splitBy(hopeless);
    template(thinks + plain);
  }
  // The texts that are tokenized at load do not begin like the tests' prompt.
  if (kind === "tokenizer at the prompt") splitBy(`Once${hopeless}`);
  const graph = files.get("onnx/model.onnx");
  if (kind === "graph at load" && graph) files.set("onnx/model.onnx", withGraph(graph, foldForEver));
  if (kind === "graph in a pass" && graph) files.set("onnx/model.onnx", withGraph(graph, loopInPass));
  return files;
}

function withGraph(bytes: Uint8Array<ArrayBuffer>, change: (graph: Graph) => void): Uint8Array<ArrayBuffer> {
  const model = parseModel(bytes);
  if (!model.graph) throw new Error("The bundled model has no graph.");
  change(model.graph);
  return encodeModel(model);
}

/** Adds products of large constants, which the runtime computes when it opens the graph. */
function foldForEver(graph: Graph): void {
  const side = 2048;
  graph.initializer.push(
    makeTensor("folded/shape", elementType.int64, [2], BigInt64Array.of(BigInt(side), BigInt(side))),
  );
  const nodes = [makeNode("ConstantOfShape", ["folded/shape"], ["folded/0"], { name: "folded/0" })];
  for (let i = 1; i <= 2_000; i++) {
    const before = `folded/${i - 1}`;
    nodes.push(makeNode("MatMul", [before, before], [`folded/${i}`], { name: `folded/${i}` }));
  }
  nodes.push(makeNode("ReduceSum", ["folded/2000"], ["folded/sum"], { name: "folded/sum" }));
  nodes.push(makeNode("Reshape", ["folded/sum", "folded/one"], ["folded/end"], { name: "folded/end" }));
  graph.initializer.push(makeTensor("folded/one", elementType.int64, [1], BigInt64Array.of(1n)));
  behindEmbedding(graph, nodes, (rows) =>
    makeNode("Add", [rows, "folded/end"], ["folded/rows"], { name: "folded/rows" }),
  );
}

/** Adds a loop that runs 2^62 times once the text has `tokensUntilEndlessPass` tokens, and not at all before. */
function loopInPass(graph: Graph): void {
  const integer = (name: string, value: bigint, dims: readonly number[] = []) =>
    graph.initializer.push(makeTensor(name, elementType.int64, dims, BigInt64Array.of(value)));
  integer("endless/turns", 1n << 62n);
  integer("endless/none", 0n);
  integer("endless/from", BigInt(tokensUntilEndlessPass - 1));
  integer("endless/axis", 1n);
  const nodes = [
    makeNode("Shape", ["attention_mask"], ["endless/shape"], { name: "endless/shape" }),
    makeNode("Gather", ["endless/shape", "endless/axis"], ["endless/length"], { name: "endless/length" }),
    makeNode("Greater", ["endless/length", "endless/from"], ["endless/is"], { name: "endless/is" }),
    makeNode("Where", ["endless/is", "endless/turns", "endless/none"], ["endless/count"], {
      name: "endless/count",
    }),
  ];
  behindEmbedding(graph, nodes, (rows) => {
    const loop = makeNode("Loop", ["endless/count", "", rows], ["endless/rows"], { name: "endless/loop" });
    loop.attribute.push(body());
    return loop;
  });
}

/** The loop's body: returns condition and rows unchanged. */
function body(): Attribute {
  const g: Graph = {
    name: "body",
    node: [
      makeNode("Identity", ["body/goes on"], ["body/on"], { name: "body/on" }),
      makeNode("Identity", ["body/rows"], ["body/same"], { name: "body/same" }),
    ],
    initializer: [],
    input: [
      makeValueInfo("body/turn", elementType.int64, []),
      makeValueInfo("body/goes on", elementType.bool, []),
      makeValueInfo("body/rows", elementType.float, ["batch", "sequence", 64]),
    ],
    output: [
      makeValueInfo("body/on", elementType.bool, []),
      makeValueInfo("body/same", elementType.float, ["batch", "sequence", 64]),
    ],
    valueInfo: [],
  };
  return { name: "body", g, floats: [], ints: [], strings: [], tensors: [], graphs: [], type: 5 };
}

/** Inserts nodes after the embedding: nodes that read the embedding's rows now read the last node's. */
function behindEmbedding(graph: Graph, nodes: readonly Node[], last: (rows: string) => Node): void {
  const embedding = graph.node.find(
    ({ operator, input }) => operator === "Gather" && input[1] === "input_ids",
  );
  const rows = embedding?.output[0];
  if (!embedding || rows === undefined) throw new Error("The bundled graph has no embedding.");
  const end = last(rows);
  const [changed = ""] = end.output;
  for (const { input } of graph.node)
    for (const [i, name] of input.entries()) if (name === rows) input[i] = changed;
  graph.node.splice(graph.node.indexOf(embedding) + 1, 0, ...nodes, end);
}
