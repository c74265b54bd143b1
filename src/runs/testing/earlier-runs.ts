/** The database in which earlier versions of the page kept the last run of each tab. */
import { openDB } from "idb";

/** Keeps values by their keys as these versions did. */
export async function keepAsEarlier(values: Readonly<Record<string, unknown>>): Promise<void> {
  const database = await openDB("midtoken.v1", 1, {
    upgrade: (opened) => void opened.createObjectStore("runs"),
  });
  for (const [key, value] of Object.entries(values)) await database.put("runs", value, key);
  database.close();
}
