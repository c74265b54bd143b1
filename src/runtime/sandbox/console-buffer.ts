/** Collects a guest's console lines for the trace, up to a limit. An honest guest keeps to the limit by itself. */
import type { ConsoleLine } from "../../core/decoder/ports/mod-host.ts";
import { messageLimits } from "./protocol.ts";

/** Characters reserved for the last line, which says that lines were left out. */
const lastLine = 256;

export class ConsoleBuffer {
  #lines: ConsoleLine[] = [];
  #room: number = messageLimits.console + lastLine;

  keep(lines: readonly ConsoleLine[]): void {
    for (const line of lines) {
      this.#room -= line.text.length;
      if (this.#room >= 0) this.#lines.push(line);
    }
  }

  /** Returns the lines since the last call. */
  take(): readonly ConsoleLine[] {
    const taken = this.#lines;
    this.#lines = [];
    return taken;
  }
}
