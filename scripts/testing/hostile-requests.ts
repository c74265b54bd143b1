/** Requests to the local server over `hostile-folders.ts`, each as it goes over the wire, with the status that it must get. */
import { executableEndings } from "./hostile-folders.ts";

export interface HostileRequest {
  readonly name: string;
  /** Sent as it is. */
  readonly bytes: string;
  readonly status: number;
}

type Headers = Readonly<Record<string, string>>;

function raw(line: string, status: number, headers: Headers = {}, content = ""): HostileRequest {
  const all = { Host: "127.0.0.1:4173", Connection: "close", ...headers };
  const lines = Object.entries(all).map(([name, value]) => `${name}: ${value}\r\n`);
  const shown = Object.entries(headers).map(([name, value]) => `${name}: ${value.slice(0, 40)}`);
  return {
    name: [line.slice(0, 90), ...shown].join(" | "),
    bytes: `${line}\r\n${lines.join("")}\r\n${content}`,
    status,
  };
}

const get = (target: string, status: number, headers: Headers = {}) =>
  raw(`GET ${target} HTTP/1.1`, status, headers);
const each = <T>(values: readonly T[], request: (value: T) => HostileRequest | HostileRequest[]) =>
  values.flatMap(request);

/** What a browser would run, under every name that might slip through. */
const executable = [
  ...each(executableEndings, (ending) => [
    get(`/models/evil/index.${ending}`, 403),
    get(`/models/evil/onnx/model.onnx.${ending}`, 403),
    get(`/models/evil/onnx/../index.${ending}`, 400),
  ]),
  ...each(
    [
      "/models/evil/",
      "/models/evil",
      "/models/",
      "/models/evil/onnx/",
      "/models/evil/index.html/config.json",
    ],
    (target) => get(target, target.endsWith("config.json") ? 404 : 403),
  ),
  ...each(
    [
      "index.HTML",
      "index.html.",
      "index.html%20",
      "index%2ehtml",
      "index.html;.onnx",
      "index.html%3F.json",
      "index.html%23config.json",
      "index.html?/config.json",
      "index.html#config.json",
    ],
    (name) => get(`/models/evil/${name}`, 403),
  ),
  get("/models/evil/index.html%00config.json", 400),
  get("/models/evil/index.html%2fconfig.json", 400),
  get("/models/evil/index.html%0aconfig.json", 400),
  get("/models/evil/Config.json", 403),
  get("/models/evil/config.json", 200),
  get("/models/evil/config.json", 200, { Accept: "text/html", "Sec-Fetch-Dest": "document" }),
  get("/models/evil/tokenizer.json", 200, { "Sec-Fetch-Dest": "script" }),
  get("/models/evil/onnx/model.onnx", 200, { "Sec-Fetch-Dest": "iframe" }),
  get("/%6dodels/evil/index.html", 403),
  get("/models%2Fevil/index.html", 400),
  get("/Models/evil/index.html", 404),
];

/** The user's own, served as data. */
const honest = [
  ...each(
    [
      "config.json",
      "generation_config.json",
      "tokenizer.json",
      "tokenizer_config.json",
      "chat_template.jinja",
      "onnx/model.onnx",
      "onnx/model_q4.onnx_data",
      "onnx/model_q4.onnx_data_1",
    ],
    (file) => get(`/models/good/${file}`, 200),
  ),
  get("/models/inside/config.json", 200),
  get("/", 200),
  get("/index.html?x=1", 200),
  get("/assets/app.js", 200),
  get("/empty.css", 200),
  get("/folder/", 200),
  get("/models.json", 200),
  raw("HEAD /models/good/onnx/model.onnx HTTP/1.1", 200),
  raw("HEAD /models.json HTTP/1.1", 200),
];

