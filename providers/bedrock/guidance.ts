import type { LocalizedText } from '#kernel'
import type { ProviderFailure } from '#plugin-api'

/** What a person can do at Amazon Bedrock. */
export const guidance: Partial<Record<ProviderFailure, LocalizedText>> = {
  auth: {
    en: 'AWS refused the credentials. Give a Bedrock API key of this region (Bedrock console, API keys) or an access key with its secret, not expired, that may call bedrock:InvokeModelWithResponseStream; to list models also bedrock:ListFoundationModels and bedrock:ListInferenceProfiles.',
    zh: 'AWS 拒绝了凭证。请提供该区域的 Bedrock API 密钥（Bedrock 控制台的 API keys 页面），或未过期的访问密钥 ID 与私有访问密钥，并授予 bedrock:InvokeModelWithResponseStream 权限；列出模型还需要 bedrock:ListFoundationModels 和 bedrock:ListInferenceProfiles。',
  },
  quota: {
    en: 'The AWS account has used up a quota of Bedrock, e.g. its tokens per day, or has no valid means of payment. See Service Quotas for Amazon Bedrock and the billing console.',
    zh: 'AWS 账户的 Bedrock 配额（例如每日 token 数）已用尽，或没有有效的付款方式。请查看 Service Quotas 中的 Amazon Bedrock 配额以及账单控制台。',
  },
  rate_limit: {
    en: 'Bedrock limits the requests and tokens per minute of this account, region and model. Wait a moment, use an inference profile that spans regions, or ask for more under Service Quotas.',
    zh: 'Bedrock 按账户、区域和模型限制每分钟的请求数和 token 数。请稍候重试，改用跨区域推理配置文件，或在 Service Quotas 中申请提高配额。',
  },
  model_not_found: {
    en: 'This model cannot be called in this region by this id. Newer models are called by the id of an inference profile, e.g. one that begins with us., eu. or global.; the list of models shows which there are.',
    zh: '在该区域无法用此 ID 调用该模型。较新的模型需要使用推理配置文件的 ID（例如以 us.、eu. 或 global. 开头）；请在模型列表中查看可用的 ID。',
  },
  unreachable: {
    en: 'Bedrock cannot be reached. Check that the region exists and offers Bedrock, the base URL if one is set, and the network of this server.',
    zh: '无法连接 Bedrock。请检查该区域是否存在并提供 Bedrock、base URL（如已设置）以及本服务器的网络。',
  },
}
