import { createServer } from "node:http";
import { pipeline, Readable } from "node:stream";
import { createNodeEngine } from "midtoken/node";
import { createFetchHandler } from "midtoken/openai";

const [model = "onnx-community/SmolLM2-135M-Instruct-ONNX", port = "8080"] = process.argv.slice(2);
// The server listens at once. A request that comes while the model loads waits.
const loading = createNodeEngine({ model }).then((engine) => createFetchHandler(engine));

const server = createServer(async (request, response) => {
  const { method, headers } = request;
  const body = method === "POST" ? Readable.toWeb(request) : null;
  const address = new URL(request.url, "http://127.0.0.1");
  const handle = await loading;
  const answer = await handle(new Request(address, { method, headers, body, duplex: "half" }));
  response.writeHead(answer.status, Object.fromEntries(answer.headers));
  if (answer.body === null) response.end();
  // A client that leaves ends its stream, and the stream its request.
  else pipeline(Readable.fromWeb(answer.body), response, () => {});
});
server.listen(Number(port), "127.0.0.1", () => {
  console.log(`http://127.0.0.1:${server.address().port}/v1`);
});
