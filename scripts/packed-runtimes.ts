/**
 * ONNX Runtime's binaries, packed with gzip: `…asyncify.wasm` is 25.62 MiB, and common static hosts refuse files over 25 MiB.
 * Packed, the three binaries are 14 MB in place of 58. `src/runtime/engine/ort/wasm-binary.ts` unpacks them.
 */
import { createHash } from "node:crypto";
import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from "node:fs";
import { createRequire } from "node:module";
import { resolve } from "node:path";
import { gzipSync } from "node:zlib";
import type { Plugin } from "vite";

const folder = resolve(import.meta.dirname, "../node_modules/.cache/midtoken-runtimes");

/**
 * Path of the packed binary, which is made once for each version of the binary.
 * @param name of a file of onnxruntime-web, for example "ort-wasm-simd-threaded.wasm".
 */
export function packedRuntime(name: string): string {
  const binary = readFileSync(createRequire(import.meta.url).resolve(`onnxruntime-web/${name}`));
  const version = createHash("sha256").update(binary).digest("hex").slice(0, 16);
  const path = resolve(folder, version, `${name}.gz`);
  if (existsSync(path)) return path;
  mkdirSync(resolve(folder, version), { recursive: true });
  // Written aside and renamed: another process may read the file meanwhile.
  const aside = `${path}.${process.pid}`;
  writeFileSync(aside, gzipSync(binary, { level: 9 }));
  renameSync(aside, path);
  return path;
}

const packed = /^onnxruntime-web\/(.+\.wasm)\.gz\?url$/;

/** How ONNX Runtime's scripts name the binary that they would fetch themselves: Vite would take it along, unpacked. */
const ownBinary = /new URL\("(ort-wasm-[\w.-]+\.wasm)",\s*import\.meta\.url\)/g;

/** For Vite: `onnxruntime-web/NAME.wasm.gz?url` is the address of the packed binary, in dev and in a build. */
export function packedRuntimes(): Plugin {
  return {
    name: "midtoken-packed-runtimes",
    enforce: "pre",
    resolveId(source) {
      const name = packed.exec(source)?.[1];
      return name === undefined ? null : `${packedRuntime(name)}?url`;
    },
    transform(code, id) {
      if (!id.includes("/onnxruntime-web/dist/")) return null;
      // The engine always hands the binary over, so nothing is fetched from this address.
      return { code: code.replaceAll(ownBinary, 'new URL("$1",self.location.href)'), map: null };
    },
  };
}
