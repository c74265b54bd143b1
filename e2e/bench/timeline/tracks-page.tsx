/** The page's side of the bench of tracks: the real read pane over a run of a story, `tracksBench` on the window; with `?alone`, its overview and tracks. */
import "@fontsource-variable/inter/wght.css";
import "../../../src/page/app/app.css";
import { useState } from "react";
import { createRoot } from "react-dom/client";
import { useStore } from "zustand";
import type { TraceRecord } from "../../../src/core/trace/format/format.ts";
import { createTraceModel } from "../../../src/core/trace/model/trace-model.ts";
import { sampleTrace } from "../../../src/core/trace/testing/sample-trace.ts";
import { RunPane } from "../../../src/page/app/read/run-pane.tsx";
import { createPageStores } from "../../../src/page/app/store/page-stores.ts";
import { createRunStore } from "../../../src/page/app/store/run-store.ts";
import { createTestRunHandle } from "../../../src/page/app/store/testing/run-handle.ts";
import type { Session } from "../../../src/runtime/session/page-side/client.ts";
import type { RunRequest } from "../../../src/runtime/session/shared/requests.ts";
import { Overview } from "../../../src/view/timeline/overview/overview.tsx";
import { TracksPanel } from "../../../src/view/timeline/tracks/tracks-panel.tsx";
import { wholeRunView } from "../../../src/view/timeline/tracks/tracks-view.ts";
import { liveUpdateMs, useThrottledValue } from "../../../src/view/timeline/use-at-most-every.ts";

export type PanelName = "step" | "tracks" | "events";

export interface TracksBench {
  /** Shows a run of about so many tokens. Answers how many. */
  show(tokens: number): Promise<number>;
  /** Milliseconds from the click on the panel's tab to the frame after its first one. */
  open(panel: PanelName): Promise<number>;
  /** Ms between frames while the tracks are zoomed and panned at each. */
  frames(axis: "tokens" | "time", count: number): Promise<number[]>;
  /** Ms between frames while the text, or the list of events, is scrolled by so many px at each, there and back. */
  scroll(what: keyof typeof scrollers, px: number, count: number): Promise<number[]>;
  /** Rows of the list of events that is open. */
  eventRows(): number;
  /** Ms from a filter's last character to all rows that it finds, with the longest ms between two frames until then; and how many it finds. */
  filter(
    text: string,
  ): Promise<{ readonly ms: number; readonly longestFrame: number; readonly found: number }>;
  /** Px from the view of the text to its end. */
  toEnd(): number;
  /** Elements, texts and all else that the read pane is made of. */
  nodes(): number;
  /** Begins a run that has `before` tokens at once and then gets `count` more, one each `everyMs`. Answers when they are all there. */
  stream(before: number, count: number, everyMs: number): Promise<void>;
  /** Microseconds for each token to take all records of a run into the model, spans included. */
  appendUs(tokens: number): number;
}

declare global {
  var tracksBench: TracksBench;
}

const frame = () => new Promise<number>((resolve) => requestAnimationFrame(resolve));
const painted = async () => {
  await frame();
  await new Promise((resolve) => setTimeout(resolve, 0));
};

/** Takes a run whose records the bench gives. */
let give: (records: readonly TraceRecord[]) => void = () => {};
let end: () => void = () => {};
const session: Pick<Session, "run"> = {
  run(_request, onRecords) {
    give = onRecords;
    const done = new Promise<void>((resolve) => {
      end = resolve;
    });
    return createTestRunHandle(done);
  },
};
const run = createRunStore(session as Session);
const page = createPageStores();
const root = document.getElementById("root");
if (!root) throw new Error("No root.");

const nowhere = () => {};

/** The overview and the tracks without the rest of the pane. */
function TracksAlone() {
  const { trace, status, selection, select, ...state } = useStore(run);
  const [shown, setShown] = useState(wholeRunView);
  const running = status === "running";
  const version = useThrottledValue(state.version, running ? liveUpdateMs : 0);
  return (
    <section className="read">
      <Overview
        trace={trace}
        version={version}
        running={running}
        selection={selection}
        shown={null}
        onShow={nowhere}
        onSelect={select}
      />
      <TracksPanel
        trace={trace}
        version={version}
        running={running}
        selection={selection}
        shown={shown}
        onShow={setShown}
        onSelect={select}
      />
    </section>
  );
}

const isAlone = new URLSearchParams(location.search).has("alone");
createRoot(root).render(
  <div style={{ display: "flex", width: 740, height: 860 }}>
    {isAlone ? (
      <TracksAlone />
    ) : (
      <RunPane run={run} settings={page.settings} onOpenSource={null} onBranch={null} empty={null} />
    )}
  </div>,
);

