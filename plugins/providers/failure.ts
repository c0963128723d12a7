import { AppError, type Locale, type LocalizedText, type ProviderFailure, type ProviderKind } from '#kernel'

/** Characters of an upstream's own words that are passed on. */
const MAX_DETAIL = 300

const codes: Record<ProviderFailure, string> = {
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

/** What a person can do about a failure. */
export const guidance: Record<ProviderFailure, LocalizedText> = {
  auth: {
    en: 'The provider refused the API key. Check that it is complete, not revoked, and has access to this model.',
    zh: '服务商拒绝了 API 密钥。请检查密钥是否完整、未被吊销，并有权使用该模型。',
  },
  quota: {
    en: 'The account at the provider has no quota or credit left. Top it up or raise its limit there.',
    zh: '服务商账户的额度已用尽。请在服务商处充值或提高限额。',
  },
  rate_limit: {
    en: 'The provider limits how often it may be called. Wait a moment and try again.',
    zh: '服务商限制了调用频率。请稍候重试。',
  },
  outage: {
    en: 'The provider has a disturbance or broke off its answer. Try again later.',
    zh: '服务商出现故障或中断了回复。请稍后重试。',
  },
  timeout: {
    en: 'The provider took too long to answer. Try again, or check the network between this server and it.',
    zh: '服务商响应超时。请重试，或检查本服务器与服务商之间的网络。',
  },
  unreachable: {
    en: 'The provider cannot be reached. Check the base URL and the network of this server.',
    zh: '无法连接服务商。请检查 base URL 和本服务器的网络。',
  },
  model_not_found: {
    en: 'The provider does not have this model. Check the model id, the base URL and what the key may use.',
    zh: '服务商没有该模型。请检查模型 ID、base URL 以及密钥的可用范围。',
  },
  bad_request: {
    en: 'The provider rejected the request. Check the base URL, the model id and the options.',
    zh: '服务商拒绝了请求。请检查 base URL、模型 ID 和选项。',
  },
  unknown: {
    en: 'The call failed for a reason that is not known. The log of the server has more.',
    zh: '调用失败，原因未知。服务器日志中有更多信息。',
  },
}

/** A failed call, sorted: why, the upstream's HTTP status, and its own words without the key. */
export interface SortedFailure {
  reason: ProviderFailure
  status?: number
  detail?: string
}

/** Sorts what a kind threw; an error of ours, e.g. a refused address, is thrown on. */
export function sortFailure(error: unknown, kind: ProviderKind, secret: string | undefined): SortedFailure {
  const ours = findAppError(error)
  if (ours) throw ours
  const { reason, status } = kind.explainError(error)
  const detail = error instanceof Error ? withoutKeys(error.message, secret) : undefined
  return { reason, ...(status !== undefined && { status }), ...(detail && { detail }) }
}

/** The error that a turn ends with; its details hold guidance in `locale`. */
export function explainFailure(
  error: unknown,
  { kind, secret, locale, ...names }: NamedCall & { kind: ProviderKind; secret?: string; locale: Locale },
): AppError {
  const ours = findAppError(error)
  if (ours) return ours
  const failure = sortFailure(error, kind, secret)
  const details = { ...names, ...failure, guidance: guidance[failure.reason][locale] }
  return new AppError(codes[failure.reason], details, { cause: error })
}

interface NamedCall {
  provider: string
  model: string
}

function findAppError(error: unknown): AppError | undefined {
  for (let cause = error; cause instanceof Error; cause = cause.cause)
    if (cause instanceof AppError) return cause
  return undefined
}

const KEY_LIKE = /\b(?:sk|pk|rk|gsk|xai|key|AIza)[-_]?[\w*.-]{12,}|\bBearer\s+\S+/g

/** An upstream's words, short, and without the key or anything that looks like one. */
function withoutKeys(text: string, secret: string | undefined): string {
  const cut = secret ? text.replaceAll(secret, '[key]') : text
  return cut.replace(KEY_LIKE, '[key]').slice(0, MAX_DETAIL)
}
