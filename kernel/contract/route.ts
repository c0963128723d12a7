import type { FileHandle } from 'node:fs/promises'
import type { Locale } from '../locale.ts'
import { type JSONSchema, objectOf, rowOf, type TypeOf } from '../schema.ts'
import type { KernelServices } from './cradle.ts'
import { anyObject, createFormCheck, filledText, positiveInteger, texts } from './form.ts'
import type { ContextOf, GuardUse } from './guard.ts'

const METHODS = ['GET', 'POST', 'PUT', 'PATCH', 'DELETE'] as const

/** The methods that routes may have. */
export type Method = (typeof METHODS)[number]

/** The one declaration of a route: validation, types, guard, audit row and OpenAPI all come from it. */
export interface RouteSpec {
  readonly method: Method
  /** Below /api; parameters as `:name`. */
  readonly path: string
  /** A verb and its object, such as `createAgent`: the name in generated clients; made from the path if missing. */
  readonly operation_id?: string
  /** One line. */
  readonly summary: string
  /** Markdown: what a client should know besides the summary. */
  readonly description?: string
  readonly guard: GuardUse
  /** The scope that a limited credential needs for this route; the plugin that checks credentials defines the names. */
  readonly scope?: string
  /** Describes parameters of the path that its guards do not describe, as an object schema; each is a text. */
  readonly params?: JSONSchema
  readonly query?: JSONSchema
  readonly body?: JSONSchema
  /** The most bytes that the body may have, if that is more than `http.body_limit`: for bodies that contain files. */
  readonly body_bytes?: number
  /** Takes files: the field `file` of a multipart form, or the body itself; with a `body` as well, either of them. */
  readonly upload?: UploadSpec
  /** Takes the body as it comes, whatever it is, and answers with text: for routes whose form somebody else has set. */
  readonly raw?: RawSpec
  /**
   * The reply is sent bit by bit: as server-sent events, whose data the schema describes, as a download that is made
   * meanwhile, as a file that clients may read in parts, or as a Response of the web platform that the handler returns:
   * JSON or server-sent events of a protocol that somebody else has set.
   */
  readonly stream?: StreamKind
  /**
   * The schema of the data of events, for a route with `stream: 'events'` that answers with either a stream or one JSON
   * body: `response` describes the body. An error within the stream is then an event without a name, whose data is the
   * body that the error would have as a reply.
   */
  readonly events?: JSONSchema
  /** Replies by status; null means no body. The lowest is the answer of a handler that names none. */
  readonly response: { readonly [status: number]: JSONSchema | null }
  /** Codes of errors that this route answers in addition to the errors of its guard and of validation. */
  readonly errors?: readonly string[]
  /** Replies have the `ETag` of their object; a PATCH or PUT accepts `If-Match` and answers PRECONDITION_FAILED. */
  readonly etag?: true
  /** The content of the audit row; required for methods that change something. */
  readonly audit?: string | AuditSpec | NoAudit
}

const STREAM_KINDS = ['events', 'download', 'file', 'response'] as const

/** The ways in which a reply may be sent bit by bit. */
export type StreamKind = (typeof STREAM_KINDS)[number]

/** One item of a stream of server-sent events: `id` is what a client that comes back names as the last it saw. */
export interface ServerSentEvent {
  id?: string
  /** Missing in streams whose readers need only the data. */
  event?: string
  /** Any JSON value. */
  data: unknown
}

/** An item of a stream; a string is sent as the data of an event, as it is. */
export type StreamItem = ServerSentEvent | string

/** A file that is made while it is sent. */
export interface Download {
  filename: string
  media_type: string
  content: AsyncIterable<string | Uint8Array>
}

/** A stored file as a reply: whole, in part, or not at all if the client has it already. */
export interface FileReply {
  filename: string
  media_type: string
  /** Bytes. */
  size: number
  /** Identifies the bytes: the file never has other ones under the same tag. */
  etag: string
  /** True if a browser may show the file instead of saving it. */
  is_inline: boolean
  /** Open for reading; it is closed with the reply. */
  file: FileHandle
}

