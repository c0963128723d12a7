import type { ErrorTable } from '#plugin-api'

/** The errors of providers and of calls to their models. */
export const providerErrors = {
  PROVIDER_NAME_TAKEN: {
    status: 409,
    message: { en: 'A provider named "{name}" already exists.', zh: '已存在名为“{name}”的模型服务商。' },
  },
  PROVIDER_KIND_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'The provider kind “{kind}” is disabled or not installed on this server.',
      zh: '此服务器未安装或已停用模型服务商类型“{kind}”。',
    },
  },
  PROVIDER_REFERENCED: {
    status: 409,
    message: {
      en: 'The provider "{name}" is still in use. Choose other models in the places that use it.',
      zh: '模型服务商“{name}”仍在使用中，请先在引用处改用其他模型。',
    },
  },
  PROVIDER_NOT_VISIBLE: {
    status: 400,
    message: {
      en: '"{model}" is not a model you can use: no enabled provider offers it to you.',
      zh: '您无法使用模型“{model}”：没有已启用的服务商向您提供它。',
    },
  },
  NO_MODEL: {
    status: 409,
    message: {
      en: 'No model is available. Add a provider and choose one of its models.',
      zh: '尚未选择可用的模型。请添加模型服务商并选择其模型。',
    },
  },
  MODEL_DISABLED: {
    status: 409,
    message: {
      en: 'The model "{model}" cannot be used: its provider is disabled or no longer offers it. Choose another model, or enable the provider.',
      zh: '模型“{model}”无法使用：其服务商已停用或不再提供该模型。请改用其他模型，或重新启用该服务商。',
    },
  },
  MODEL_AUTH_FAILED: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The provider "{provider}" rejected the API key. Check the key and its permissions.',
      zh: '模型服务商“{provider}”拒绝了 API 密钥，请检查密钥及其权限。',
    },
  },
  MODEL_QUOTA_EXHAUSTED: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The account at the provider "{provider}" has no quota or credit left. Top it up or choose another model.',
      zh: '模型服务商“{provider}”的账户额度已用尽，请充值或改用其他模型。',
    },
  },
  MODEL_RATE_LIMITED: {
    status: 503,
    level: 'warn',
    message: {
      en: 'The provider "{provider}" received too many calls. Wait a moment and try again.',
      zh: '模型服务商“{provider}”限制了调用频率，请稍候重试。',
    },
  },
  MODEL_UNAVAILABLE: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The provider "{provider}" is currently unavailable. Try again later or choose another model.',
      zh: '模型服务商“{provider}”暂时无法响应，请稍后重试或改用其他模型。',
    },
  },
  MODEL_NOT_FOUND: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The provider "{provider}" does not offer the model "{model}" with this key. Choose another model.',
      zh: '此密钥无法使用模型服务商“{provider}”的模型“{model}”，请改用其他模型。',
    },
  },
  TOKEN_QUOTA_EXCEEDED: {
    status: 429,
    message: {
      en: 'The token limit of this account is too low for this call. {used} of {quota} tokens are used and {reserved} are reserved for running answers; the call needs at least {needed}.',
      zh: '此账号的 Token 限额不足：限额为 {quota}，已使用 {used}，进行中的回答预留了 {reserved}，本次调用至少需要 {needed}。',
    },
  },
  BUDGET_EXCEEDED: {
    status: 429,
    message: {
      en: 'The budget of {limit} {currency} is too low for this call: {spent} is already spent. It begins anew on {resets_on}.',
      zh: '{limit} {currency} 的预算不足以完成本次调用，已花费 {spent}。预算将于 {resets_on} 重新开始。',
    },
  },
  PRICE_UNKNOWN: {
    status: 409,
    message: {
      en: 'The price of the model "{model}" is not known, and this server runs no models without a price. Choose another model, or ask an administrator to set its price.',
      zh: '模型“{model}”的价格未知，而此服务器不允许使用没有价格的模型。请改用其他模型，或请管理员设置其价格。',
    },
  },
  MODEL_ANSWER_TOO_LONG: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The answer exceeded {limit} characters and was cut off.',
      zh: '回答超过 {limit} 个字符，已被截断。',
    },
  },
  MODEL_CONTEXT_TOO_LONG: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The conversation is too long for "{provider}:{model}". Start a new one, or choose a model with a larger context window.',
      zh: '对话超出了“{provider}:{model}”的长度限制。请开始新对话，或选择上下文窗口更大的模型。',
    },
  },
  MODEL_CALL_FAILED: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The call to "{provider}:{model}" failed. The details contain the provider’s response.',
      zh: '调用“{provider}:{model}”失败，详细信息中有服务商的响应。',
    },
  },
  MODEL_NOT_CHOSEN: {
    status: 409,
    message: {
      en: 'This server has no model for this. An administrator can choose one under Models, “What the server uses”.',
      zh: '此服务器尚未为此用途选择模型。管理员可在“模型”页面的“服务器使用的模型”中选择。',
    },
  },
  MODEL_NOT_SUITABLE: {
    status: 400,
    message: {
      en: '"{model}" cannot be chosen here: no enabled provider of the server offers it as a model of the kind {model_kind}.',
      zh: '不能在此选择“{model}”：没有已启用的服务器模型服务商将其作为 {model_kind} 类模型提供。',
    },
  },
  MODEL_RESULT_INVALID: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The model "{model}" returned nothing usable. The details say what was wrong.',
      zh: '模型“{model}”没有返回可用的结果，详细信息中有原因。',
    },
  },
  PRICES_LIMITED: {
    status: 409,
    message: {
      en: 'The prices of {limit} models are set already. Remove some first.',
      zh: '已设置 {limit} 个模型的价格，请先移除一些。',
    },
  },
  EMBEDDING_FAILED: {
    status: 502,
    message: {
      en: 'The embedding model did not respond. {en}',
      zh: '嵌入模型没有返回结果。{zh}',
    },
  },
} satisfies ErrorTable
