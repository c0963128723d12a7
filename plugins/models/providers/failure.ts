import { AppError, type Locale, type LocalizedText, type ProviderFailure } from '#plugin-api'
import type { Connected } from './connections.ts'
import type { providerErrors } from './errors.ts'
import { explainFailure } from './explained-failure.ts'
import { readReport } from './upstream-report.ts'

/** The part of an upstream's own message that is passed on. */
const MAX_DETAIL_CHARS = 300

const codes: Record<ProviderFailure, keyof typeof providerErrors> = {
  auth: 'MODEL_AUTH_FAILED',
  quota: 'MODEL_QUOTA_EXHAUSTED',
  rate_limit: 'MODEL_RATE_LIMITED',
  outage: 'MODEL_UNAVAILABLE',
  timeout: 'MODEL_UNAVAILABLE',
  unreachable: 'MODEL_UNAVAILABLE',
  model_not_found: 'MODEL_NOT_FOUND',
  bad_request: 'MODEL_CALL_FAILED',
  unknown: 'MODEL_CALL_FAILED',
}

/** Advice to a person about a failure, for any upstream. */
const guidance: Record<ProviderFailure, LocalizedText> = {
  auth: {
    en: 'The provider rejected the API key. Check that it is complete, has not been revoked and has access to this model.',
    zh: '服务商拒绝了 API 密钥。请检查密钥是否完整、未被吊销，并有权使用该模型。',
  },
  quota: {
    en: 'Your account with the provider has no quota or credit left. Top it up or raise its limit there.',
    zh: '服务商账户的额度已用尽。请在服务商处充值或提高限额。',
  },
  rate_limit: {
    en: 'The provider received too many calls. Wait a moment and try again.',
    zh: '服务商限制了调用频率。请稍候重试。',
  },
  outage: {
    en: 'The provider is down or interrupted its answer. Try again later.',
    zh: '服务商出现故障或中断了回答。请稍后重试。',
  },
  timeout: {
    en: 'The provider took too long to respond. Try again, or check the network between this server and the provider.',
    zh: '服务商响应超时。请重试，或检查本服务器与服务商之间的网络。',
  },
  unreachable: {
    en: 'The provider cannot be reached. Check the URL and the network of this server.',
    zh: '无法连接服务商。请检查地址和本服务器的网络。',
  },
  model_not_found: {
    en: 'The provider does not offer this model. Check the model ID, the URL and the permissions of the key.',
    zh: '服务商没有该模型。请检查模型 ID、地址以及密钥的可用范围。',
  },
  bad_request: {
    en: 'The provider rejected the request. Check the URL, the model ID and the options.',
    zh: '服务商拒绝了请求。请检查地址、模型 ID 和选项。',
  },
  unknown: {
    en: 'The call failed for an unknown reason. See the server log.',
    zh: '调用失败，原因未知。服务器日志中有更多信息。',
  },
}

/** A classified failure: the reason, the advice, the upstream's HTTP status, and its own message without secrets. */
interface SortedFailure {
  reason: ProviderFailure
  guidance: string
  status?: number
  detail?: string
  is_too_long?: boolean
}

/** Classifies an error of a kind; an AppError, for example for a refused address, is rethrown. */
export function sortFailure(error: unknown, { kind, redact }: Connected, locale: Locale): SortedFailure {
  const ours = findAppError(error)
  if (ours) throw ours
  const { reason, status, is_too_long } = explainFailure(error, kind)
  const { message } = readReport(error)
  return {
    reason,
    guidance: findGuidance(reason, kind.guidance)[locale],
    ...(status !== undefined && { status }),
    ...(is_too_long && { is_too_long }),
    ...(message && { detail: redact(message).slice(0, MAX_DETAIL_CHARS) }),
  }
}

/** Returns the guidance for a reason, preferring that of the kind. */
export const findGuidance = (
  reason: ProviderFailure,
  own: Partial<Record<ProviderFailure, LocalizedText>> | undefined,
): LocalizedText => own?.[reason] ?? guidance[reason]

/** Creates the error that a turn ends with; its details contain the guidance in `locale`. */
export function toAppError(
  error: unknown,
  { connected, locale, ...names }: { connected: Connected; locale: Locale; provider: string; model: string },
): AppError {
  const ours = findAppError(error)
  if (ours) return ours
  const failure = sortFailure(error, connected, locale)
  const cause = redactError(error, connected.redact)
  const code = failure.is_too_long ? 'MODEL_CONTEXT_TOO_LONG' : codes[failure.reason]
  const { is_too_long, ...facts } = failure
  return new AppError(code, { ...names, ...facts }, { cause })
}

/** Copies an error with its causes for the log, without the secrets of the connection. */
export function redactError(error: unknown, redact: Connected['redact']): Error {
  if (!(error instanceof Error))
    return new Error(redact(typeof error === 'string' ? error : JSON.stringify(error)))
  const { name, message, stack, cause, code } = error as NodeJS.ErrnoException
  const copy = new Error(
    redact(message),
    cause === undefined ? undefined : { cause: redactError(cause, redact) },
  )
  return Object.assign(copy, { name, stack: stack && redact(stack), ...(code && { code }) })
}

function findAppError(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError) return cause
  return undefined
}
