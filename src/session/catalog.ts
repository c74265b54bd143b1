/** The models that the page offers: those of models.json, and those of the folder that `npm start -- --models DIR` serves. */
import modelList from "../../models.json";
import { type CatalogEntry, type CatalogFile, parseCatalog } from "../engine/catalog.ts";
import { graphPath } from "../engine/files.ts";

export type { CatalogEntry };

/** @throws Error when models.json or the server's list is not what it should be. */
export async function listModels(page: string = document.baseURI): Promise<readonly CatalogEntry[]> {
  const response = await fetch(new URL("local-models.json", page));
  if (!response.ok) throw new Error(`local-models.json answered ${response.status}. Reload the page.`);
  return [...parseCatalog(modelList, page), ...parseLocalModels(await response.json(), page)];
}

/** Entries of `local-models.json`, which the local server writes. @throws Error that names what is wrong. */
export function parseLocalModels(json: unknown, page: string): CatalogEntry[] {
  if (!Array.isArray(json)) throw new Error("local-models.json is not a list. Restart the server.");
  return json.map((model: unknown) => {
    const { id, url, dtype, bytes, contextLength, files } = model as Record<string, unknown>;
    const { webgpu, wasm } = (dtype ?? {}) as Record<string, unknown>;
    if (
      typeof id !== "string" ||
      typeof url !== "string" ||
      typeof webgpu !== "string" ||
      typeof wasm !== "string"
    ) {
      throw new Error(
        `local-models.json has an entry that cannot be used: ${JSON.stringify(model)}. Restart the server.`,
      );
    }
    for (const name of [webgpu, wasm]) graphPath(name);
    return {
      title: id,
      description: "In the folder that npm start was given with --models.",
      reference: { id, url: new URL(url, page).href, revision: null, dtype: { webgpu, wasm } },
      origin: "folder",
      hub: null,
      licence: "licence as its folder says",
      contextLength: typeof contextLength === "number" ? contextLength : 0,
      downloadBytes: typeof bytes === "number" ? bytes : 0,
      needs: [],
      suggestedPrompt: "",
      ...(Array.isArray(files) && { files: files.filter(isFile) }),
    };
  });
}

function isFile(value: unknown): value is CatalogFile {
  const { path, bytes } = (value ?? {}) as Record<string, unknown>;
  return typeof path === "string" && typeof bytes === "number" && bytes >= 0;
}
