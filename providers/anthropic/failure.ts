import type { ExplainedFailure, ProviderFailure, ProviderKind, UpstreamReport } from '#plugin-api'

/** The types of errors of the Messages API; in a stream, which has no status, only the type is known. */
const REASONS: Record<string, ProviderFailure> = {
  invalid_request_error: 'bad_request',
  request_too_large: 'bad_request',
  authentication_error: 'auth',
  permission_error: 'auth',
  billing_error: 'quota',
  not_found_error: 'model_not_found',
  rate_limit_error: 'rate_limit',
  timeout_error: 'timeout',
  api_error: 'outage',
  overloaded_error: 'outage',
}

/**
 * The messages about used-up credit and reached spending limits, which come as invalid requests, and at other vendors as
 * too many requests.
 */
const NO_CREDIT =
  /credit balance is too low|reached your specified \w*\s?API usage limits|insufficient.{0,20}(?:balance|quota|funds|credit)|(?:balance|credits?) (?:is |are )?(?:insufficient|exhausted|not enough|used up)|余额不足|欠费/i

/** Classifies errors by their type, whether they arrive instead of an answer or within one. */
export function explainError({ status, type, message, body }: UpstreamReport): ExplainedFailure | undefined {
  if (isBlockedByPage(status, body)) return { reason: 'bad_request' }
  const reason = NO_CREDIT.test(message) ? 'quota' : REASONS[type]
  return reason && { reason }
}

/** True for the page of a firewall, which refuses a request without a look at its key. */
export const isBlockedByPage = (status: number | undefined, body: unknown): boolean =>
  status === 403 && typeof body === 'string' && /^\s*<(?:!doctype|html|head)/i.test(body)

/** Advice to a person about a failure at Anthropic. */
export const guidance: ProviderKind['guidance'] = {
  auth: {
    en: 'Anthropic rejected the API key. Create one in the Claude Console (platform.claude.com) under API keys; a Claude.ai subscription does not include API access.',
    zh: 'Anthropic 拒绝了该 API 密钥。请在 Claude 控制台（platform.claude.com）的 API keys 页面创建密钥；Claude.ai 订阅不包含 API 访问权限。',
  },
  quota: {
    en: 'The credit of the Anthropic organization is used up or its spending limit is reached. Buy credits or raise the limit in the Claude Console (platform.claude.com) under Billing and Limits.',
    zh: 'Anthropic 组织的余额已用完，或已达到消费上限。请在 Claude 控制台（platform.claude.com）的 Billing 和 Limits 页面充值或提高上限。',
  },
  rate_limit: {
    en: 'Anthropic limits requests and tokens per minute by usage tier. Wait a moment, or see the limits in the Claude Console (platform.claude.com) under Limits.',
    zh: 'Anthropic 按用量等级限制每分钟的请求数和 Token 数。请稍候重试，或在 Claude 控制台（platform.claude.com）的 Limits 页面查看限额。',
  },
  bad_request: {
    en: 'The request was rejected. Check the base URL, the model ID and the options; a web page in the response means that a firewall in front of the API rejected the request.',
    zh: '请求被拒绝。请检查 base URL、模型 ID 和选项；如果返回的是网页，则说明请求被 API 前面的防火墙拦截。',
  },
  model_not_found: {
    en: 'This model is not available to the API key. Check the model ID, and that the base URL ends in /v1, as in https://api.anthropic.com/v1.',
    zh: '该 API 密钥无法使用此模型。请检查模型 ID，并确认 base URL 以 /v1 结尾，例如 https://api.anthropic.com/v1。',
  },
}
