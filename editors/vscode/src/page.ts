/** Pages of panels. What models say gets into them as data, never as HTML; only our own charts are markup. */
import { randomBytes } from "node:crypto";

export function page(style: string, body: string, script: string): string {
  const nonce = randomBytes(16).toString("hex");
  const policy = `default-src 'none'; style-src 'unsafe-inline'; script-src 'nonce-${nonce}'`;
  return `<!DOCTYPE html><html lang="en"><head><meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<style>${style}</style></head><body>${body}<script nonce="${nonce}">${script}</script></body></html>`;
}

/** Data in a script. */
export function data(value: unknown): string {
  return JSON.stringify(value).replace(/</g, "\\u003c");
}
