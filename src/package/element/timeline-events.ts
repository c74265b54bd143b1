/** The events of `<token-timeline>`, and the element's base class. */
import type { Selection } from "../../core/trace/model/selection.ts";

/** The details of the element's events. */
export interface TokenTimelineEventMap {
  /** The run is complete. */
  load: CustomEvent<{ readonly tokens: number }>;
  /** A run cannot be shown, or the followed request failed. */
  error: CustomEvent<{ readonly error: Error }>;
  /** The selection changed, by the user or because a run begins. Indices count from 0. */
  tokenselect: CustomEvent<{ readonly selection: Selection | null; readonly text: string }>;
}

/** A server has no HTMLElement, so the class gets an empty base class there. */
const ElementBase: typeof HTMLElement = globalThis.HTMLElement ?? (class {} as unknown as typeof HTMLElement);

/** An element whose `addEventListener` has types for these events. */
export class TimelineEventTarget extends ElementBase {
  override addEventListener<Name extends keyof TokenTimelineEventMap>(
    type: Name,
    listener: (event: TokenTimelineEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener<Name extends keyof HTMLElementEventMap>(
    type: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void;
  override addEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | AddEventListenerOptions,
  ): void {
    super.addEventListener(type, listener, options);
  }

  override removeEventListener<Name extends keyof TokenTimelineEventMap>(
    type: Name,
    listener: (event: TokenTimelineEventMap[Name]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener<Name extends keyof HTMLElementEventMap>(
    type: Name,
    listener: (event: HTMLElementEventMap[Name]) => void,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void;
  override removeEventListener(
    type: string,
    listener: EventListenerOrEventListenerObject,
    options?: boolean | EventListenerOptions,
  ): void {
    super.removeEventListener(type, listener, options);
  }
}
