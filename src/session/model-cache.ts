/** Apart from what reads it, since the service worker needs the name alone. */
export { modelCacheName } from "../engine/cache.ts";