/** The most bytes that a body may have which is not parsed, and its media type in documents, if it has one. */
export interface RawSpec {
  readonly max_bytes: number
  readonly media_type?: string
}

/** The files that a route takes. */
export interface UploadSpec {
  /** The most bytes that one file may have. */
  readonly max_bytes: number
  /** Takes the body itself as the file, whatever its media type. */
  readonly as?: 'body'
  /** Takes the body itself as the file, besides a form, if the body has this media type. */
  readonly media_type?: string
  /** The most files of one form; with it, the handler receives `files` and the texts in `fields`, else one `file`. */
  readonly max_files?: number
  /** The names of the text fields that the form may have besides. */
  readonly fields?: readonly string[]
}

/** A file that a request brought: it lies at `path` until the reply is made, unless the handler moves it away. */
export interface UploadedFile {
  path: string
  /** As the client names it, without folders; to be checked before it is used as a name. */
  filename: string
  media_type: string
  /** In bytes. */
  size: number
  /** The SHA-256 of the content in base64url, of files that a request brought. */
  digest?: string
}

/** The files of a request, at least one, and the texts of the other fields of its form. */
export interface Upload {
  files: readonly UploadedFile[]
  fields: Readonly<Record<string, string>>
}

/** The action of an audit row, and the field of the reply that names the new object if no parameter does. */
export interface AuditSpec {
  readonly action: string
  readonly target: string
}

/** The reason why calls of a route leave no audit row: they change nothing, or nothing that anybody decided. */
export interface NoAudit {
  readonly none: string
}

type ParamNames<Path extends string> = Path extends `${string}:${infer Name}/${infer Others}`
  ? Name | ParamNames<Others>
  : Path extends `${string}:${infer Name}`
    ? Name
    : never

/** The parameters of a path by their names, e.g. `{ id: string }` for `/agents/:id`; any names if the path is computed. */
export type ParamsOf<Path extends string> = string extends Path
  ? Readonly<Record<string, string>>
  : { readonly [Name in ParamNames<Path>]: string }

/** The part of a request that every handler receives, whatever its guard. */
export interface RequestFacts<Path extends string = string> {
  readonly params: ParamsOf<Path>
  readonly request_id: string
  readonly ip: string
  readonly locale: Locale
  readonly headers: Readonly<Record<string, string | string[] | undefined>>
  /** Says, on a route without a caller, who is signing in or tries to: the actor of the audit row. */
  identify(username: string): void
  /** Adds facts to the payload of the audit row that the request lacks, such as the name of what it deletes. */
  note(facts: Readonly<Record<string, unknown>>): void
}

type Part<Spec, Name extends 'query' | 'body'> = Spec extends { readonly [Key in Name]: infer Schema }
  ? { readonly [Key in Name]: TypeOf<Schema> }
  : object

/** One file, or several and the texts of the form. */
type Files<Spec> = Spec extends { readonly max_files: number } ? Upload : { readonly file: UploadedFile }

type NoFiles<Spec> = { readonly [Name in keyof Files<Spec>]: undefined }

/** A body, files, or either of them. */
type Content<Spec> = Spec extends { readonly upload: UploadSpec }
  ? Spec extends { readonly body: infer Schema }
    ?
        | (Files<Spec['upload']> & { readonly body: undefined })
        | (NoFiles<Spec['upload']> & { readonly body: TypeOf<Schema> })
    : Files<Spec['upload']>
  : Spec extends { readonly raw: RawSpec }
    ? { readonly bytes: Uint8Array; readonly query: Readonly<Record<string, string>> }
    : Part<Spec, 'body'>

/** The sign that nobody waits for a handler's answer any more. */
interface Waiting {
  /** Aborted when the client leaves before the answer is complete; its reason may be thrown as the answer. */
  readonly signal: AbortSignal
}

/** The request as a handler of this route sees it. */
export type RequestOf<Spec extends RouteSpec> = RequestFacts<Spec['path']> &
  Part<Spec, 'query'> &
  Content<Spec> &
  Waiting &
  ContextOf<Spec['guard']>

type BodyOf<Schema> = Schema extends null ? undefined : TypeOf<Schema>

