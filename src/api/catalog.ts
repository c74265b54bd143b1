/** The models that models.json and the local server offer. */
export { type CatalogEntry, listModels } from "../session/catalog.ts";
