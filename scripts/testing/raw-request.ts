/** One request to a server of this process, sent as it is: `fetch` would follow redirects, tidy the path and choose the host. */
import { request, type Server } from "node:http";
import type { AddressInfo } from "node:net";

export interface RawResponse {
  readonly status: number;
  readonly body: string;
  readonly headers: Readonly<Record<string, unknown>>;
}

export function rawRequest(
  server: Server,
  path: string,
  headers: Readonly<Record<string, string>> = {},
  method = "GET",
): Promise<RawResponse> {
  const { port } = server.address() as AddressInfo;
  return new Promise((resolve, reject) => {
    request({ host: "127.0.0.1", port, path, headers, method, agent: false }, (response) => {
      let body = "";
      response.on("data", (chunk) => {
        body += chunk;
      });
      response.on("end", () =>
        resolve({ status: response.statusCode ?? 0, body, headers: response.headers }),
      );
    })
      .on("error", reject)
      .end();
  });
}
