/** The search for keys finds a key in each kind of output, and only in Midtoken's own. */
import { mkdirSync, mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { join } from "node:path";
import { expect, test } from "vitest";
import { searchLeakedKeysOfCommand } from "./search-keys.ts";

const key = "a-key-of-the-search-test";

/** A server that repeats the key in a header, in its answer and in a file; and a client. */
const leaking = `import { writeFileSync } from "node:fs";
import { writeFile } from "node:fs/promises";
import { createServer, request } from "node:http";
const server = createServer(async (incoming, response) => {
  const { authorization } = incoming.headers;
  writeFileSync(process.argv[2] + "1", authorization);
  await writeFile(process.argv[2] + "2", authorization);
  response.writeHead(200, { "x-key": authorization });
  response.write(authorization);
  response.end(authorization);
});
server.listen(0, "127.0.0.1", () => {
  const options = { port: server.address().port, headers: { authorization: "Bearer ${key}" } };
  request(options, (response) => response.resume().once("end", () => server.close())).end();
});
`;

test.each([
  ["src", 5],
  ["src/testing", 0],
])("of a program in %s, %i places are found", async (place, count) => {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-search-"));
  try {
    mkdirSync(join(folder, place), { recursive: true });
    const program = join(folder, place, "leaking.mjs");
    writeFileSync(program, leaking);
    const search = await searchLeakedKeysOfCommand([process.execPath, program, join(folder, "written")]);
    expect(search).toMatchObject({ keys: 1, hasPassed: true });
    expect(search.found).toHaveLength(count);
    expect(search.found.join()).not.toContain(key);
  } finally {
    rmSync(folder, { recursive: true });
  }
});
