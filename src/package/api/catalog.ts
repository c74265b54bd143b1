/** The models that models.json and the local server offer. */
export {
  type CatalogEntry,
  describeDevice,
  listModels,
  readModels,
} from "../../runtime/session/shared/catalog.ts";
