/** The available weights of a model on this device. */
export {
  type AvailableWeights,
  availableWeights,
  availableWeightsOfEntry,
  type JudgedWeights,
  type PickedFiles,
  type RefusedGraph,
} from "../../runtime/session/page-side/available-weights.ts";