const scrollers = { text: ".ribbon-scroll", events: ".events-scroll" } as const;

/** The text beside the filter: how many rows were found of how many, and how far the search is. */
const said = () => document.querySelector(".events-count")?.textContent ?? "";

/** Types into the filter, as React sees it. */
function write(text: string): void {
  const field = document.querySelector<HTMLInputElement>(".filter-input");
  Object.getOwnPropertyDescriptor(HTMLInputElement.prototype, "value")?.set?.call(field, text);
  field?.dispatchEvent(new Event("input", { bubbles: true }));
}

const surface = () => document.querySelector<HTMLElement>(".track-surface");

globalThis.tracksBench = {
  async show(tokens) {
    const trace = createTraceModel();
    trace.append(sampleTrace({ tokens }).records);
    run.getState().show(trace);
    await painted();
    return trace.tokens.text.length;
  },
  async open(panel) {
    const tab = document.getElementById(`panel-tab-${panel}`);
    const start = performance.now();
    tab?.click();
    while (panel === "tracks" && !surface()?.querySelector("canvas")?.width) await frame();
    while (panel === "events" && !document.querySelector(".event-table [aria-rowindex='2']")) await frame();
    await painted();
    return performance.now() - start;
  },
  async frames(axis, count) {
    const radio = [...document.querySelectorAll<HTMLInputElement>(".tracks-tools input")];
    radio[axis === "tokens" ? 0 : 1]?.click();
    await painted();
    const element = surface();
    const { left = 0, width = 1 } = element?.getBoundingClientRect() ?? {};
    const times: number[] = [];
    let before = await frame();
    for (let number = 0; number < count; number += 1) {
      // In, along, and out again: from the whole run to a few words of it.
      const zoom = [-60, 0, 60][Math.floor((number % 60) / 20)] ?? 0;
      const wheel = zoom === 0 ? { deltaX: 30 } : { deltaY: zoom, ctrlKey: true };
      element?.dispatchEvent(
        new WheelEvent("wheel", { ...wheel, clientX: left + width * 0.4, bubbles: true, cancelable: true }),
      );
      const now = await frame();
      times.push(now - before);
      before = now;
    }
    return times;
  },
  async scroll(what, px, count) {
    const box = document.querySelector(scrollers[what]);
    if (!box) throw new Error(`There is no ${what} to scroll.`);
    const times: number[] = [];
    let down = true;
    let before = await frame();
    for (let number = 0; number < count; number += 1) {
      if (box.scrollTop + box.clientHeight >= box.scrollHeight - 1) down = false;
      else if (box.scrollTop <= 0) down = true;
      box.scrollTop += down ? px : -px;
      const now = await frame();
      times.push(now - before);
      before = now;
    }
    return times;
  },
  eventRows: () => Number(document.querySelector(".event-table")?.getAttribute("aria-rowcount")) - 1,
  async filter(text) {
    write("");
    while (said().includes(" of ")) await frame();
    write(text);
    const start = performance.now();
    let [before, longestFrame] = [await frame(), 0];
    while (!said().includes(" of ") || said().includes("%")) {
      const now = await frame();
      longestFrame = Math.max(longestFrame, now - before);
      before = now;
    }
    const found = Number(said().split(" ")[0]?.replaceAll(",", ""));
    return { ms: performance.now() - start, longestFrame, found };
  },
  toEnd() {
    const box = document.querySelector(".ribbon-scroll");
    return box ? box.scrollHeight - box.scrollTop - box.clientHeight : Number.NaN;
  },
  nodes() {
    const walker = document.createTreeWalker(root, NodeFilter.SHOW_ALL);
    let count = 0;
    while (walker.nextNode()) count += 1;
    return count;
  },
  async stream(before, count, everyMs) {
    const { records } = sampleTrace({ tokens: before + count });
    let added = 0;
    const groups: TraceRecord[][] = [[]];
    for (const record of records) {
      if (record.type === "finished") break;
      groups.at(-1)?.push(record);
      if (record.type !== "added") continue;
      added += 1;
      if (added >= before) groups.push([]);
    }
    run.getState().run({} as RunRequest, []);
    give(groups[0] ?? []);
    await painted();
    await painted();
    performance.mark("stream");
    const start = performance.now();
    for (let number = 1; number <= count && number < groups.length; number += 1) {
      const wait = start + number * everyMs - performance.now();
      if (wait > 0) await new Promise((resolve) => setTimeout(resolve, wait));
      give(groups[number] ?? []);
    }
    await painted();
    end();
  },
  appendUs(tokens) {
    const { records } = sampleTrace({ tokens });
    const start = performance.now();
    const trace = createTraceModel();
    for (const record of records) trace.append([record]);
    return ((performance.now() - start) * 1000) / trace.tokens.text.length;
  },
};