/** Paths out of the folders, and to what is hidden in them. */
const paths = [
  ...each(
    [
      "/../outside/secret.txt",
      "/models/../../outside/secret.txt",
      "/%2e%2e/outside/secret.txt",
      "/.%2e/outside/secret.txt",
      "/models/%2E%2E/%2E%2E/outside/config.json",
      "/..%2foutside%2fsecret.txt",
      "/models/..%2f..%2foutside%2fconfig.json",
      "/..%5coutside%5csecret.txt",
      "/..\\outside\\secret.txt",
      "\\..\\outside\\secret.txt",
      "/models/good/..%5c..%5c..%5coutside%5cconfig.json",
      "/%c0%ae%c0%ae/outside/secret.txt",
      "/%c0%af../outside/secret.txt",
      "/%u002e%u002e/outside/secret.txt",
      "/secret.txt%00.html",
      "/%zz",
      "/%",
      "/index.html%0d%0aX-Injected:%201",
      "/./index.html",
      "/folder/../index.html",
      "/folder//index.html",
      "//127.0.0.1:4999/",
      "//evil.example/index.html",
      "///etc/passwd",
      "/%2F127.0.0.1:4999%2F..",
      "/%5C127.0.0.1:4999%5C..",
      "/%2Fevil.example",
      "/\\evil.example",
      "/folder/%2e%2e",
      "/%2e",
      "/.git/config",
      "/%2egit/config",
      "/.env",
      "/folder/.htpasswd",
      "/models/.hidden/config.json",
      "/models/good/.git/config",
      "/models/good/.git/config.json",
      "/models/good/.config.json",
      "/models/good/onnx/.cache/model.onnx",
      "/models/good/%2egit/config.json",
      "/models/good/onnx/..",
    ],
    (target) => get(target, 400),
  ),
  ...each(
    [
      "/%252e%252e/outside/secret.txt",
      "/%252e%252e%252foutside%252fsecret.txt",
      "/models/good/config.json%2500",
      "/~root/secret.txt",
      "/C:/outside/secret.txt",
      "/index.html/",
      "/index.html/x",
      "/secret.txt",
      "/linked/secret.txt",
      "/linked/",
      "/linked",
      "/git.txt",
      "/bare/",
      `/${"a".repeat(300)}`,
      `/${"a/".repeat(4000)}`,
      "/constructor",
      "/__proto__",
      "/models.json/",
    ],
    (target) => get(target, target.startsWith("/models/") ? 403 : 404),
  ),
  ...each(["README.md", "expected.json", "pytorch_model.bin", "onnx", "onnx/", ""], (file) =>
    get(`/models/good/${file}`, 403),
  ),
  get("/models/secret.json", 403),
  get("/models/out/config.json", 403),
  get("/models/out/onnx/model.onnx", 403),
  get("/models/outfolder/config.json", 403),
  get("/models/dotted/config.json", 403),
  get("/models/loop/config.json", 404),
  get("/models/pipe/config.json", 404),
  get("/models/good/onnx/model_int8.onnx", 404),
  get("/folder", 301),
  get("/folder?//evil.example", 301),
  get("/models", 404),
];

/** Names that a stranger's page could have, and hosts that are none. */
const hosts = [
  ...each(
    ["localhost", "LOCALHOST:80", "127.0.0.1", "127.9.9.9:1", "[::1]:4173", "midtoken.test:4173"],
    (host) => get("/models/good/config.json", 200, { Host: host }),
  ),
  ...each(
    [
      "evil.example",
      "evil.example:4173",
      "127.0.0.1.evil.example",
      "localhost.evil.example",
      "evil-localhost",
      "localhost.",
      "sub.localhost",
      "0.0.0.0",
      "192.168.1.2",
      "169.254.169.254",
      "2130706433",
      "0x7f000001",
      "127.1",
      "[::ffff:127.0.0.1]",
      "[::2]",
    ],
    (host) => get("/models.json", 421, { Host: host }),
  ),
  ...each(
    [
      "127.0.0.1@evil.example",
      "",
      "a b",
      "localhost:port",
      "localhost:123456",
      "[127.0.0.1]",
      "[::1",
      "localhost/x",
    ],
    (host) => get("/models.json", 400, { Host: host }),
  ),
  get("/", 421, { Host: "evil.example", "X-Forwarded-Host": "localhost" }),
  get("/", 200, { "X-Forwarded-Host": "evil.example", Forwarded: "host=evil.example" }),
  raw("GET / HTTP/1.1", 400, { Host: "localhost\r\nHost: evil.example" }),
  { name: "HTTP/1.1 without Host", bytes: "GET / HTTP/1.1\r\n\r\n", status: 400 },
  { name: "HTTP/1.0 without Host", bytes: "GET /models.json HTTP/1.0\r\n\r\n", status: 400 },
  raw("GET / HTTP/1.0", 200),
  get("http://evil.example/index.html", 400),
  get("http://127.0.0.1:4173/index.html", 400),
  get("http://evil.example/index.html", 421, { Host: "evil.example" }),
  get("file:///etc/passwd", 400),
  get("javascript:alert(1)", 400),
  get("*", 400),
  get("?x", 400),
  get("index.html", 400),
];

