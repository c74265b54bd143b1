import { expect, test } from "vitest";
import {
  canPauseDownload,
  layersOpeningLabels,
  loadingLabels,
  pausedDownloadLabels,
} from "./loading-labels.ts";

const file = (loadedBytes: number, totalBytes: number, fromCache = false) => ({
  file: "onnx/model.onnx",
  loadedBytes,
  totalBytes,
  fromCache,
});

test.each([
  [[file(0, 100_000_000)], 0, "0% · 0 B of 100 MB"],
  [[file(25_000_000, 100_000_000)], 5000, "25% · 25 MB of 100 MB · 5.0 MB/s · 15.0 s left"],
  [[file(99_999_999, 100_000_000)], 5000, "99% · 100 MB of 100 MB · 20 MB/s · 0.00 ms left"],
  [[file(100_000_000, 100_000_000, true)], 5000, "100% · 100 MB of 100 MB"],
])("%j after %i ms: %s", (files, nowMs, metrics) => {
  expect(loadingLabels({ type: "loading", stage: "download", files, startedMs: 0, nowMs })).toEqual({
    doing: "Loading the model …",
    metrics,
    share: expect.any(Number),
  });
});

test.each([[[]], [[{ ...file(9, 9), file: "config.json" }]]])(
  "before the weights are known there are no figures: %j",
  (files) => {
    expect(loadingLabels({ type: "loading", stage: "download", files, startedMs: 0, nowMs: 0 })).toEqual({
      doing: "Loading the model …",
      metrics: "",
      share: null,
    });
  },
);

test("what follows the download has no figures", () => {
  const status = {
    type: "loading",
    stage: "compile",
    files: [file(5, 5)],
    startedMs: 0,
    nowMs: 9000,
  } as const;
  expect(loadingLabels(status)).toEqual({
    doing: "Preparing the model for this device …",
    metrics: "",
    share: null,
  });
});

const resumed = (resumedBytes: number) => ({ ...file(70_000_000, 100_000_000), resumedBytes });

test.each([
  [[resumed(63_900_000)], "Loading the model, continuing from 63% …"],
  [
    [file(50_000_000, 50_000_000, true), { ...resumed(10_000_000), file: "onnx/model.onnx_data" }],
    "Loading the model, continuing from 40% …",
  ],
  [[resumed(0)], "Loading the model …"],
  [[{ ...file(100, 100, true), resumedBytes: 100 }], "Loading the model …"],
])("where an earlier download had come to: %j", (files, doing) => {
  const status = { type: "loading", stage: "download", files, startedMs: 0, nowMs: 5000 } as const;
  expect(loadingLabels(status).doing).toBe(doing);
});

test.each([
  ["a download that is kept", "download", [resumed(0)], true],
  ["one of which nothing is kept", "download", [file(5, 100)], false],
  ["one that is there", "download", [{ ...file(100, 100), resumedBytes: 0 }], false],
  ["files that were kept", "download", [{ ...file(100, 100, true), resumedBytes: 100 }], false],
  ["one of unknown size", "download", [{ ...file(5, 0), resumedBytes: 0 }], true],
  ["what follows it", "compile", [resumed(0)], false],
] as const)("may rest: %s", (_, stage, files, may) => {
  expect(canPauseDownload({ type: "loading", stage, files, startedMs: 0, nowMs: 0 })).toBe(may);
});

test("a download that rests says what is there", () => {
  expect(pausedDownloadLabels([file(100, 100, true), resumed(0)])).toEqual({
    doing: "Paused at 70%.",
    metrics: "70 MB of 100 MB saved.",
    share: expect.closeTo(0.7, 2),
  });
});

test("layers that are opened: since when, and what still comes", () => {
  const progress = { stage: "download", ...file(60e6, 140e6), fromCache: false } as const;
  expect(layersOpeningLabels({ startedMs: 0, progress: null }, 1234, 1)).toEqual({
    doing: "Preparing the model’s layers for this mod …",
    metrics: "1.2 s",
    share: null,
  });
  expect(layersOpeningLabels({ startedMs: 0, progress }, 50, 2)).toEqual({
    doing: "Preparing the model’s layers for these mods …",
    metrics: "60 MB of 140 MB · 0.1 s",
    share: 60 / 140,
  });
  for (const other of [{ fromCache: true }, { file: "config.json" }, { stage: "compile" as const }])
    expect(layersOpeningLabels({ startedMs: 0, progress: { ...progress, ...other } }, 0, 1)).toMatchObject({
      metrics: "0.0 s",
      share: null,
    });
});
