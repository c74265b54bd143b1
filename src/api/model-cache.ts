/** Where the browser keeps models. */
export { modelCacheName } from "../session/model-cache.ts";
