import type { IncomingHttpHeaders } from 'node:http'
import type { Locale } from '../locale.ts'
import { type JSONSchema, objectOf } from '../schema.ts'
import type { GuardContexts } from './additions.ts'
import { anyObject, createFormCheck, filledText, text, texts } from './form.ts'

/** The name of a guard, alone or with its argument (`['permission', 'users']`). */
export type GuardUse = keyof GuardContexts | readonly [guard: keyof GuardContexts, argument: string]

/** The fields that a guard adds to the request of a handler. */
export type ContextOf<Use extends GuardUse> = Use extends keyof GuardContexts
  ? GuardContexts[Use]
  : Use extends readonly [infer Name extends keyof GuardContexts, string]
    ? GuardContexts[Name]
    : never

/** The part of a request that a guard sees: before the body is read, and before a socket is opened. */
export interface GuardRequest {
  readonly transport: 'http' | 'socket'
  readonly method: string
  readonly params: Readonly<Record<string, string>>
  readonly query: Readonly<Record<string, string | string[] | undefined>>
  readonly headers: IncomingHttpHeaders
  readonly ip: string
  readonly request_id: string
  /** The path as declared, e.g. `/agents/:id`. */
  readonly route: string
  /** The guard and the scope of the route, as declared. */
  readonly guard: GuardUse
  readonly scope: string | undefined
  /** The context of an open connection that is checked again: its token may have been renewed since it was opened. */
  readonly opened?: object
  /** Headers for the answer, also of an upgrade; there, `Sec-WebSocket-Protocol` confirms an offered subprotocol. */
  setHeader(name: string, value: string): void
}

/** A guard returns what it adds to the request, or throws. `after` names the guard that runs before it. */
export interface Guard<Name extends keyof GuardContexts = keyof GuardContexts, Cradle = never> {
  after?: keyof GuardContexts
  /** One sentence for readers of the API, with `{argument}` where the guard's argument belongs. */
  description?: string
  /** The kind of name that its argument is, checked when a plugin is loaded: a permission that a manifest declares. */
  argument?: 'permission'
  /** The schemas of parameters of the path that it reads, by name. */
  params?: { readonly [name: string]: JSONSchema }
  /** The codes of what it throws; FORBIDDEN if missing. */
  errors?: readonly string[]
  /** Admits a request without this guard and those before it, which then add nothing; for secrets that are no account's. */
  bypass?(request: GuardRequest, cradle: Cradle): boolean
  check(
    request: GuardRequest,
    cradle: Cradle,
    context: never,
    argument: string | undefined,
  ): Promise<Partial<GuardContexts[Name]>> | Partial<GuardContexts[Name]>
}

/** Checks the form of a guard that a plugin declares; the one before it is looked up later. */
export const assertGuard = createFormCheck<Guard>(
  objectOf(
    {
      after: text,
      description: filledText,
      argument: { const: 'permission' },
      params: { type: 'object', additionalProperties: anyObject },
      errors: texts,
      bypass: true,
      check: true,
    },
    ['check'],
  ),
  ['bypass', 'check'],
)

/** The caller as a guard identified them: used for language and the audit row. */
export interface Caller {
  id: string
  username: string
  locale?: Locale | null
  /** The named credential that they use instead of a session. */
  credential?: { name: string }
}

/** Finds the caller that a guard put into a context. */
export function callerIn(context: object): Caller | undefined {
  return (context as { caller?: Caller }).caller
}
