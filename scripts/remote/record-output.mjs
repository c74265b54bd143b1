/**
 * Preloaded into each process of a test run by `npm run remote -- keys`: records what Midtoken itself writes (files, responses, standard
 * output, terminals of tests), and every key that a client sends. Servers and files of tests are left out: a test's own server may
 * repeat a key, and a key file has one.
 */
import diagnostics from "node:diagnostics_channel";
import fs from "node:fs";
import http from "node:http";
import { syncBuiltinESMExports } from "node:module";
import { join } from "node:path";

const folder = process.env.MIDTOKEN_RECORDED ?? "";
const { openSync, writeSync } = fs;
const files = new Map();

/** By `writeSync`: `appendFileSync` calls a function that is watched. */
function note(kind, data) {
  const file = files.get(kind) ?? openSync(join(folder, `${kind}-${process.pid}`), "a");
  files.set(kind, file);
  writeSync(file, data);
}

/** Whether the caller's nearest file is one of the product, and not of a test or of a package. */
function isProduct() {
  const frames = new Error().stack?.split("\n").slice(1) ?? [];
  const nearest = frames.find((frame) => !/node:|record-output\.mjs/.test(frame)) ?? "";
  return /\/src\/|\.midtoken-gateway-/.test(nearest) && !/\.test\.ts|\/testing\//.test(nearest);
}

function noteOutput(data) {
  if (typeof data === "string" || ArrayBuffer.isView(data)) note("output", data);
}

/** Replaces a method by one that calls `before` with the arguments first. */
function watch(object, name, before) {
  const method = object[name];
  object[name] = function (...given) {
    before(given, this);
    return Reflect.apply(method, this, given);
  };
}

const ownServers = new WeakSet();
const { createServer } = http;
http.createServer = (...given) => {
  const server = createServer(...given);
  if (isProduct()) ownServers.add(server);
  return server;
};
watch(http.Server.prototype, "emit", ([event, incoming, response], server) => {
  if (event !== "request") return;
  const { authorization = "", "x-api-key": apiKey = "" } = incoming.headers;
  for (const key of [authorization.replace(/^Bearer /, ""), String(apiKey)])
    if (key) note("keys", `${key}\n`);
  if (!ownServers.has(server)) return;
  for (const name of ["write", "end"]) watch(response, name, ([data]) => noteOutput(data));
  watch(response, "writeHead", (given) => note("output", JSON.stringify(given)));
});
for (const name of ["writeFileSync", "appendFileSync"])
  watch(fs, name, ([, data]) => isProduct() && noteOutput(data));
for (const name of ["writeFile", "appendFile"])
  watch(fs.promises, name, ([, data]) => isProduct() && noteOutput(data));
for (const stream of [process.stdout, process.stderr]) watch(stream, "write", ([data]) => noteOutput(data));
diagnostics.subscribe("midtoken:terminal", (text) => note("output", text));
if (process.env.MIDTOKEN_ENGINE_KEY) note("keys", `${process.env.MIDTOKEN_ENGINE_KEY}\n`);
syncBuiltinESMExports();
