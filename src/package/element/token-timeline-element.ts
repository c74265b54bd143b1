/** `<token-timeline>`: draws a run, with what mods did to it, in any page. It executes nothing of the run. */
import { createElement } from "react";
import { createRoot, type Root } from "react-dom/client";
import type { Trace } from "../../core/trace/format/format.ts";
import { parseSelection, type Selection } from "../../core/trace/model/selection.ts";
import { openingSelection } from "../../view/timeline/ribbon/ribbon-cells.ts";
import { adoptStyles } from "./styles.ts";
import { createTimelineController, type TimelineController } from "./timeline-controller.ts";
import { TimelineEventTarget, type TokenTimelineEventMap } from "./timeline-events.ts";
import { selectedText } from "./timeline-labels.ts";
import {
  nameOrDefault,
  panelNames,
  type TimelineOptions,
  type TimelinePanel,
  type TimelineTheme,
  timelineThemes,
  timelineViews,
  type TimelineView as ViewName,
} from "./timeline-options.ts";
import type { RequestsOwner, TimelineSource, TraceFile } from "./timeline-source.ts";
import type { TimelineStatus } from "./timeline-state.ts";
import { TimelineView } from "./timeline-view.tsx";

const ownProperties = [
  "src",
  "file",
  "trace",
  "engine",
  "request",
  "view",
  "panel",
  "theme",
  "shade",
  "fold",
  "selection",
] as const;

export class TokenTimelineElement extends TimelineEventTarget {
  static readonly observedAttributes: readonly string[] = ["src", "view", "panel", "shade", "fold", "select"];

  #controller: TimelineController | null = null;
  #root: Root | null = null;
  #source: TimelineSource | null = null;
  /** Whether the source is being shown. If not, it is shown when the element is added to a page. */
  #isShown = false;
  /** The selection that `select` requested, until the run has these tokens. */
  #wanted: Selection | null = null;
  #engine: RequestsOwner | null = null;
  #request: string | null = null;

  /** A permalink, its fragment (`#t1.…`), or the address of a `.trace` file. Mirrors the attribute. */
  get src(): string {
    return this.getAttribute("src") ?? "";
  }
  set src(address: string | null) {
    this.#name("src", address);
  }

  /** A file with a run: a File from an input or a drop, or bytes. */
  get file(): TraceFile | null {
    return this.#source?.type === "file" ? this.#source.file : null;
  }
  set file(file: TraceFile | null) {
    if (file !== this.file) this.#take("file", file && { type: "file", file });
  }

  /** A trace as data, from `midtoken/trace` or `engine.requests.trace(id)`. It is checked before it is shown. */
  get trace(): Trace | null {
    return this.#source?.type === "trace" ? this.#source.trace : null;
  }
  set trace(trace: Trace | null) {
    if (trace !== this.trace) this.#take("trace", trace && { type: "trace", trace });
  }

