/** Sends bytes over a plain socket exactly as given, unlike any HTTP client. */
import { connect, type Socket } from "node:net";

export interface RawResponse {
  /** 0 if there was no response. */
  readonly status: number;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
  /** All received bytes, including the heads of further responses. */
  readonly all: string;
}

/** Sends the bytes and reads until the server closes the connection. `onOpen` is called when the bytes are written. */
export function rawExchange(
  host: string,
  port: number,
  bytes: string | Uint8Array,
  onOpen?: (socket: Socket) => void,
): Promise<RawResponse> {
  return new Promise((resolve, reject) => {
    const socket = connect(port, host, () => {
      socket.write(bytes);
      onOpen?.(socket);
    });
    let all = "";
    socket.setEncoding("latin1").on("data", (text) => {
      all += text;
    });
    // The server may close the connection while the rest of a request is still being sent: its response counts.
    socket.on("error", (error) => (all === "" ? reject(error) : undefined));
    socket.on("close", () => resolve(parse(all)));
  });
}

function parse(all: string): RawResponse {
  const [head = "", ...rest] = all.split("\r\n\r\n");
  const [line = "", ...lines] = head.split("\r\n");
  const headers = lines.map((each) => {
    const colon = each.indexOf(":");
    return [each.slice(0, colon).toLowerCase(), each.slice(colon + 1).trim()];
  });
  return {
    status: Number(line.split(" ")[1] ?? 0),
    headers: Object.fromEntries(headers),
    body: rest.join("\r\n\r\n"),
    all,
  };
}
