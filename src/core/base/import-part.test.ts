import { expect, test } from "vitest";
import { importProgramPart, ProgramPartError } from "./import-part.ts";

const fails = (message: string) => () => Promise.reject<{ Editor: string }>(new TypeError(message));
const never = () => Promise.reject(new Error("not asked"));

test("a piece that comes is the piece", async () => {
  expect(await importProgramPart("The editor", async () => ({ Editor: "it" }), "Editor", never)).toEqual({
    Editor: "it",
  });
});

test.each([
  ["Chromium", "Failed to fetch dynamically imported module: http://host/assets/editor-1a.js"],
  ["Firefox", "error loading dynamically imported module: http://host/assets/editor-1a.js"],
])("what %s remembers as failed is asked for under a fresh address", async (_browser, message) => {
  const asked: string[] = [];
  const fresh = async (address: string) => {
    asked.push(address);
    return { Editor: "fresh" };
  };
  const first = await importProgramPart("The editor", fails(message), "Editor", fresh);
  expect(first).toEqual({ Editor: "fresh" });
  await importProgramPart("The editor", fails(message), "Editor", fresh);
  expect(new Set(asked).size).toBe(2);
  expect(asked[0]).toMatch(/^http:\/\/host\/assets\/editor-1a\.js\?again=\d+$/);
});

test.each([
  ["it does not come either", "Failed to fetch dynamically imported module: http://host/a.js", never],
  [
    "it is another piece",
    "error loading dynamically imported module: http://host/b.js",
    async () => ({ x: 1 }),
  ],
  ["no address is told", "Importing a module script failed.", never],
])("an error for people when %s", async (_what, message, fresh) => {
  const error = await importProgramPart("The editor", fails(message), "Editor", fresh).catch(
    (cause: unknown) => cause,
  );
  expect(error).toBeInstanceOf(ProgramPartError);
  expect(error).toMatchObject({ message: "The editor could not be fetched.", cause: { message } });
});

test("a style sheet is not asked for as a script", async () => {
  const asked: string[] = [];
  const fresh = async (address: string) => {
    asked.push(address);
    return { Editor: "fresh" };
  };
  const message = "Unable to preload CSS for http://host/assets/editor-1a.css";
  await expect(importProgramPart("The editor", fails(message), "Editor", fresh)).rejects.toThrow(
    ProgramPartError,
  );
  expect(asked).toEqual([]);
});

test("what a piece throws when it starts is no matter of fetching", async () => {
  await expect(
    importProgramPart("The editor", fails("x is not a function"), "Editor", never),
  ).rejects.toThrow("x is not a function");
});
