import { type JSONSchema, objectOf, type TypeOf } from '../schema.ts'
import type { KernelServices } from './cradle.ts'
import { createFormCheck, filledText, texts } from './form.ts'
import type { ContextOf, GuardUse } from './guard.ts'
import type { RequestFacts } from './route.ts'

/** The fields of each frame by its `type`; every schema is an object schema without the type itself, and may have a title. */
export type FrameSchemas = { readonly [type: string]: JSONSchema }

/** The one declaration of a WebSocket endpoint, for both directions. */
export interface SocketSpec {
  /** Below /api; parameters as `:name`. */
  readonly path: string
  /** A verb and its object, as in a route. */
  readonly operation_id?: string
  readonly summary: string
  /** Explains the order of frames and how to go on after a cut, as Markdown. */
  readonly description?: string
  readonly guard: GuardUse
  /** The scope that a limited credential needs for this socket, as in a route. */
  readonly scope?: string
  readonly receive: FrameSchemas
  readonly send: FrameSchemas
  /** Fields of a frame that the error which it caused repeats, so that a sender of several can tell which one it was. */
  readonly repeats?: readonly string[]
  /** A sentence for each close code that means more here than on other sockets. */
  readonly closes?: { readonly [code: number]: string }
}

/** The frames of one direction as a union told apart by `type`. */
export type FrameOf<Schemas extends FrameSchemas> = {
  [Type in keyof Schemas & string]: { readonly type: Type } & TypeOf<Schemas[Type]>
}[keyof Schemas & string]

/** One open WebSocket. */
export interface Connection<Frame = { type: string }> {
  send(frame: Frame): void
  /** Sends a frame that is already JSON, so that one text serves many readers; `flushed` is called once it left. */
  sendText(text: string, flushed?: () => void): void
  /** Sends the `error` frame for anything thrown, with `fields` besides. */
  sendError(error: unknown, fields?: Record<string, unknown>): void
  close(code: number, reason: string): void
  /** Bytes accepted by `send` that the peer has not taken yet. */
  readonly buffered: number
}

/** The functions that a handler returns for one connection. If `message` throws, the peer receives an error frame. */
export interface ConnectionHandler<Frame> {
  message(frame: Frame): unknown
  close?(): unknown
}

/** A socket with its handler. */
export interface Socket<Cradle = never> extends SocketSpec {
  readonly handler: (
    connection: Connection<never>,
    request: never,
    cradle: Cradle,
  ) => ConnectionHandler<never>
}

const frames = { type: 'object', additionalProperties: { type: 'object' } }

/** Checks the form of a socket that a plugin declares; its guard is looked up later. */
export const assertSocket = createFormCheck<Socket>(
  objectOf(
    {
      path: { type: 'string', pattern: '^/' },
      operation_id: { type: 'string', pattern: '^[a-zA-Z][a-zA-Z0-9]*$' },
      summary: filledText,
      description: filledText,
      guard: true,
      scope: filledText,
      receive: frames,
      send: frames,
      repeats: texts,
      closes: {
        type: 'object',
        propertyNames: { pattern: '^(1\\d|[34]\\d)\\d\\d$' },
        additionalProperties: filledText,
      },
      handler: true,
    },
    ['path', 'summary', 'receive', 'send', 'handler'],
  ),
  ['handler'],
)

/** The request that opened a connection; its guard's context is renewed when `SocketDirectory.recheck` asks for it. */
export type OpeningRequest<Spec extends SocketSpec> = RequestFacts<Spec['path']> & {
  /** The guard's latest verdict. */
  readonly context: ContextOf<Spec['guard']>
}

/** Declares a socket. */
export type DefineSocket<Default> = <const Spec extends SocketSpec>(
  spec: Spec,
) => {
  handle<Cradle = Default>(
    handler: (
      connection: Connection<FrameOf<Spec['send']>>,
      request: OpeningRequest<Spec>,
      cradle: Cradle,
    ) => ConnectionHandler<FrameOf<Spec['receive']>>,
  ): Socket<Cradle>
}

/** Declares a socket of any plugin. */
export const defineSocket: DefineSocket<KernelServices> = (spec) => ({
  handle: (handler) => ({ ...spec, handler }),
})
