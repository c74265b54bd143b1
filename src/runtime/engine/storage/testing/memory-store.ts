/** A store in memory, for tests. */
import { createLocalLocks } from "../locks.ts";
import { ModelStore, type ModelStoreOptions } from "../model-store.ts";
import { createMemoryTree, type MemoryTree } from "./memory-tree.ts";

export interface MemoryModelStore {
  readonly store: ModelStore;
  readonly tree: MemoryTree;
}

export function createMemoryModelStore(
  options: Partial<ModelStoreOptions> & { readonly tree?: MemoryTree } = {},
): MemoryModelStore {
  const tree = options.tree ?? createMemoryTree();
  return { tree, store: new ModelStore({ locks: createLocalLocks(), ...options, tree }) };
}
