/** Servers and models of the bench, ended and removed after a section. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import {
  type LlamaServerOptions,
  type RunningLlamaServer,
  startLlamaServer,
} from "../../../scripts/remote/start-server.ts";
import { storyGguf } from "../../../scripts/remote/story-gguf.ts";

/** Calls `work` with a server that runs the file which `write` makes. */
export async function withServer<Result>(
  write: (path: string) => void,
  options: Omit<LlamaServerOptions, "model">,
  work: (server: RunningLlamaServer) => Promise<Result>,
): Promise<Result> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-remote-"));
  try {
    const model = join(folder, "model.gguf");
    write(model);
    const server = await startLlamaServer({ model, ...options });
    try {
      return await work(server);
    } finally {
      await server.stop();
    }
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

export const writeStory = (path: string): void => writeFileSync(path, storyGguf());

export const storyFolder = "public/models/stories260k";

export const storyReference = {
  id: "stories260k",
  url: "file:///stories260k/",
  revision: null,
  dtype: { webgpu: "fp32", wasm: "fp32" },
};

export const smolLm2Reference = {
  id: "smollm2-135m-instruct",
  url: "file:///smollm2/",
  revision: null,
  dtype: { webgpu: "int8", wasm: "int8" },
};
