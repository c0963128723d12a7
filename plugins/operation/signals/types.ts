import type { Document } from 'mongodb'
import type { ProcessIdentity } from '#plugin-api'

/** One server process; `_id` is its `node_id`, times are Unix seconds. */
export interface NodeDocument extends ProcessIdentity {
  _id: string
  host: string
  version: string
  commit: string | null
  started_at: number
  seen_at: number
  /** The number of its heartbeats so far. */
  beats: number
  /** True while it has work that must be taken over soon if it dies; it then beats more often. */
  is_busy: boolean
  /** The time at which the process counts as gone unless it sends another heartbeat. */
  delete_at: Date
}

/** The facts that server processes send each other, by name; plugins add theirs. A lost fact only costs time. */
export interface Facts {}

/** The facts that one process sends at a time, in order. */
export interface Packet {
  /** The `node_id` of the sender. */
  from: string
  facts: readonly (readonly [name: string, payload: unknown])[]
}

/** A packet as the database keeps it for a short time. */
export type SignalDocument = Document & Packet

/** A way for packets to reach the other processes. */
export interface Transport {
  /** Receives packets from now on; resolves when none that is sent from here on can be missed. */
  open(): Promise<void>
  send(packet: Packet): Promise<void>
  /** Receives nothing more. */
  close(): Promise<void>
}

/** A way for payloads to reach just those processes that listen to a topic. */
export interface Topics {
  /** Sends a payload; without this method, nobody can receive it this way. */
  tell?(topic: string, payload: unknown): void
  /** Calls the listener with each payload of a topic until the returned function is called; one listener a topic. */
  listen(topic: string, listener: (payload: unknown) => void): () => void
}

/** The calls of a transport. */
export interface PacketListener {
  receive(packet: Packet): void
  /** Called when packets may have been missed. */
  missed(): void
}

declare module '#kernel/types' {
  interface Collections {
    signals: {
      nodes: NodeDocument
      signals: SignalDocument
    }
  }
}
