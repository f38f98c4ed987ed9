/** The server: JSON-RPC over a WebSocket, and the answers as src/lsp and src/cli/serve write them. */
import type { Transport } from "@codemirror/lsp-client";

export interface Position { line: number; character: number }
export interface Range { start: Position; end: Position }
export interface Listed { name: string; uri: string; error: string | null }
export interface Spec { spec: number; name: string | null; text: string; range: Range }
export interface Overview { specs: Spec[]; instances: { name: string; agent: string }[]; agents: string[] }
export interface Result {
  spec: number | null; verdict: string; agreement: string | null; words: string; seconds: number; evidence: string[]; hasTrace: boolean; hasStrategy: boolean;
}
export interface Trace {
  spec: number; title: string; chart: string; states: [string, string][][];
  steps: { words: string; commands: Range[]; changes: string[] }[]; loopStart: number | null;
}
export interface StateNode { state: number; automata: number[]; values: string[]; initial: boolean }
export interface Beginning { names: string[]; owners: number[]; initial: StateNode[]; symmetric: boolean }
export interface Offer { words: string; name: string; stutter: boolean; target: StateNode; commands: Range[]; changes: string[] }
export interface Disabled { name: string; instance: number; why: string; range: Range; here: boolean }
export interface Expansion { node: StateNode; steps: Offer[]; disabled: Disabled[] }
export interface Arc { from: number; to: number; name: string; who: number[] }
export interface Part { nodes: StateNode[]; edges: Arc[]; whole: number[]; complete: boolean }
export interface Found { states: StateNode[]; seen: number; complete: boolean }

/** A connection to the server, which an editor can use as well. */
export interface Connection {
  transport: Transport;
  /** Fails when the server has ended. */
  over: Promise<never>;
}

export async function connect(): Promise<Connection> {
  const socket = new WebSocket(new URL("socket", location.href.replace(/^http/, "ws")));
  const handlers = new Set<(message: string) => void>();
  socket.onmessage = ({ data }) => handlers.forEach(handle => handle(data));
  await new Promise<void>((opened, failed) => {
    socket.onopen = () => opened();
    socket.onerror = () => failed(new Error("the server does not answer: start `rcheck-smt serve` again, and open the address that it prints"));
  });
  const over = new Promise<never>((_, failed) => {
    socket.onclose = () => failed(new Error("the server has ended"));
  });
  const transport: Transport = {
    send(message) {
      // Later, `over` tells the caller that waits for an answer.
      if (socket.readyState === WebSocket.OPEN) socket.send(message);
    },
    subscribe: handler => void handlers.add(handler),
    unsubscribe: handler => void handlers.delete(handler),
  };
  return { transport, over };
}

/** The answer; a refusal of the server is an error with its words. */
export const asked = <T>(answer: Promise<T>, over: Promise<never>) =>
  Promise.race([answer, over]).catch((why: { message?: string }) => {
    throw new Error(why?.message ?? "the server does not answer");
  });
