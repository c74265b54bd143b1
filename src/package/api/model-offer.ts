/** Which weights of a model can be chosen from on this device. */
export {
  type JudgedWeights,
  type ModelOffer,
  offerEntry,
  offerModel,
  type PickedFiles,
  type RefusedGraph,
} from "../../runtime/session/page-side/model-offer.ts";
