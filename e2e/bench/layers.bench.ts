/** `npm run bench -- layers [--json] [--device software|gpu] [--only NAME,…]`: what reading and steering the layers of a model gives and costs. */
import { parseArgs } from "node:util";
import { deviceOption } from "./device-option.ts";
import { bundledAgainstPlain } from "./layers/bundled.ts";
import { cheerfulVector } from "./layers/cheerful.ts";
import { layersCost } from "./layers/cost.ts";
import { cutsUnderSteering } from "./layers/cuts.ts";
import { layersOfGraphs } from "./layers/graphs.ts";
import { pageLayers } from "./layers/page-rows.ts";
import { untouchedModels } from "./layers/untouched.ts";
import { runSections, type Sections } from "./sections.ts";

const { values: options } = parseArgs({
  options: {
    json: { type: "boolean", default: false },
    device: { type: "string" },
    only: { type: "string" },
  },
});
const device = await deviceOption(options.device);
const all: Sections = {
  graphs: () => layersOfGraphs(device),
  bundled: () => bundledAgainstPlain(device),
  cuts: () => cutsUnderSteering(device),
  cost: layersCost,
  untouched: () => untouchedModels(device),
  cheerful: cheerfulVector,
  page: pageLayers,
};
await runSections("layers", all, options);
