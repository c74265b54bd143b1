/** `npm run bench -- remote [--json] [--only NAME,…]`: a model on a llama.cpp server against the same model here. */
import { parseArgs } from "node:util";
import { findLlamaServer, llamaServerRequirement } from "../../scripts/remote/find-server.ts";
import { connectionRows } from "./remote/connections.ts";
import { conversationRows } from "./remote/conversations.ts";
import { gatewayRows } from "./remote/gateway.ts";
import { optionRows } from "./remote/gateway-options.ts";
import { overheadRows } from "./remote/overhead.ts";
import { smolLm2Rows } from "./remote/smollm2.ts";
import { storyRows } from "./remote/story.ts";
import { allStreamRows } from "./remote/stream.ts";
import { runSections } from "./sections.ts";

const { values: options } = parseArgs({
  options: { json: { type: "boolean", default: false }, only: { type: "string" } },
});
if (!findLlamaServer()) {
  console.error(`Skipped: ${llamaServerRequirement}.`);
  process.exit(0);
}
const sections = {
  story: storyRows,
  smollm2: smolLm2Rows,
  overhead: overheadRows,
  stream: allStreamRows,
  gateway: gatewayRows,
  options: optionRows,
  connections: connectionRows,
  conversations: conversationRows,
};
await runSections("remote", sections, options);
