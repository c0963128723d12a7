import { APICallError } from '@ai-sdk/provider'
import type { ExplainedFailure, ProviderKind, UpstreamReport } from '#plugin-api'

/** Google's error object; `status` is a name of google.rpc.Code, or one of our own: BLOCKED, UNFINISHED. */
export interface GoogleError {
  code?: number | null
  message?: string
  status?: string
  details?: unknown[] | null
}

interface Detail {
  /** In an ErrorInfo. */
  reason?: string
  /** In a QuotaFailure. */
  violations?: { quotaId?: string }[]
  /** In a RetryInfo: seconds, followed by `s`. */
  retryDelay?: string
}

/** Creates the error for an answer that failed after it had begun. */
export function createAnswerError(error: GoogleError, url: string): APICallError {
  const code = error.code ?? 0
  return new APICallError({
    message: error.message ?? 'Google reported an error.',
    url,
    requestBodyValues: undefined,
    statusCode: code >= 400 && code <= 599 ? code : undefined,
    data: { error },
  })
}

/** Classifies Google's errors by their details; the status has a name of google.rpc. */
export function explainError({ error, message }: UpstreamReport): ExplainedFailure | undefined {
  const { status, details } = error as GoogleError
  const facts = (details ?? []) as Detail[]
  const has = (reason: string) => facts.some((fact) => fact?.reason === reason)

  if (has('API_KEY_INVALID')) return { reason: 'auth' }
  if (has('BILLING_DISABLED')) return { reason: 'quota' }
  if (status === 'BLOCKED') return { reason: 'bad_request' }
  if (status === 'FAILED_PRECONDITION' && /billing/i.test(message)) return { reason: 'quota' }
  if (status === 'INVALID_ARGUMENT' && /unexpected model name/i.test(message))
    return { reason: 'model_not_found' }
  if (status !== 'RESOURCE_EXHAUSTED') return undefined
  if (isSpent(message, facts)) return { reason: 'quota' }
  const retry_after_ms = readPause(facts)
  return { reason: 'rate_limit', ...(retry_after_ms !== undefined && { retry_after_ms }) }
}

/** True if waiting for a minute does not help: the daily quota or the credit is spent, or the quota is zero. */
function isSpent(message: string, facts: Detail[]): boolean {
  if (/limit: 0\b|credits are depleted|spending cap/i.test(message)) return true
  const violations = facts.flatMap((fact) => fact?.violations ?? [])
  if (violations.length > 0) return violations.some(({ quotaId = '' }) => /PerDay/.test(quotaId))
  return /exceeded your current quota/i.test(message) && readPause(facts) === undefined
}

function readPause(facts: Detail[]): number | undefined {
  const delay = facts.find((fact) => fact?.retryDelay !== undefined)?.retryDelay
  const seconds = Number.parseFloat(delay ?? '')
  return Number.isFinite(seconds) ? Math.ceil(seconds * 1000) : undefined
}

/** Advice to a person about a failure at Google. */
export const guidance: ProviderKind['guidance'] = {
  auth: {
    en: 'Google rejected the API key. Check it, or create a new one, at https://aistudio.google.com/apikey; the restrictions of the key must allow the Gemini API and this server.',
    zh: 'Google 拒绝了 API 密钥。请在 https://aistudio.google.com/apikey 检查或重新创建密钥，并确认密钥的限制允许 Gemini API 和本服务器。',
  },
  quota: {
    en: 'The quota of the Google project is used up for today, or its plan does not include this model. Enable billing or add credit at https://aistudio.google.com, or wait until the quota is renewed at midnight Pacific time.',
    zh: 'Google 项目今天的配额已用完，或其套餐不包含该模型。请在 https://aistudio.google.com 启用结算或充值，或等到太平洋时间零点配额重置。',
  },
  rate_limit: {
    en: 'Google limits requests and tokens per minute. Wait a moment and try again, or move the project to a higher tier at https://aistudio.google.com.',
    zh: 'Google 限制了每分钟的请求数和 Token 数。请稍候重试，或在 https://aistudio.google.com 将项目升级到更高层级。',
  },
  outage: {
    en: 'Google is overloaded or interrupted its answer. Try again later, or choose another model.',
    zh: 'Google 服务过载或中断了回答。请稍后重试，或换用其他模型。',
  },
  model_not_found: {
    en: 'This model is not available to this key. Choose a listed model; the base URL must end in /v1beta.',
    zh: 'Google 未向该密钥提供此模型。请从模型列表中选择；base URL 必须以 /v1beta 结尾。',
  },
  bad_request: {
    en: 'Google rejected the request. If it was blocked, rephrase it or raise safety_threshold; if the location is not supported, the Gemini API is not available in the region of this server; otherwise check the reasoning options, which not every model accepts.',
    zh: 'Google 拒绝了请求。若内容被拦截，请换一种说法或放宽 safety_threshold；若提示所在地区不受支持，则本服务器所在地区无法使用 Gemini API；否则请检查思考选项，并非所有模型都支持。',
  },
}
