import type { IncomingHttpHeaders } from 'node:http'
import type { ErrorForm } from './error-form.ts'
import type { Caller } from './guard.ts'

/** The type of an entry, by the extension point's name: that of the plugin that declares it, a dot, and what it is for. */
export interface ExtensionPoints {
  /** Keeps a record of each mutating call before it is answered, and of each command that changes something. */
  'kernel.audit': (record: AuditRecord) => unknown
  /**
   * Asked before each call that leaves an audit row, after its guards; an error that is thrown refuses the call. A function
   * that is returned runs with the body of the reply once the call has succeeded, before it is answered.
   */
  'kernel.changes': (change: RequestedChange) => unknown
  /** The form of the errors below a path, for clients of an API that somebody else has set. */
  'kernel.error_forms': ErrorForm
  /** Performs a call at most once, and answers its repetitions with the first reply; one plugin at most. */
  'kernel.repetition': (call: RepeatableCall) => Promise<KeptReply>
  /** Notes each request when its reply begins. It is called often and nobody waits for it. */
  'kernel.requests': (request: AnsweredRequest) => unknown
}

/** A request whose reply begins. */
export interface AnsweredRequest {
  request_id: string
  method: string
  /** The path as declared, such as `/agents/:id`; undefined for files of pages and unknown paths. */
  route: string | undefined
  /** The plugin that declared the route, or `kernel`. */
  plugin: string | undefined
  status: number
  /** Unix milliseconds. */
  started_ms: number
  /** Milliseconds until the reply began. */
  ms: number
  /** The header of W3C Trace Context, as the client sent it. */
  traceparent: string | undefined
}

/** A call that is about to change something. */
export interface RequestedChange {
  /** As in audit rows, such as `agent.update`. */
  action: string
  /** The parameters of the path. */
  params: Readonly<Record<string, string>>
  headers: IncomingHttpHeaders
  /** Undefined on routes that everybody may call. */
  caller: Caller | undefined
}

/** One mutating call or command, and how it went. */
export interface AuditRecord {
  /** Unix seconds. */
  ts: number
  /** A username; `os:` and the name of the system's user for a command; null if nobody is signed in. */
  actor: string | null
  action: string
  target: string | null
  /** The part of the body that is not secret; undefined without a valid body. */
  payload: unknown
  /** The HTTP status, or the exit code of a command. */
  status: number
  /** Null for a command. */
  ip: string | null
  request_id: string | null
  /** The name of the credential that the caller used instead of a session. */
  credential?: string
}

/** A POST with an `Idempotency-Key`, which a client may send several times. */
export interface RepeatableCall {
  account_id: string
  /** Chosen by the client; 1 to 128 visible ASCII characters. */
  key: string
  /** Equal for equal requests: made from route, path, query and body. */
  fingerprint: string
  /** Runs the handler. */
  perform(): Promise<KeptReply>
  /** False if the handler has begun no write to the database and got no file, so that it had no effect that lasts. */
  hasWritten(): boolean
}

/** A reply that repetitions of its call are answered with. */
export interface KeptReply {
  status: number
  headers: Record<string, string>
  /** Undefined if the reply has no body. */
  body?: unknown
}
