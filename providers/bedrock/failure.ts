import type { ExplainedFailure, ProviderFailure, ProviderKind, UpstreamReport } from '#plugin-api'
import { isBlockedByPage } from '../anthropic/failure.ts'

/** The exceptions of Bedrock and of the gateway of AWS; the status of several of them means something else. */
const REASONS: Record<string, ProviderFailure> = {
  AccessDeniedException: 'auth',
  UnrecognizedClientException: 'auth',
  InvalidSignatureException: 'auth',
  IncompleteSignatureException: 'auth',
  MissingAuthenticationTokenException: 'auth',
  ExpiredTokenException: 'auth',
  ThrottlingException: 'rate_limit',
  ServiceQuotaExceededException: 'quota',
  ResourceNotFoundException: 'model_not_found',
  ValidationException: 'bad_request',
  ModelTimeoutException: 'timeout',
  ModelNotReadyException: 'outage',
  ModelErrorException: 'outage',
  ModelStreamErrorException: 'outage',
  ServiceUnavailableException: 'outage',
  InternalServerException: 'outage',
}

/** Failures that only the message identifies; its apostrophe varies. */
const PHRASES: readonly (readonly [RegExp, ProviderFailure])[] = [
  [/on-demand throughput isn.t supported|model identifier is invalid/i, 'model_not_found'],
  [/too many tokens per day|INVALID_PAYMENT_INSTRUMENT/i, 'quota'],
  // An answer that ends within a frame, or in a frame with a wrong checksum.
  [/incomplete amazon bedrock event-stream frame|checksum/i, 'outage'],
]

/** Classifies exceptions by their name, in the header of an answer or of an event, and by their message. */
export function explainError(
  { status, headers, message, body }: UpstreamReport,
  error: unknown,
): ExplainedFailure | undefined {
  if (isBlockedByPage(status, body)) return { reason: 'bad_request' }
  // The header may continue with a colon and the address of a namespace.
  const name = headers['x-amzn-errortype']?.split(':')[0] ?? (error instanceof Error ? error.name : '')
  const reason = PHRASES.find(([pattern]) => pattern.test(message))?.[1] ?? REASONS[name]
  return reason && { reason }
}

/** Advice to a person about a failure at Amazon Bedrock. */
export const guidance: ProviderKind['guidance'] = {
  auth: {
    en: 'AWS rejected the credentials. Enter a Bedrock API key of this region (Bedrock console, API keys) or an access key with its secret, not expired, that may call bedrock:InvokeModelWithResponseStream; to list models also bedrock:ListFoundationModels and bedrock:ListInferenceProfiles, for application inference profiles bedrock:GetInferenceProfile.',
    zh: 'AWS 拒绝了凭证。请提供该区域的 Bedrock API 密钥（Bedrock 控制台的 API keys 页面），或未过期的访问密钥 ID 与私有访问密钥，并授予 bedrock:InvokeModelWithResponseStream 权限；列出模型还需要 bedrock:ListFoundationModels 和 bedrock:ListInferenceProfiles，使用应用程序推理配置文件还需要 bedrock:GetInferenceProfile。',
  },
  quota: {
    en: 'The AWS account has used up a Bedrock quota, such as tokens per day, or has no valid payment method. See Service Quotas for Amazon Bedrock and the billing console.',
    zh: 'AWS 账户的 Bedrock 配额（例如每日 Token 数）已用尽，或没有有效的付款方式。请查看 Service Quotas 中的 Amazon Bedrock 配额以及账单控制台。',
  },
  rate_limit: {
    en: 'Bedrock limits the requests and tokens per minute of this account, region and model. Wait a moment, use a cross-region inference profile, or request an increase under Service Quotas.',
    zh: 'Bedrock 按账户、区域和模型限制每分钟的请求数和 Token 数。请稍候重试，改用跨区域推理配置文件，或在 Service Quotas 中申请提高配额。',
  },
  model_not_found: {
    en: 'This model ID does not work in this region. Newer models need the ID of an inference profile, which begins with us., eu. or global.; see the list of models.',
    zh: '在该区域无法用此 ID 调用该模型。较新的模型需要使用推理配置文件的 ID（例如以 us.、eu. 或 global. 开头）；请在模型列表中查看可用的 ID。',
  },
  bad_request: {
    en: 'Bedrock rejected the request. Some models do not support tools: turn them off for the agent, or choose another model. Otherwise check the model ID and the options; a web page in the response means that a firewall rejected the request.',
    zh: 'Bedrock 拒绝了请求。部分模型不支持工具：请为该智能体关闭工具，或换用其他模型。否则请检查模型 ID 和选项；如果返回的是网页，则说明请求被防火墙拦截。',
  },
  unreachable: {
    en: 'Bedrock cannot be reached. Check that the region exists and offers Bedrock, the base URL if one is set, and the network of this server.',
    zh: '无法连接 Bedrock。请检查该区域是否存在并提供 Bedrock、base URL（如已设置）以及本服务器的网络。',
  },
}
