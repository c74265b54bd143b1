import { expect, test } from "vitest";
import { type AdapterRecord, adapterText, isSoftware, whyNoGraphicsCard } from "./adapter-record.ts";

const card: AdapterRecord = {
  vendor: "nvidia",
  architecture: "hopper",
  device: "0x2330",
  description: "NVIDIA H100",
  isFallback: false,
  subgroups: [32, 32],
  features: ["shader-f16", "subgroups"],
};
const software: AdapterRecord = {
  vendor: "google",
  architecture: "swiftshader",
  device: "",
  description: "",
  isFallback: true,
  subgroups: null,
  features: [],
};

test("an adapter is named in a line, with what it can do", () => {
  expect(adapterText(card)).toBe("nvidia hopper, 0x2330, NVIDIA H100, shader-f16, subgroups of 32 to 32");
  expect(adapterText(software)).toBe("google swiftshader, software, no shader-f16, no subgroups");
  expect(adapterText(null)).toBe("no adapter");
});

test("a card that was asked for is there, or the sentence says what is in its place", () => {
  expect(whyNoGraphicsCard(card)).toBeNull();
  expect(whyNoGraphicsCard(software)).toMatch(/Chromium offers google swiftshader, software/);
  expect(whyNoGraphicsCard(null)).toMatch(/Chromium offers no adapter/);
});

test("software that poses as a card is known by its name", () => {
  expect([card, software].map(isSoftware)).toEqual([false, true]);
  expect(isSoftware({ ...card, description: "NVIDIA H100 (pretended)" })).toBe(true);
  expect(isSoftware({ ...card, device: "llvmpipe (LLVM 19.1.7, 256 bits)" })).toBe(true);
});
