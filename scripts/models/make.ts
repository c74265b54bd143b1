/** `npm run models -- make NAME`: writes a generated model into `.cache/models`, which git ignores. */
import { parseArgs } from "node:util";
import { formatBytes } from "../../src/core/base/number-text.ts";
import { writeModelFolder } from "./folder.ts";
import { generatedFolder } from "./generated.ts";
import { type Precision, precisions } from "./graph.ts";
import { type GeneratedModelName, namedShapes } from "./shapes.ts";

const names = Object.entries(namedShapes).map(([name, { about }]) => `  ${name.padEnd(20)} ${about}`);
const usage = [
  `npm run models -- make NAME [--dtypes ${precisions.join(",")}] [--layers N] [--seed N] [--out FOLDER]`,
  "Writes .cache/models/NAME, with -N-layers behind it where --layers is given; q4 alone unless --dtypes says otherwise. Names:",
  ...names,
].join("\n");

/** @throws Error that names the invalid argument */
export function makeModelCommand(argv: readonly string[], log: (line: string) => void = console.log): void {
  const { values, positionals } = parseArgs({
    args: [...argv],
    allowPositionals: true,
    options: {
      dtypes: { type: "string", default: "q4" },
      layers: { type: "string" },
      seed: { type: "string", default: "1" },
      out: { type: "string" },
    },
  });
  const [name = ""] = positionals;
  if (!isName(name) || positionals.length > 1) {
    throw new Error(
      `${name === "" ? "Which model?" : `"${positionals.join(" ")}" is not the name of a model.`}\n${usage}`,
    );
  }
  const dtypes = values.dtypes.split(",");
  const unknown = dtypes.find((dtype) => !precisions.includes(dtype as Precision));
  if (unknown !== undefined)
    throw new Error(`--dtypes has "${unknown}": choose of ${precisions.join(", ")}.`);
  const layers = values.layers === undefined ? undefined : wholeNumber("--layers", values.layers, 1);
  const folder = values.out ?? generatedFolder(name, layers);
  writeModelFolder({
    name,
    folder,
    precisions: dtypes as Precision[],
    layers,
    seed: wholeNumber("--seed", values.seed, 0),
    onFile: (path, bytes) => log(`${path}: ${formatBytes(bytes)}`),
  });
}

function isName(name: string): name is GeneratedModelName {
  return Object.hasOwn(namedShapes, name);
}

function wholeNumber(option: string, text: string, least: number): number {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= least) return value;
  throw new Error(`${option} is "${text}", and must be a whole number of ${least} or more.`);
}
