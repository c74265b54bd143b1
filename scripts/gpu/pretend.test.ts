import { expect, test } from "vitest";
import { debianReleaseOfMesa } from "./pretend.ts";

test("Debian 12 takes Debian 13's Mesa and C library, a newer Debian its own", () => {
  expect(debianReleaseOfMesa('NAME="Debian GNU/Linux"\nVERSION_CODENAME=bookworm\n')).toEqual({
    mesa: "trixie",
    needsNewerLibc: true,
  });
  expect(debianReleaseOfMesa("VERSION_CODENAME=trixie\n")).toEqual({ mesa: "trixie", needsNewerLibc: false });
  expect(() => debianReleaseOfMesa("NAME=Alpine\n")).toThrow("names no Debian release");
});
