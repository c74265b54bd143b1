/**
 * Sends the records of all requests of one turn of the event loop as one message: each message wakes the thread that reads it, and
 * 16 requests of a model on a server have records in nearly every turn.
 */
import type { Transferred } from "../../core/base/transferred.ts";
import type { EngineMessage } from "../../runtime/session/shared/protocol.ts";

type Post = (message: EngineMessage | readonly EngineMessage[], transfer: Transferred[]) => void;

/** Every other message is sent at once, after the records before it. */
export function gatherRecords(
  post: Post,
  afterTurn: (work: () => void) => void = setImmediate,
): (message: EngineMessage, transfer: Transferred[]) => void {
  let records: EngineMessage[] = [];
  const flush = (): void => {
    const gathered = records;
    records = [];
    if (gathered.length > 0) post(gathered, []);
  };
  return (message, transfer) => {
    if (message.type === "records") {
      if (records.length === 0) afterTurn(flush);
      records.push(message);
      return;
    }
    flush();
    post(message, transfer);
  };
}
