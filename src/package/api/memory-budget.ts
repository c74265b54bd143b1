/** Re-exports the models' memory and its default budget, because the page may import only from `src/package/api`. */
export {
  defaultMemoryBudget,
  deviceMemoryBytes,
  type EngineMemory,
} from "../../runtime/session/shared/memory-budget.ts";
