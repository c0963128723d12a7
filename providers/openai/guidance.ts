import type { LocalizedText } from '#kernel'
import type { ProviderFailure } from '#plugin-api'

/** What a person can do at OpenAI. */
export const guidance: Partial<Record<ProviderFailure, LocalizedText>> = {
  auth: {
    en: 'OpenAI refused the API key. Keys are made at platform.openai.com/api-keys; check that this one is not revoked, may use the model and the Responses API, and that its organization is verified and its country supported where OpenAI asks for that.',
    zh: 'OpenAI 拒绝了 API 密钥。密钥在 platform.openai.com/api-keys 创建；请确认密钥未被吊销、有权使用该模型和 Responses API，并在 OpenAI 有此要求时确认组织已通过验证、所在国家或地区受支持。',
  },
  quota: {
    en: 'The OpenAI account has no credit left or has reached its monthly limit. Add credit or raise the limit at platform.openai.com/settings/organization/billing; a ChatGPT subscription does not pay for the API.',
    zh: 'OpenAI 账户余额不足或已达到每月限额。请在 platform.openai.com/settings/organization/billing 充值或提高限额；ChatGPT 订阅不包含 API 费用。',
  },
  rate_limit: {
    en: 'OpenAI limits how many requests and tokens a minute this account may use. Wait a moment; the limits of each model are at platform.openai.com/settings/organization/limits.',
    zh: 'OpenAI 限制该账户每分钟的请求数和 token 数。请稍候重试；各模型的限额见 platform.openai.com/settings/organization/limits。',
  },
  outage: {
    en: 'OpenAI is overloaded or has a disturbance. Try again later; status.openai.com tells more.',
    zh: 'OpenAI 当前过载或出现故障。请稍后重试，详情见 status.openai.com。',
  },
  model_not_found: {
    en: 'OpenAI does not offer this model to this key. Check the model id and which models the project allows at platform.openai.com/settings.',
    zh: '该密钥在 OpenAI 无法使用此模型。请检查模型 ID，以及 platform.openai.com/settings 中该项目允许使用的模型。',
  },
}
