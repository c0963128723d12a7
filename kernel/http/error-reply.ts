import { isRefused, isStorageFull, isUnavailable } from '../database/driver-errors.ts'
import { AppError, type ErrorDefinition, type ErrorTable } from '../errors.ts'
import type { Locale } from '../locale.ts'
import type { Logger } from '../log.ts'
import { askForNearest } from '../nearest-name.ts'

/** The body of every answer that is not a success. */
export interface ErrorBody {
  code: string
  message: string
  details: Record<string, unknown>
  request_id: string
}

/** An error made ready to send: over HTTP as `status` and `{ error: body }`, inside a frame as `body`. */
export interface ErrorReply {
  status: number
  level: NonNullable<ErrorDefinition['level']>
  body: ErrorBody
  /** For the log: the error, if the level is `error`. */
  cause?: unknown
}

/** Puts anything thrown into the words of its reader, for frames that are stored or sent later. */
export type ErrorExplainer = (error: unknown, locale: Locale, request_id: string) => ErrorBody

/** Returns the message of a documented error for its reader; undefined for an unknown code. */
export type ErrorDescriber = (
  code: string,
  details: Record<string, unknown>,
  locale: Locale,
) => string | undefined

/** Turns anything thrown into the reply; what is not an AppError of a known code tells the client nothing of its cause. */
export function replyTo(
  error: unknown,
  { table, locale, request_id }: { table: ErrorTable; locale: Locale; request_id: string },
): ErrorReply {
  const declaredError = error instanceof AppError && Object.hasOwn(table, error.code) ? error : undefined
  const code = declaredError?.code ?? codeOf(error)
  const definition = table[code]!
  const details = declaredError?.details ?? {}
  const message = fillMessage(definition, details, locale)
  const level = definition.level ?? (definition.status >= 500 ? 'error' : 'info')
  return {
    status: definition.status,
    level,
    body: { code: definition.code ?? code, message, details, request_id },
    cause: level === 'error' ? causeOf(error, table) : undefined,
  }
}

/** Returns the error, within one that says so if its code is in no table. */
function causeOf(error: unknown, table: ErrorTable): unknown {
  if (!(error instanceof AppError) || Object.hasOwn(table, error.code)) return error
  return new Error(
    `no manifest declares the error "${error.code}"${askForNearest(error.code, Object.keys(table))}`,
    { cause: error },
  )
}

/** Returns the code of a failure of the database or the disk; everything else is a bug. */
function codeOf(error: unknown) {
  if (isUnavailable(error) || isRefused(error)) return 'DATABASE_UNAVAILABLE'
  return isStorageFull(error) ? 'STORAGE_FULL' : 'INTERNAL_ERROR'
}

/** The header Retry-After, if the error knows when to ask again. */
export function retryHeaders({ details }: ErrorBody): Record<string, string> {
  const seconds = details.retry_after_seconds
  return typeof seconds === 'number' ? { 'Retry-After': String(Math.ceil(seconds)) } : {}
}

/** Makes an explainer over an error table; causes that the reader is not told go to the log. */
export function createErrorExplainer(table: ErrorTable, log: Logger): ErrorExplainer {
  return (error, locale, request_id) => {
    const { level, body, cause } = replyTo(error, { table, locale, request_id })
    if (level === 'error') log.error({ error: cause, code: body.code, request_id }, 'failed')
    return body
  }
}

/** Creates a describer over an error table. */
export const createErrorDescriber =
  (table: ErrorTable): ErrorDescriber =>
  (code, details, locale) =>
    Object.hasOwn(table, code) ? fillMessage(table[code]!, details, locale) : undefined

const fillMessage = ({ message }: ErrorDefinition, details: Record<string, unknown>, locale: Locale) =>
  message[locale].replace(/\{(\w+)\}/g, (_, name) => String(details[name] ?? ''))
