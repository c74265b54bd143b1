/** Forwards messages between a guest and the engine's side, and records the guest's messages. */
export interface RecordingRelay {
  /** The port for the engine's side, instead of the guest's port. */
  readonly port: MessagePort;
  /** Every message of the guest, with the number of ports that it carried. */
  readonly said: readonly { readonly data: unknown; readonly ports: number }[];
  close(): void;
}

export function createRecordingRelay(guest: MessagePort): RecordingRelay {
  const { port1, port2 } = new MessageChannel();
  const said: { data: unknown; ports: number }[] = [];
  guest.onmessage = ({ data, ports }: MessageEvent<unknown>) => {
    said.push({ data, ports: ports.length });
    port2.postMessage(data, ports as MessagePort[]);
  };
  // As without the relay, the engine's side gets a close event when the guest has ended.
  guest.addEventListener("close", () => port2.close());
  port2.onmessage = ({ data, ports }: MessageEvent<unknown>) =>
    guest.postMessage(data, ports as MessagePort[]);
  return {
    port: port1,
    said,
    close() {
      guest.close();
      port2.close();
    },
  };
}
