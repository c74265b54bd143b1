/** Writes folders of models in which some work never ends. Also the bundled model's output, for a check that requests still work afterwards. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";
import { type EndlessKind, endlessModel } from "../../../runtime/engine/testing/endless-models.ts";

export const prompt = "Once upon a time";
export const messages = [{ role: "user", content: prompt }] as const;
/** Twelve tokens of the bundled model at temperature 0. */
export const storyOutput = ", there was a little girl named Lily. She";

export interface HangingModelFolders {
  /** Path of the folder. Its name, which is the model's id, is the kind with dashes. */
  of(kind: EndlessKind): string;
  remove(): void;
}

export function makeHangingModelFolders(): HangingModelFolders {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-endless-"));
  return {
    of(kind) {
      const root = join(folder, kind.replaceAll(" ", "-"));
      for (const [path, bytes] of endlessModel(kind)) {
        mkdirSync(dirname(join(root, path)), { recursive: true });
        writeFileSync(join(root, path), bytes);
      }
      return root;
    },
    remove: () => rmSync(folder, { recursive: true }),
  };
}
