import { readFileSync } from "node:fs";
import { join } from "node:path";
import { expect, test } from "vitest";
import { dtypeSuffixes, modelGraphPath } from "../src/runtime/engine/base/dtype.ts";
import { ModelFileError } from "../src/runtime/engine/base/model-file-error.ts";
import { readDescription } from "../src/runtime/engine/files/files.ts";
import { isModelFile } from "./model-files.ts";

const folder = "public/models/stories260k";

test("everything that the engine asks for is served", async () => {
  const asked: string[] = [];
  await readDescription({
    address: folder,
    read: async (file) => {
      asked.push(file);
      // Without its template there, the model is asked for the one that has a file of its own.
      if (file === "tokenizer_config.json") throw new ModelFileError("not there", file, 404);
      try {
        return new Uint8Array(readFileSync(join(folder, file)));
      } catch {
        throw new ModelFileError("not there", file, 404);
      }
    },
    open: () => Promise.reject(new Error("A description has no large files.")),
    list: () => Promise.reject(new Error("A description asks for its files by name.")),
  });
  const graphs = Object.keys(dtypeSuffixes).map(modelGraphPath);
  const weights = graphs.flatMap((graph) => [`${graph}_data`, `${graph}_data_1`, `${graph}.data`]);
  expect(asked).toContain("chat_template.jinja");
  const all = [...asked, ...graphs, ...weights].map((file) => ["tiny", ...file.split("/")]);
  expect(all.filter((names) => !isModelFile(names))).toEqual([]);
});
