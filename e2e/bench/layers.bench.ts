/** `npm run bench -- layers [--json] [--only NAME,…]`: what reading and steering the layers of a model gives and costs. */
import { parseArgs } from "node:util";
import { bundledAgainstPlain } from "./layers/bundled.ts";
import { cheerfulVector } from "./layers/cheerful.ts";
import { layersCost } from "./layers/cost.ts";
import { cutsUnderSteering } from "./layers/cuts.ts";
import { layersOfGraphs } from "./layers/graphs.ts";
import { pageLayers } from "./layers/page-rows.ts";
import { untouchedModels } from "./layers/untouched.ts";
import { runSections, type Sections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
const all: Sections = {
  graphs: layersOfGraphs,
  bundled: bundledAgainstPlain,
  cuts: cutsUnderSteering,
  cost: layersCost,
  untouched: untouchedModels,
  cheerful: cheerfulVector,
  page: pageLayers,
};
await runSections("layers", all, options);
