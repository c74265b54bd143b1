import { expect, test } from "vitest";
import { createTestCatalogEntry } from "../store/testing/test-stores.ts";
import { modelRows } from "./model-rows.ts";

test("each model stands once, kept or not, also those of no list", () => {
  const listed = [
    createTestCatalogEntry("own"),
    createTestCatalogEntry("far", { origin: "hub" }),
    createTestCatalogEntry("near", { origin: "folder" }),
  ];
  const none = { partialFiles: [], commit: null, newer: null };
  const kept = [
    { url: "http://localhost/far/", bytes: 10, files: 3, ...none },
    { url: "https://huggingface.co/who/what/resolve/main/", bytes: 20, files: 5, ...none },
    { url: "https://huggingface.co/who/what/resolve/v1/", bytes: 20, files: 5, ...none },
    { url: "https://models.org/a%20b/%ZZ/", bytes: 1, files: 1, ...none },
  ];
  const rows = modelRows(listed, kept).map(({ title, entry, cached: have, comesWithPage }) => [
    title,
    entry !== null,
    have?.bytes ?? null,
    comesWithPage,
  ]);
  expect(rows).toEqual([
    ["own", true, null, true],
    ["far", true, 10, false],
    ["who/what", false, 20, false],
    ["who/what, revision v1", false, 20, false],
    ["models.org/a%20b/%ZZ", false, 1, false],
    ["near", true, null, false],
  ]);
});
