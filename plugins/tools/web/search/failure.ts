import {
  type AnyConfig,
  AppError,
  cutText,
  findNetworkFailure,
  isSearchFailure,
  type Locale,
  listCauses,
  type SearchFailureReason,
} from '#plugin-api'
import { guidance } from './guidance.ts'
import type { SetEngine } from './search-settings.ts'
import type { ExplainedSearchFailure } from './types.ts'

/** The part of an engine's own words that is passed on. */
const MAX_DETAIL_CHARS = 300

/** Shorter secrets would match unrelated text. */
const MIN_SECRET_CHARS = 6

/** Explains the error of a search to a person; secrets of the settings are left out. */
export function explainSearchFailure(
  error: unknown,
  { engine, config }: SetEngine,
  locale: Locale,
): ExplainedSearchFailure {
  const reason = findReason(error)
  const { status, message } = error as { status?: unknown; message?: unknown }
  const detail = cutText(redact(String(message ?? error), engine.secret_fields, config), MAX_DETAIL_CHARS)
  return {
    kind: engine.name,
    label: engine.label[locale],
    reason,
    guidance: (engine.guidance?.[reason] ?? guidance[reason])[locale],
    ...(typeof status === 'number' && { status }),
    ...(detail && { detail }),
  }
}

function findReason(error: unknown): SearchFailureReason {
  if (isSearchFailure(error)) return error.reason
  if (error instanceof AppError && error.code === 'VALIDATION_FAILED') return 'bad_request'
  // The error for a port that `fetch` refuses to connect to has no code.
  if (listCauses(error).some(({ message }) => message === 'bad port')) return 'unreachable'
  const network = findNetworkFailure(error)?.reason
  return network === 'insecure' ? 'unreachable' : (network ?? 'unknown')
}

function redact(text: string, secret_fields: readonly string[], config: AnyConfig): string {
  const secrets = secret_fields.flatMap((name) => listStrings(config[name]))
  return secrets
    .filter(({ length }) => length >= MIN_SECRET_CHARS)
    .reduce((cut, secret) => cut.replaceAll(secret, '[key]'), text)
}

const listStrings = (value: unknown): string[] => {
  if (typeof value === 'string') return [value]
  return typeof value === 'object' && value !== null ? Object.values(value).flatMap(listStrings) : []
}