/** A reply whose status the handler chose; made by `reply`. */
export interface ChosenReply<Status, Body> {
  readonly [CHOSEN]: true
  readonly status: Status
  readonly body: Body
  readonly headers: Record<string, string>
}

// The copy of this package that a plugin has installed makes the same.
const CHOSEN = Symbol.for('agent-platform-service:chosen reply')

/** Answers with a status other than the lowest that the route declares, or with headers. */
export function reply<const Status extends number, Body>(
  status: Status,
  body: Body,
  headers: Record<string, string> = {},
): ChosenReply<Status, Body> {
  return { [CHOSEN]: true, status, body, headers }
}

/** True if a handler's result was made by `reply`. */
export function isChosenReply(result: unknown): result is ChosenReply<number, unknown> {
  return typeof result === 'object' && result !== null && CHOSEN in result
}

type EventStreamReply = AsyncIterable<StreamItem> | ChosenReply<number, AsyncIterable<StreamItem>>

type Replies<Spec extends RouteSpec> = Spec extends { readonly stream: 'events' }
  ? Spec extends { readonly events: JSONSchema }
    ? EventStreamReply | JsonReplies<Spec>
    : EventStreamReply
  : Spec extends { readonly stream: 'download' }
    ? Download
    : Spec extends { readonly stream: 'file' }
      ? FileReply
      : Spec extends { readonly stream: 'response' }
        ? Response
        : JsonReplies<Spec>

type JsonReplies<Spec extends RouteSpec> = {
  [Status in keyof Spec['response']]:
    | BodyOf<Spec['response'][Status]>
    | ChosenReply<Status, BodyOf<Spec['response'][Status]>>
}[keyof Spec['response']]

/** A route with its handler. A plugin without TypeScript writes it as `{ ...spec, handler }`. */
export interface Route<Cradle = never> extends RouteSpec {
  readonly handler: (request: never, cradle: Cradle) => unknown
}

/** Checks the form of a route that a plugin declares; guard and errors are looked up later. */
export const assertRoute = createFormCheck<Route>(
  objectOf(
    {
      method: { enum: METHODS },
      path: { type: 'string', pattern: '^/' },
      operation_id: { type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9]*$' },
      summary: filledText,
      description: filledText,
      guard: true,
      scope: filledText,
      params: anyObject,
      query: anyObject,
      body: anyObject,
      body_bytes: positiveInteger,
      upload: objectOf(
        {
          max_bytes: positiveInteger,
          as: { const: 'body' },
          media_type: filledText,
          max_files: positiveInteger,
          fields: { type: 'array', items: filledText },
        },
        ['max_bytes'],
      ),
      raw: objectOf(
        {
          max_bytes: positiveInteger,
          media_type: filledText,
        },
        ['max_bytes'],
      ),
      stream: { enum: STREAM_KINDS },
      events: anyObject,
      response: {
        type: 'object',
        minProperties: 1,
        propertyNames: { pattern: '^[2-5][0-9]{2}$' },
        additionalProperties: { type: ['object', 'null'] },
      },
      errors: texts,
      etag: { const: true },
      audit: {
        anyOf: [filledText, rowOf({ action: filledText, target: filledText }), rowOf({ none: filledText })],
      },
      handler: true,
    },
    ['method', 'path', 'summary', 'response', 'handler'],
  ),
  ['handler'],
)

/** True for the routes that monitor a server, which have no rate limit. */
export const isProbe = ({ path }: RouteSpec): boolean => /^\/health(\/|$)/.test(path)

/** Declares a route; `handle` is separate so that the reply's type is fixed before the handler is read. */
export type DefineRoute<Default> = <const Spec extends RouteSpec>(
  spec: Spec,
) => {
  handle<Cradle = Default>(
    handler: (request: RequestOf<Spec>, cradle: Cradle) => Replies<Spec> | Promise<Replies<Spec>>,
  ): Route<Cradle>
}

/** Declares a route of any plugin. */
export const defineRoute: DefineRoute<KernelServices> = (spec) => ({
  handle: (handler) => ({ ...spec, handler }),
})