  /** The engine whose request (`request`) is followed while it runs. If `request` is null, the newest request is followed. */
  get engine(): RequestsOwner | null {
    return this.#engine;
  }
  set engine(engine: RequestsOwner | null) {
    if (engine === this.#engine) return;
    this.#engine = engine;
    this.#take("request", engine && { type: "request", engine, id: this.#request });
  }

  /** The id of the followed request of `engine`; null for the newest one. */
  get request(): string | null {
    return this.#request;
  }
  set request(id: string | null) {
    const next = id || null;
    if (next === this.#request) return;
    this.#request = next;
    if (this.#engine) this.#take("request", { type: "request", engine: this.#engine, id: next });
  }

  /** The drawn view: "text" by default, or "full". */
  get view(): ViewName {
    return nameOrDefault(timelineViews, this.getAttribute("view"));
  }
  set view(view: ViewName | null) {
    this.#name("view", view);
  }

  /** The panel that is open in the full view; by default "step". */
  get panel(): TimelinePanel {
    return nameOrDefault(panelNames, this.getAttribute("panel"));
  }
  set panel(panel: TimelinePanel | null) {
    this.#name("panel", panel);
  }

  get theme(): TimelineTheme {
    return nameOrDefault(timelineThemes, this.getAttribute("theme"));
  }
  set theme(theme: TimelineTheme | null) {
    this.#name("theme", theme);
  }

  /** Whether words are shaded by how little the model expected them. */
  get shade(): boolean {
    return this.hasAttribute("shade");
  }
  set shade(isShaded: boolean) {
    this.toggleAttribute("shade", Boolean(isShaded));
  }

  /** Whether removed text is folded away. */
  get fold(): boolean {
    return this.hasAttribute("fold");
  }
  set fold(isFolded: boolean) {
    this.toggleAttribute("fold", Boolean(isFolded));
  }

  /** The selected tokens, by index from 0; null for none. Tokens that the shown run does not have yet are selected when the run has them. */
  get selection(): Selection | null {
    return this.#controller?.store.get().selection ?? this.#wanted;
  }
  set selection(selection: Selection | null) {
    this.#wanted = selection;
    if (this.#controller?.select(selection)) this.#wanted = null;
  }

  /** The state of the shown run. */
  get status(): TimelineStatus {
    return this.#controller?.store.get().status ?? "empty";
  }

  /** Why the run is not, or not completely, shown; null if nothing failed. */
  get error(): Error | null {
    return this.#controller?.store.get().error ?? null;
  }

  /** Reads the source again, for example after a failure of the network. */
  reload(): void {
    this.#isShown = false;
    this.#showSource();
  }

  connectedCallback(): void {
    for (const name of ownProperties) this.#upgrade(name);
    if (this.#controller === null) this.#begin();
    this.#draw();
    this.#showSource();
  }

  /** The element moved within the page, so nothing is read again. */
  connectedMoveCallback(): void {}

  disconnectedCallback(): void {
    // Moving an element removes it and adds it again within one task.
    queueMicrotask(() => {
      if (this.isConnected) return;
      this.#controller?.stop();
      const { status } = this;
      if (status !== "finished" && status !== "failed") this.#isShown = false;
      this.#root?.unmount();
      this.#root = null;
    });
  }

  adoptedCallback(): void {
    if (this.shadowRoot) adoptStyles(this.shadowRoot);
  }

  attributeChangedCallback(name: string, before: string | null, text: string | null): void {
    if (before === text) return;
    if (name === "src") {
      if (text !== null) this.#take("address", { type: "address", address: text });
      else this.#take("address", null);
    } else if (name === "select") this.#selectNamed(text);
    else {
      if (name === "view") this.#selectFirst();
      if (this.#root) this.#draw();
    }
  }

  /**
   * Selects the first change by a mod if nothing was selected, as on Midtoken's page, so that the panels have a token
   * to explain.
   */
  #selectFirst(): void {
    const { status, trace, selection } = this.#controller?.store.get() ?? {};
    if (this.view !== "full" || status !== "finished" || !trace || selection) return;
    this.#controller?.select(openingSelection(trace));
  }

  #name(attribute: string, text: string | null | undefined): void {
    if (text === null || text === undefined || text === "") this.removeAttribute(attribute);
    else this.setAttribute(attribute, text);
  }

  #selectNamed(text: string | null): void {
    const selection = text === null ? null : parseSelection(text);
    if (text !== null && selection === null)
      console.warn(
        `<token-timeline select="${text.slice(0, 40)}"> is neither a token (13) nor a range of tokens (13-40).`,
      );
    this.selection = selection;
  }

  /** A property that was set before the element was defined hides the class's own property, so it is set again. */
  #upgrade(name: (typeof ownProperties)[number]): void {
    if (!Object.hasOwn(this, name)) return;
    const self = this as unknown as Record<string, unknown>;
    const value = self[name];
    delete self[name];
    self[name] = value;
  }

  /** The source that was set last is shown. Removing a source that is not shown has no effect. */
  #take(type: TimelineSource["type"], source: TimelineSource | null): void {
    if (source === null && this.#source?.type !== type) return;
    this.#source = source;
    this.#isShown = false;
    if (this.isConnected) this.#showSource();
  }

  #showSource(): void {
    if (this.#isShown || !this.#controller || !this.isConnected) return;
    this.#isShown = true;
    this.#controller.show(this.#source, this.ownerDocument.baseURI);
    this.#draw();
  }

  #begin(): void {
    this.#controller = createTimelineController();
    const { store, select } = this.#controller;
    this.attachShadow({ mode: "open" });
    let before = store.get();
    store.subscribe(() => {
      const state = store.get();
      const { selection, status, trace, error } = state;
      const hadSelection = before.selection;
      const isNews = status !== before.status || trace !== before.trace;
      before = state;
      const wanted = this.#wanted;
      this.#wanted = null;
      if (wanted && !(trace && select(wanted))) this.#wanted = wanted;
      if (selection !== hadSelection) this.#tell("tokenselect", { selection, text: selectedText(state) });
      if (!isNews) return;
      this.#selectFirst();
      if (status === "finished") this.#tell("load", { tokens: trace?.tokens.text.length ?? 0 });
      if (status === "failed" && error) this.#tell("error", { error });
    });
  }

  #tell<Name extends keyof TokenTimelineEventMap>(
    name: Name,
    detail: TokenTimelineEventMap[Name]["detail"],
  ): void {
    this.dispatchEvent(new CustomEvent(name, { detail }));
  }

  #draw(): void {
    const { shadowRoot } = this;
    if (!this.#controller || !shadowRoot) return;
    adoptStyles(shadowRoot);
    this.#root ??= createRoot(shadowRoot);
    const { select, store } = this.#controller;
    const { view, panel, shade, fold } = this;
    this.#root.render(
      createElement(TimelineView, {
        store,
        view,
        panel,
        shade,
        fold,
        onSelect: (selection: Selection) => void select(selection),
        onChange: (changes: Partial<TimelineOptions>) => void Object.assign(this, changes),
        onRetry: this.#source?.type === "address" ? () => this.reload() : null,
      }),
    );
  }
}
