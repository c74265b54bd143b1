/** One row of the event list. */
import type { MouseEvent } from "react";
import type { TraceModel } from "../../../core/trace/model/trace-model.ts";
import { recordOf } from "../../../core/trace/model/trace-view.ts";
import { showInvisibleCharacters } from "../../../core/trace/text/visible-text.ts";
import { formatDuration } from "../../ui/format.ts";
import { Icon } from "../../ui/icon.tsx";
import type { OpenSource } from "../step/call-entry.ts";
import { callRow, type EventRow, eventRow, noCallRecord } from "./event-rows.ts";
import { actionPart, faultPart, firstConsoleLinePart, noPart } from "./event-tree.ts";
import type { RowIdentity } from "./shown-rows.ts";

export interface EventLineProps {
  readonly id: string;
  readonly row: EventRow;
  readonly rowIndex: number;
  /** Whether the event is about the cursor's token, about another selected token, or about neither. */
  readonly choice: "cursor" | "range" | "none";
  readonly isActive: boolean;
  /** In a tree: the row's depth, from 1; and whether the rows below it are shown, null if there are none. */
  readonly level: number | null;
  readonly isOpen: boolean | null;
  readonly onToggle: () => void;
  readonly onChoose: (extend: boolean) => void;
  readonly onOpenSource: OpenSource | null;
}

export function EventLine(props: EventLineProps) {
  const { id, row, rowIndex, choice, isActive, level, isOpen, onToggle, onChoose, onOpenSource } = props;
  const classes = ["event", row.isEvent ? "event-own" : "event-call"];
  if (choice !== "none") classes.push(choice === "cursor" ? "event-selected" : "event-in-range");
  if (row.isFault) classes.push("event-fault");
  if (isActive) classes.push("event-active");
  return (
    <tr
      id={id}
      aria-rowindex={rowIndex}
      aria-selected={isActive}
      {...(level !== null && { "aria-level": level })}
      {...(isOpen !== null && { "aria-expanded": isOpen })}
      className={classes.join(" ")}
      onClick={({ shiftKey }: MouseEvent) => onChoose(shiftKey)}
    >
      <td>{row.timeUs === null ? "" : formatDuration(row.timeUs)}</td>
      <td>{row.isEvent ? row.step : ""}</td>
      <td
        className="event-name"
        translate="no"
        style={level === null ? undefined : { paddingLeft: (level - 1) * 16 }}
      >
        {level !== null && (
          // biome-ignore lint/a11y/useKeyWithClickEvents: the arrow keys open and close
          // biome-ignore lint/a11y/noStaticElementInteractions: the row itself says that it opens
          <span
            className={isOpen ? "event-toggle event-toggle-open" : "event-toggle"}
            onClick={(event) => {
              if (isOpen === null) return;
              event.stopPropagation();
              onToggle();
            }}
          >
            {isOpen !== null && <Icon name="right" />}
          </span>
        )}
        {showInvisibleCharacters(row.name)}
      </td>
      <td className="event-what" translate="no">
        {showInvisibleCharacters(row.what, 300)}
        {row.line !== null && onOpenSource && (
          <button
            type="button"
            className="link event-line"
            tabIndex={-1}
            onClick={(event) => {
              event.stopPropagation();
              onOpenSource(row.mod ?? 0, row.line);
            }}
          >
            line {row.line}
          </button>
        )}
      </td>
    </tr>
  );
}

/** The row of an event, of a call, or of a part of a call; null if the trace lacks the event. */
export function eventRowWithIdentity(
  trace: TraceModel,
  { event: number, call, part }: RowIdentity,
): EventRow | null {
  const event = trace.events[number];
  if (!event) return null;
  if (call === noCallRecord) return eventRow(trace, event);
  const row = callRow(trace, event, call);
  const record = recordOf(trace, call, "modCall");
  if (part === noPart || !record) return row;
  const below = { ...row, key: `${row.key} ${part}`, isFault: false };
  if (part === actionPart)
    return {
      ...below,
      name: "action",
      what: JSON.stringify(record.action).slice(0, 1000),
      line: record.line,
    };
  if (part === faultPart) {
    const { kind = "", message = "", line = null } = record.fault ?? {};
    return { ...below, name: "fault", what: `${kind}: ${message}`, line, isFault: true };
  }
  const logged = record.console[part - firstConsoleLinePart];
  return { ...below, name: logged?.level ?? "log", what: logged?.text ?? "", line: null };
}
