/** Files in memory, for tests. */
import type { FileTree } from "../file-tree.ts";

export interface MemoryTree extends FileTree {
  readonly files: Map<string, Uint8Array<ArrayBuffer>>;
  /** Capacity in bytes. A write beyond it fails as on a full disk. */
  limit: number;
}

export function createMemoryTree(): MemoryTree {
  const files = new Map<string, Uint8Array<ArrayBuffer>>();
  const below = (path: string): string[] =>
    [...files.keys()].filter((each) => path === "" || each === path || each.startsWith(`${path}/`));
  return {
    files,
    limit: Number.POSITIVE_INFINITY,
    async read(path) {
      const content = files.get(path);
      return content ? new Blob([content]) : null;
    },
    async write(path, content) {
      const others = [...files].filter(([each]) => each !== path);
      const used = others.reduce((sum, [, { length }]) => sum + length, 0);
      if (used + content.length > this.limit) {
        throw new DOMException("The disk is full.", "QuotaExceededError");
      }
      files.set(path, content.slice());
    },
    async remove(path) {
      for (const each of below(path)) files.delete(each);
    },
    async list(path) {
      const start = path === "" ? 0 : path.length + 1;
      const inside = below(path).filter((each) => each !== path);
      return [...new Set(inside.map((each) => each.slice(start).split("/")[0] as string))];
    },
  };
}
