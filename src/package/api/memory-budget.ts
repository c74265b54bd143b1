/** What models take of the device's memory, and how much they may where nothing else is said. */
export {
  defaultMemoryBudget,
  deviceMemoryBytes,
  type EngineMemory,
} from "../../runtime/session/shared/memory-budget.ts";