/** Other methods, contents, and heads that are none. */
const methods = [
  ...each(
    ["POST", "PUT", "DELETE", "PATCH", "OPTIONS", "TRACE", "PROPFIND", "MKCOL", "COPY", "PURGE"],
    (method) => raw(`${method} /models/good/config.json HTTP/1.1`, 405),
  ),
  raw("OPTIONS * HTTP/1.1", 405),
  raw("OPTIONS /models/good/config.json HTTP/1.1", 405, {
    Origin: "http://evil.example",
    "Access-Control-Request-Private-Network": "true",
  }),
  ...each(["get", "GARBAGE", "GET\t", "G\0T"], (method) => raw(`${method} / HTTP/1.1`, 400)),
  raw("GET / HTTP/9.9", 400),
  raw("GET /a b HTTP/1.1", 400),
  raw("GET / HTTP/1.1", 413, { "Content-Length": "5" }, "hello"),
  raw("GET / HTTP/1.1", 413, { "Content-Length": "1000000000" }),
  raw("GET / HTTP/1.1", 413, { "Transfer-Encoding": "chunked" }, "5\r\nhello\r\n0\r\n\r\n"),
  raw("GET / HTTP/1.1", 400, { "Content-Length": "5", "Transfer-Encoding": "chunked" }),
  raw("GET / HTTP/1.1", 400, { "Content-Length": "-1" }),
  raw("GET / HTTP/1.1", 413, { Expect: "100-continue", "Content-Length": "9" }),
  raw("GET / HTTP/1.1", 200, { Upgrade: "websocket", Connection: "Upgrade, close" }),
  raw("GET / HTTP/1.1", 200, { Upgrade: "h2c", Connection: "Upgrade, HTTP2-Settings, close" }),
  get("/", 431, { Cookie: "a".repeat(20_000) }),
  get(`/${"a".repeat(20_000)}`, 431),
  get("/", 200, Object.fromEntries(Array.from({ length: 500 }, (_, index) => [`X-${index}`, "1"]))),
  raw("GET / HTTP/1.1\r\n folded: line", 400),
  raw("GET / HTTP/1.1\nHost: evil.example", 400),
  get("/", 400, { "X-Bad": "a\0b" }),
];

const graph = "/models/good/onnx/model.onnx";

/** Parts of a file, and versions of it. */
const ranges = [
  ...each(
    ["bytes=2-4", "bytes=-3", "bytes=0-", "bytes=9-", "bytes=0-99999999999999999999", "bytes=-99"],
    (range) => get(graph, 206, { Range: range }),
  ),
  ...each(["bytes=10-", "bytes=20-30", "bytes=-0", "bytes=99999999999999999999-"], (range) =>
    get(graph, 416, { Range: range }),
  ),
  ...each(
    [
      "bytes=5-2",
      "bytes=-",
      "bytes=a-b",
      "bytes=1.5-2",
      "bytes=-1-2",
      "bytes=0-1,3-4",
      `bytes=${"0-,".repeat(4000)}0-`,
      "items=0-1",
      "bytes 0-1",
      "bytes=0x1-0x2",
      "bytes=1e1-",
    ],
    (range) => get(graph, 200, { Range: range }),
  ),
  get("/empty.css", 416, { Range: "bytes=0-" }),
  get(graph, 200, { Range: "bytes=2-4", "If-Range": '"another"' }),
  get(graph, 200, { Range: "bytes=2-4", "If-Range": "Wed, 21 Oct 2065 07:28:00 GMT" }),
  raw(`HEAD ${graph} HTTP/1.1`, 200, { Range: "bytes=2-4" }),
  get("/models/evil/index.html", 403, { Range: "bytes=0-" }),
  get("/models/out/config.json", 403, { Range: "bytes=0-3" }),
  get(graph, 304, { "If-None-Match": "*" }),
  get(graph, 200, { "If-None-Match": '"another", W/"third"' }),
  get(graph, 200, { "If-Modified-Since": "Wed, 21 Oct 2065 07:28:00 GMT" }),
  get("/models/evil/index.html", 403, { "If-None-Match": "*" }),
];

export const hostileRequests: readonly HostileRequest[] = [
  ...executable,
  ...honest,
  ...paths,
  ...hosts,
  ...methods,
  ...ranges,
];
