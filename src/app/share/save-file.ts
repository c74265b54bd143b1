/** Hands bytes to the browser as a download. */
export function saveFile(name: string, bytes: Uint8Array<ArrayBuffer>): void {
  const url = URL.createObjectURL(new Blob([bytes], { type: "application/octet-stream" }));
  const link = document.createElement("a");
  link.href = url;
  link.download = name;
  link.click();
  // By then the browser has taken the bytes. An address that is not revoked would keep them in memory.
  setTimeout(() => URL.revokeObjectURL(url), 60_000);
}
