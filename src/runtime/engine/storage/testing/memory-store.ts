/** A store in memory, for tests. */
import { createLocalLocks } from "../locks.ts";
import { ModelStore, type ModelStoreOptions } from "../model-store.ts";
import { type MemoryTree, memoryTree } from "./memory-tree.ts";

export interface MemoryStore {
  readonly store: ModelStore;
  readonly tree: MemoryTree;
}

export function memoryStore(
  options: Partial<ModelStoreOptions> & { readonly tree?: MemoryTree } = {},
): MemoryStore {
  const tree = options.tree ?? memoryTree();
  return { tree, store: new ModelStore({ locks: createLocalLocks(), ...options, tree }) };
}
