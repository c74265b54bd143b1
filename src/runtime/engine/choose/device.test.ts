import { expect, test } from "vitest";
import { isSoftwareAdapter } from "./device.ts";

/** An adapter as Chromium describes it: `device` and `description` are empty. */
function adapterWith(info: Partial<GPUAdapterInfo>, older: { isFallbackAdapter?: boolean } = {}): GPUAdapter {
  const names = { vendor: "", architecture: "", device: "", description: "" };
  return { info: { ...names, ...info }, ...older } as GPUAdapter;
}

test("an adapter without a telling name is software if the browser calls it a fallback", () => {
  expect(isSoftwareAdapter(adapterWith({ vendor: "mesa", isFallbackAdapter: true }))).toBe(true);
  expect(isSoftwareAdapter(adapterWith({ isFallbackAdapter: true }))).toBe(true);
  expect(isSoftwareAdapter(adapterWith({ vendor: "nvidia", isFallbackAdapter: false }))).toBe(false);
});

test("browsers that have the field at the adapter are heard too", () => {
  expect(isSoftwareAdapter(adapterWith({ vendor: "mesa" }, { isFallbackAdapter: true }))).toBe(true);
  expect(isSoftwareAdapter(adapterWith({ vendor: "nvidia" }, { isFallbackAdapter: false }))).toBe(false);
});

test("a name that tells software counts where the browser says nothing, or calls it no fallback", () => {
  expect(isSoftwareAdapter(adapterWith({ architecture: "swiftshader" }))).toBe(true);
  expect(
    isSoftwareAdapter(adapterWith({ description: "llvmpipe (LLVM 19)", isFallbackAdapter: false })),
  ).toBe(true);
  expect(isSoftwareAdapter(adapterWith({ vendor: "apple", architecture: "metal-3" }))).toBe(false);
});
