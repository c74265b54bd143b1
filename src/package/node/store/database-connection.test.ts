/** Messages about a database have no part of its password. */
import { expect, test } from "vitest";
import { databaseAddressWithoutSecrets } from "./database-connection.ts";
import { openStore } from "./open-store.ts";

test.each([
  ["postgres://user:secret@db.example:5432/data?sslmode=require", "postgres://db.example:5432/data"],
  ["postgres://user:secret@db/data", "postgres://db/data"],
  ["redis://127.0.0.1:6379", "redis://127.0.0.1:6379"],
  ["redis://:secret@db", "redis://db"],
])("%s is called %s", (address, name) => {
  expect(databaseAddressWithoutSecrets(address)).toBe(name);
});

test.each(["postgres://user:12#eim@db", "postgres://user:12/eim@db", "redis://:12?eim@db"])(
  "%s is refused, because a program that reads it connects to another host",
  async (address) => {
    await expect(openStore(address)).rejects.toThrow(
      "The store's address …@db is not a valid address. In its password, write / as %2F",
    );
  },
);
