import type { Context } from 'koa'
import type { SomeCradle } from '../contract/cradle.ts'
import type { AuditRecord, RequestedChange } from '../contract/extension-points.ts'
import type { AllExtensions } from '../contract/extensions.ts'
import type { Caller, GuardRequest } from '../contract/guard.ts'
import type { Upload } from '../contract/route.ts'
import type { Locale } from '../locale.ts'
import type { Limits } from '../security/limits.ts'
import type { OpenSocketDirectory } from '../socket/directory.ts'
import type { AuditedCall } from './audit.ts'
import type { ErrorReply } from './error-reply.ts'
import type { GuardChain } from './guard-chain.ts'
import type { createUploadReader } from './upload.ts'

/** The parts that serving a route needs besides the route. */
export interface EndpointParts {
  guard: GuardChain
  cradle: SomeCradle
  readBody: (context: Context) => Promise<unknown>
  readUpload: ReturnType<typeof createUploadReader>
  /** Called with replies that do not fit their schema; may throw. */
  onWrongReply: (error: unknown) => void
  audit: (record: AuditRecord) => Promise<void>
  /** Throws if a call may not change what it is about to change; otherwise returns what to do once it has. */
  admitChange: (change: RequestedChange) => Promise<unknown[]>
  /** Keeps the replies of calls that clients may repeat. */
  repetition: AllExtensions['kernel.repetition']
  /** The status and the body that an error is answered with. */
  explain: (error: unknown, locale: Locale, request_id: string) => ErrorReply
  /** Like `explain`, and logs the error: for errors inside an open stream. */
  report: (error: unknown, locale: Locale, request_id: string) => ErrorReply
  /** Throws if the disk is full. */
  assertStorage: () => void
  /** The directory of open sockets and streams. */
  sockets: OpenSocketDirectory
  limits: Limits
  /** Heartbeat interval of a stream, in milliseconds. */
  heartbeatMs: number
  /** Unix seconds. */
  seconds: () => number
}

/** One request on its way through the steps of an endpoint. */
export interface Call extends AuditedCall {
  context: Context
  /** The fields that guards have added to the request. */
  added: { caller?: Caller }
  upload?: Upload
  bytes?: Uint8Array
  /** The request as its guards saw it; undefined if the parameters of the path were refused before. */
  guarded?: GuardRequest
  /** Aborted when the client leaves before the reply is complete. */
  reading: AbortController
  /** True if the reply was kept from an earlier call. */
  isReplayed: boolean
  /** Run with the body of the reply once the change has succeeded. */
  followUps: ((body: unknown) => unknown)[]
}
