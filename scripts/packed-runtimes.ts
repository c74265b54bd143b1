/**
 * Compresses ONNX Runtime's binaries with gzip: `…asyncify.wasm` has 25.62 MiB, and common static hosts refuse files over 25 MiB.
 * Compressed, the three binaries have 14 MB instead of 58. `src/runtime/engine/ort/wasm-binary.ts` decompresses them.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const folder = resolve(import.meta.dirname, "../node_modules/.cache/midtoken-runtimes");

/**
 * Path of the compressed binary, which is made once for each version of the binary. @param name a file of onnxruntime-web, for
 * example "ort-wasm-simd-threaded.wasm"
 */
export function packRuntime(name: string): string {
  const binary = readFileSync(createRequire(import.meta.url).resolve(`onnxruntime-web/${name}`));
  const version = createHash("sha256").update(binary).digest("hex").slice(0, 16);
  const path = resolve(folder, version, `${name}.gz`);
  if (existsSync(path)) return path;
  mkdirSync(resolve(folder, version), { recursive: true });
  // Written under another name and renamed, because another process may read the file meanwhile.
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, gzipSync(binary, { level: 9 }));
  renameSync(aside, path);
  return path;
}

const packed = /^onnxruntime-web\/(.+\.wasm)\.gz\?url$/;

/** The address of the binary in ONNX Runtime's scripts: Vite would copy the uncompressed file because of it. */
const ownBinary = /new URL\("(ort-wasm-[\w.-]+\.wasm)",\s*import\.meta\.url\)/g;

/** For Vite: `onnxruntime-web/NAME.wasm.gz?url` is the address of the compressed binary, in dev and in a build. */
export function packedRuntimes(): Plugin {
  return {
    name: "midtoken-packed-runtimes",
    enforce: "pre",
    resolveId(source) {
      const name = packed.exec(source)?.[1];
      return name === undefined ? null : `${packRuntime(name)}?url`;
    },
    transform(code, id) {
      if (!id.includes("/onnxruntime-web/dist/")) return null;
      // The engine always passes the binary to ONNX Runtime, so this address is never fetched.
      return { code: code.replaceAll(ownBinary, 'new URL("$1",self.location.href)'), map: null };
    },
  };
}
