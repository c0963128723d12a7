import type { ProviderKind } from '#plugin-api'
import { createExplanation } from '../openai/failure.ts'

const UNITS: Record<string, number> = {
  millisecond: 1,
  second: 1000,
  minute: 60_000,
  hour: 3_600_000,
  day: 86_400_000,
}

/** Classifies Azure's own errors, and errors of OpenAI's models. */
export const explainError = createExplanation({
  reasons: [
    [/insufficient_quota|QuotaExceeded/i, 'quota'],
    [/DeploymentNotFound|unknown_model|unavailable_model|model_?not_?Found/i, 'model_not_found'],
    [/PermissionDenied|AuthenticationTypeDisabled|^401$|authentication/i, 'auth'],
    [/rate_?limit|too_?many_?requests|NoCapacity|^429$|slow_down/i, 'rate_limit'],
    [/timeout/i, 'timeout'],
    [/overloaded|server_?error|service_?unavailable|^5\d\d$/i, 'outage'],
    [
      /content_?filter|ResponsibleAI|policy|context_length|OperationNotSupported|^invalid|^unsupported/i,
      'bad_request',
    ],
  ],
  // The message for a used-up free tier, with status 403.
  messages: [[/out of call volume quota/i, 'quota']],
  /** As in "Please retry after 6 seconds." */
  readPause(message) {
    const [, amount, unit] = /retry after (\d+) (millisecond|second|minute|hour|day)/.exec(message) ?? []
    return unit === undefined ? undefined : Number(amount) * UNITS[unit]!
  },
})

/** Advice to a person about a failure at Azure. */
export const guidance: ProviderKind['guidance'] = {
  auth: {
    en: 'Azure rejected the key. Copy it from "Keys and Endpoint" of the same resource in the Azure portal; the resource must allow keys and access from this server’s network.',
    zh: 'Azure 拒绝了密钥。请在 Azure 门户中同一资源的“密钥和终结点”页面复制密钥；该资源须允许密钥认证，并允许来自本服务器的网络访问。',
  },
  quota: {
    en: 'The quota of the tier or subscription of the Azure resource is used up. Check it in the Azure portal, or request more at aka.ms/oai/quotaincrease.',
    zh: 'Azure 资源的定价层或订阅额度已用尽。请在 Azure 门户中检查，或在 aka.ms/oai/quotaincrease 申请提高配额。',
  },
  rate_limit: {
    en: 'The deployment has reached its limit of tokens or requests per minute. Wait a moment, or raise the limit in the Foundry portal.',
    zh: '该部署已达到每分钟的 Token 数或请求数上限。请稍候重试，或在 Foundry 门户中提高该部署的限额。',
  },
  model_not_found: {
    en: 'The deployment does not exist in this resource. The model ID is the name of a deployment, not of a model; enter it manually if it is not listed. The base URL looks like https://RESOURCE.openai.azure.com/openai; a new deployment takes a few minutes.',
    zh: '该资源中没有此部署。这里的模型 ID 是部署名称而非模型名称；若未自动列出，请手动填写部署名称。base URL 形如 https://资源名.openai.azure.com/openai；新建的部署需要几分钟才能生效。',
  },
  bad_request: {
    en: 'Azure rejected the request. Its content filter may have blocked the conversation, the model of the deployment may not support a requested feature, e.g. reasoning or the Responses API, or the API version may be wrong.',
    zh: 'Azure 拒绝了请求。可能是内容筛选器拦截了对话，或该部署的模型不支持所请求的功能（例如思考或 Responses API），或 API 版本有误。',
  },
}
