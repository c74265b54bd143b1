/** `console` inside a mod: its lines are sent with the next reply, up to a limit. */
import { messageLimits, type WireConsoleLine } from "./protocol.ts";
import { defineBuiltIns } from "./virtual-clock.ts";

const levels = [
  "debug",
  "log",
  "info",
  "warn",
  "error",
] as const satisfies readonly WireConsoleLine["level"][];
const longestLine = 8_192;

export interface GuestConsole {
  write(level: WireConsoleLine["level"], text: string): void;
  /** Returns the lines since the last call. */
  take(): readonly WireConsoleLine[];
}

/** Puts a `console` with debug, log, info, warn, error, trace, dir, table and assert into the realm. */
export function installConsole(realm: typeof globalThis): GuestConsole {
  let lines: WireConsoleLine[] = [];
  let room: number = messageLimits.console;
  let linesLeft: number = messageLimits.consoleLines - 1;

  function write(level: WireConsoleLine["level"], text: string): void {
    if (room < 0) return;
    const line = text.length > longestLine ? `${text.slice(0, longestLine)}…` : text;
    room -= line.length;
    if (room >= 0 && linesLeft-- > 0) {
      lines.push({ level, text: line });
      return;
    }
    room = -1;
    lines.push({
      level: "warn",
      text: `The console shows at most ${messageLimits.console} characters; the rest is left out.`,
    });
  }

  const writers = levels.map((level) => [
    level,
    (...values: unknown[]) => write(level, values.map(describe).join(" ")),
  ]);
  const log = (...values: unknown[]) => write("log", values.map(describe).join(" "));
  const assert = (condition: unknown, ...values: unknown[]) => {
    if (!condition) write("error", ["Assertion failed:", ...values.map(describe)].join(" "));
  };
  defineBuiltIns(realm, {
    console: { ...Object.fromEntries(writers), trace: log, dir: log, table: log, assert },
  });
  return {
    write,
    take() {
      const taken = lines;
      lines = [];
      return taken;
    },
  };
}

const deepest = 4;
const widest = 100;

/** A value as text for a developer. Never throws: if a value cannot be read, the text says this. */
function describe(value: unknown): string {
  try {
    return typeof value === "string" ? value : inspect(value, 0, []);
  } catch {
    return "[a value that cannot be shown]";
  }
}

function inspect(value: unknown, depth: number, outer: readonly unknown[]): string {
  if (typeof value === "string") return JSON.stringify(value);
  if (typeof value === "bigint") return `${value}n`;
  if (typeof value === "function") return `[function ${value.name || "without a name"}]`;
  if (typeof value !== "object" || value === null) return Object.is(value, -0) ? "-0" : String(value);
  if (value instanceof Error) return `${value.name}: ${value.message}`;
  if (outer.includes(value)) return "[circular]";
  if (depth >= deepest) return "…";
  const inner = (item: unknown) => inspect(item, depth + 1, [...outer, value]);
  if (value instanceof Map) return `Map {${some(value, ([key, item]) => `${inner(key)} => ${inner(item)}`)}}`;
  if (value instanceof Set) return `Set {${some(value, inner)}}`;
  if (Array.isArray(value)) return `[${some(value, inner)}]`;
  if (ArrayBuffer.isView(value) && !(value instanceof DataView)) {
    return `${value.constructor.name}(${(value as Uint8Array).length}) [${some(value as Uint8Array, inner)}]`;
  }
  if (value instanceof Date) return value.toString();
  return `{${some(Object.entries(value), ([name, item]) => `${name}: ${inner(item)}`)}}`;
}

function some<Item>(items: Iterable<Item>, show: (item: Item) => string): string {
  const shown: string[] = [];
  for (const item of items) {
    if (shown.length === widest) {
      shown.push("…");
      break;
    }
    shown.push(show(item));
  }
  return shown.join(", ");
}
