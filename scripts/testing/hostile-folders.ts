/** Folders as an attacker would like them: a page, models, and what lies beside both and must never be served. */
import { execFileSync } from "node:child_process";
import { mkdirSync, mkdtempSync, symlinkSync, truncateSync, writeFileSync } from "node:fs";
import { tmpdir } from "node:os";
import { dirname, join } from "node:path";

/** Stands in every file that must not be served. */
export const secret = "SECRET-5f2c91";

/** Endings of what a browser runs, shows as a document, or takes styles and policies from. */
export const executableEndings = [
  "html",
  "htm",
  "shtml",
  "xhtml",
  "xht",
  "svg",
  "svgz",
  "xml",
  "xsl",
  "mht",
  "mhtml",
  "pdf",
  "js",
  "mjs",
  "cjs",
  "wasm",
  "css",
  "webmanifest",
  "swf",
  "hta",
];

/** What it leaves behind where it runs: in a page, in a module or in a worker. */
const program = `globalThis.pwned = true; try { localStorage.setItem("pwned", "1"); } catch {} try { postMessage("pwned"); } catch {}`;
const script = `<script>${program}</script>`;

export interface HostileFolders {
  readonly page: string;
  /** A link to the folder of models: as a user may give it. */
  readonly models: string;
}

export function makeHostileFolders(): HostileFolders {
  const root = mkdtempSync(join(tmpdir(), "midtoken-hostile-"));
  const write = (path: string, content: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    writeFileSync(join(root, path), content);
  };
  const link = (path: string, target: string) => {
    mkdirSync(dirname(join(root, path)), { recursive: true });
    symlinkSync(join(root, target), join(root, path));
  };
  write("outside/secret.txt", secret);
  write("outside/config.json", secret);
  write("outside/onnx/model.onnx", secret);

  write("page/index.html", "<p>home</p>");
  write("page/assets/app.js", "0;");
  write("page/empty.css", "");
  write("page/folder/index.html", "<p>folder</p>");
  write("page/bare/file.json", "{}");
  write("page/.git/config", secret);
  write("page/.env", secret);
  write("page/folder/.htpasswd", secret);
  link("page/secret.txt", "outside/secret.txt");
  link("page/linked", "outside");
  link("page/git.txt", "page/.git/config");

  for (const file of ["config.json", "generation_config.json", "tokenizer.json", "tokenizer_config.json"])
    write(`disk/good/${file}`, "{}");
  write("disk/good/chat_template.jinja", `${script}{{ bos_token }}`);
  write("disk/good/onnx/model.onnx", "0123456789");
  write("disk/good/onnx/model_q4.onnx_data", "0123456789");
  write("disk/good/onnx/model_q4.onnx_data_1", "0123456789");
  mkdirSync(join(root, "disk/good/onnx/model_int8.onnx"));
  // More than what sockets hold for a client that does not read; it takes no room on the disk.
  write("disk/good/onnx/large.onnx", "");
  truncateSync(join(root, "disk/good/onnx/large.onnx"), 256e6);
  write("disk/good/README.md", secret);
  write("disk/good/expected.json", secret);
  write("disk/good/pytorch_model.bin", secret);
  write("disk/good/.git/config", secret);
  write("disk/good/.git/config.json", secret);
  write("disk/good/onnx/.cache/model.onnx", secret);
  write("disk/good/.config.json", secret);
  write("disk/.hidden/config.json", secret);
  write("disk/secret.json", secret);

  for (const ending of executableEndings) {
    const isProgram = ["js", "mjs", "cjs"].includes(ending);
    write(`disk/evil/index.${ending}`, isProgram ? `${program} // ${secret}` : `${script}${secret}`);
    write(`disk/evil/onnx/model.onnx.${ending}`, `${script}${secret}`);
  }
  // What is served although its text is hostile: data all the same.
  write("disk/evil/config.json", `<!doctype html>${script}`);
  write("disk/evil/tokenizer.json", program);
  write("disk/evil/onnx/model.onnx", `<!doctype html>${script}`);

  link("disk/out/config.json", "outside/config.json");
  link("disk/outfolder", "outside");
  link("disk/out/onnx", "outside/onnx");
  link("disk/inside", "disk/good");
  link("disk/dotted/config.json", "disk/good/.git/config");
  link("disk/loop/config.json", "disk/loop/config.json");
  mkdirSync(join(root, "disk/pipe"));
  // A pipe would make whoever opens it wait for ever. Windows has none.
  if (process.platform !== "win32") execFileSync("mkfifo", [join(root, "disk/pipe/config.json")]);
  link("models", "disk");
  return { page: join(root, "page"), models: join(root, "models") };
}
