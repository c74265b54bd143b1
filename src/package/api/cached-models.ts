/** Models that the browser keeps. */
export {
  type CachedModel,
  cacheModel,
  hasNewerVersion,
  listCachedModels,
  removeCachedModel,
  repairCachedModel,
  updateCachedModel,
} from "../../runtime/session/page-side/cached-models.ts";
