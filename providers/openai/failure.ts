import type { ExplainedFailure, ProviderFailure, ProviderKind, UpstreamReport } from '#plugin-api'

/** The errors of a vendor of OpenAI's models; the first pattern that matches counts. */
interface Wording {
  /** The meaning of its codes, and in a stream, which has no status, of its types. */
  reasons: readonly (readonly [RegExp, ProviderFailure])[]
  /** The meaning of messages that say more than a code. */
  messages: readonly (readonly [RegExp, ProviderFailure])[]
  /** Reads the milliseconds to wait from a message. */
  readPause(message: string): number | undefined
}

/** Creates the function that explains failures in the body of an answer or in an event of a stream. */
export function createExplanation({ reasons, messages, readPause }: Wording) {
  const findReason = (mark: string, patterns = reasons) =>
    patterns.find(([pattern]) => pattern.test(mark))?.[1]

  return ({ code, type, message, body }: UpstreamReport): ExplainedFailure | undefined => {
    const byMessage = findReason(message, messages)
    if (byMessage) return { reason: byMessage }
    const isStreamed = isEvent(body)
    const reason = findReason(code) ?? (isStreamed ? findReason(type) : undefined)
    // The status of an answer says more than its type: even a wrong key is an "invalid_request_error".
    if (!reason || (reason === 'bad_request' && !isStreamed)) return undefined
    const retry_after_ms = reason === 'rate_limit' ? readPause(message) : undefined
    return { reason, ...(retry_after_ms !== undefined && { retry_after_ms }) }
  }
}

/** True for an event, which has a type or is an error itself; the body of an answer is `{ error }`. */
const isEvent = (body: unknown) =>
  typeof body === 'object' && body !== null && ('type' in body || !('error' in body))

const UNITS: Record<string, number> = { ms: 1, s: 1000, m: 60_000, h: 3_600_000, d: 86_400_000 }

/** Classifies OpenAI's own errors. */
export const explainError = createExplanation({
  reasons: [
    [/insufficient_quota|billing|quota_exceeded/, 'quota'],
    [/model_not_found/, 'model_not_found'],
    [/invalid_api_key|authentication|permission/, 'auth'],
    [/rate_limit|slow_down/, 'rate_limit'],
    [/timeout/, 'timeout'],
    [/server_is_overloaded|server_error|service_unavailable/, 'outage'],
    [/context_length_exceeded|content_filter|policy|^(?:invalid|unsupported)_|image/, 'bad_request'],
  ],
  // Requests that need a verified organization are refused as if they were malformed.
  messages: [[/organization must be verified/, 'auth']],
  /** As in "Please try again in 6m0.5s." */
  readPause(message) {
    const [, pause] = /try again in ((?:[\d.]+(?:ms|[smhd]))+)/.exec(message) ?? []
    if (!pause) return undefined
    const parts = [...pause.matchAll(/([\d.]+)(ms|[smhd])/g)]
    return Math.ceil(parts.reduce((sum, [, amount, unit]) => sum + Number(amount) * UNITS[unit!]!, 0))
  },
})

/** Advice to a person about a failure at OpenAI. */
export const guidance: ProviderKind['guidance'] = {
  auth: {
    en: 'OpenAI rejected the API key. Keys are created at platform.openai.com/api-keys. Check that the key is not revoked and can use the model and the Responses API; OpenAI may also require a verified organization and a supported country.',
    zh: 'OpenAI 拒绝了 API 密钥。密钥在 platform.openai.com/api-keys 创建；请确认密钥未被吊销、有权使用该模型和 Responses API，并在 OpenAI 有此要求时确认组织已通过验证、所在国家或地区受支持。',
  },
  quota: {
    en: 'The OpenAI account has no credit left or has reached its monthly limit. Add credit or raise the limit at platform.openai.com/settings/organization/billing; a ChatGPT subscription does not include the API.',
    zh: 'OpenAI 账户余额不足或已达到每月限额。请在 platform.openai.com/settings/organization/billing 充值或提高限额；ChatGPT 订阅不包含 API。',
  },
  rate_limit: {
    en: 'OpenAI limits the requests and tokens per minute of this account. Wait a moment; the limits of each model are at platform.openai.com/settings/organization/limits.',
    zh: 'OpenAI 限制该账户每分钟的请求数和 Token 数。请稍候重试；各模型的限额见 platform.openai.com/settings/organization/limits。',
  },
  outage: {
    en: 'OpenAI is overloaded or has an outage. Try again later; see status.openai.com.',
    zh: 'OpenAI 当前过载或出现故障。请稍后重试，详情见 status.openai.com。',
  },
  model_not_found: {
    en: 'This model is not available to this key. Check the model ID, and the models allowed by the project at platform.openai.com/settings.',
    zh: '该密钥在 OpenAI 无法使用此模型。请检查模型 ID，以及 platform.openai.com/settings 中该项目允许使用的模型。',
  },
}
