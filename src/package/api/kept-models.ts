/** Models that the browser keeps. */
export {
  hasNewerVersion,
  type KeptModel,
  keepModel,
  keptModels,
  removeKeptModel,
  repairKeptModel,
  updateKeptModel,
} from "../../runtime/session/page-side/kept-models.ts";
