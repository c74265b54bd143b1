/** `engine.readLayers`: reads layers of a model outside of requests. */
import { untilAborted } from "../../core/base/abort.ts";
import { checkOptionKeys } from "../../core/base/known-keys.ts";
import type { LoadedModels } from "./loaded-models.ts";
import type { MidtokenEngine } from "./midtoken-engine.ts";
import { requestErrorOf } from "./start-requests.ts";

export function createReadLayers(models: LoadedModels): MidtokenEngine["readLayers"] {
  return async (model, query, options = {}) => {
    checkOptionKeys("readLayers", options, { signal: true, onPlace: true, onOpening: true });
    const { signal } = options;
    signal?.throwIfAborted();
    const entry = models.get(model);
    models.use(entry);
    try {
      await untilAborted(entry.loading, signal);
      return await entry.session.readLayers(query, options);
    } catch (error) {
      signal?.throwIfAborted();
      throw requestErrorOf(error);
    }
  };
}
