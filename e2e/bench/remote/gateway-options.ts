/** Measures the cost of metrics and of a watching mod in a gateway of 16 requests at once: the mod in sandboxes, and trusted. */
import { mkdtempSync, rmSync, writeFileSync } from "node:fs";
import { loadavg, tmpdir } from "node:os";
import { basename, join } from "node:path";
import { type StartGateway, withGatewayScripts } from "../../../scripts/testing/gateway-process.ts";
import { type BenchRow, figure } from "../machine.ts";
import { median } from "../statistics.ts";
import { storyFolder, withServer, writeStory } from "./servers.ts";
import { inTurns, shareOf, throughGateway } from "./streamed-load.ts";

const atOnce = 16;
const tokens = 150;
const rounds = 5;
const listed = ["--listed", "64"];

const watcher = `import { mod } from "midtoken/mod";
export default mod({ added: () => undefined });
`;

export async function* optionRows(): AsyncIterable<BenchRow[]> {
  const folder = mkdtempSync(join(tmpdir(), "midtoken-options-"));
  const file = join(folder, "watcher.ts");
  writeFileSync(file, watcher);
  try {
    yield await withServer(writeStory, { slots: atOnce }, ({ url }) =>
      withGatewayScripts((start) => rowsOf(start, url, file)),
    );
  } finally {
    rmSync(folder, { recursive: true, force: true });
  }
}

async function rowsOf(start: StartGateway, url: string, mod: string): Promise<BenchRow[]> {
  const stops: (() => Promise<void>)[] = [];
  const serving = async (words: readonly string[], name = "") => {
    const gateway = await start({ engines: [url], model: storyFolder, words: [...listed, ...words] });
    stops.push(gateway.stop);
    const model = `${basename(storyFolder)}${name}`;
    return throughGateway({ address: gateway.address, model, tokens, temperature: 0 });
  };
  try {
    const { plain, metrics, sandboxed, trusted } = await inTurns(
      {
        plain: await serving([]),
        metrics: await serving(["--metrics"]),
        sandboxed: await serving(["--mod", mod], "/watcher"),
        trusted: await serving(["--mod", mod, "--trusted-mods"], "/watcher"),
      },
      atOnce,
      rounds,
    );
    const about = `gateway, bundled model, ${atOnce} at once`;
    return [
      figure(`${about}: without metrics and mods`, median(plain), "tokens/s"),
      figure(`${about}: with --metrics, over without`, shareOf(metrics, plain), "times"),
      figure(`${about}: with a watching mod in sandboxes, over without`, shareOf(sandboxed, plain), "times"),
      figure(`${about}: with a trusted watching mod, over without`, shareOf(trusted, plain), "times"),
      figure(`${about}: load of the machine in the last minute`, loadavg()[0] ?? 0, ""),
    ];
  } finally {
    for (const stop of stops) await stop();
  }
}
