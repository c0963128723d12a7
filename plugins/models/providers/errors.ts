import type { ErrorTable } from '#kernel'

/** The errors of providers and of calls to their models. */
export const providerErrors = {
  PROVIDER_NAME_TAKEN: {
    status: 409,
    message: { en: 'A provider named "{name}" already exists.', zh: '已存在名为“{name}”的模型服务商。' },
  },
  PROVIDER_KIND_UNSUPPORTED: {
    status: 400,
    message: {
      en: 'This server has no provider kind “{kind}”: it is not installed, or it is switched off.',
      zh: '此服务器没有模型服务商类型“{kind}”：未安装或已停用。',
    },
  },
  PROVIDER_REFERENCED: {
    status: 409,
    message: {
      en: 'The provider "{name}" is still in use. First choose other models wherever it is used.',
      zh: '模型服务商“{name}”仍在使用中，请先在引用处改用其他模型。',
    },
  },
  PROVIDER_NOT_VISIBLE: {
    status: 400,
    message: {
      en: '"{model}" is not a model of an enabled provider that you can use.',
      zh: '“{model}”不是您可用的已启用服务商的模型。',
    },
  },
  NO_MODEL: {
    status: 409,
    message: {
      en: 'No usable model is chosen. Add a provider and choose one of its models.',
      zh: '尚未选择可用的模型。请添加模型服务商并选择其模型。',
    },
  },
  MODEL_DISABLED: {
    status: 409,
    message: {
      en: 'The model "{model}" cannot be used: its provider is disabled or no longer offers it. Choose another model, or enable the provider.',
      zh: '模型“{model}”无法使用：其服务商已停用或不再提供该模型。请改用其他模型，或重新启用。',
    },
  },
  MODEL_AUTH_FAILED: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The provider "{provider}" refused the API key. Check the key and its rights.',
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
      en: 'The provider "{provider}" limits the rate of calls. Wait a moment and try again.',
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
      en: 'The provider "{provider}" does not offer the model "{model}" to this key. Choose another model.',
      zh: '模型服务商“{provider}”没有此密钥可用的模型“{model}”，请改用其他模型。',
    },
  },
  TOKEN_QUOTA_EXCEEDED: {
    status: 429,
    message: {
      en: 'The token quota of this account is not sufficient: of {quota} tokens, {used} are used and {reserved} are reserved for running answers, and this call needs at least {needed}.',
      zh: '此账号的 token 配额不足：配额为 {quota}，已使用 {used}，进行中的回答预留了 {reserved}，本次调用至少需要 {needed}。',
    },
  },
  MODEL_ANSWER_TOO_LONG: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The answer of the model is longer than {limit} characters and was cut off.',
      zh: '模型的回复超过 {limit} 个字符，已被中断。',
    },
  },
  MODEL_CONTEXT_TOO_LONG: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The conversation is longer than "{provider}:{model}" takes. Start a new one, or choose a model with a larger window.',
      zh: '对话超出了“{provider}:{model}”可接受的长度。请开始新对话，或选择上下文更大的模型。',
    },
  },
  MODEL_CALL_FAILED: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The call to "{provider}:{model}" failed. The details contain the answer of the provider.',
      zh: '调用“{provider}:{model}”失败，详细信息中有服务商的回复。',
    },
  },
  EMBEDDING_FAILED: {
    status: 502,
    message: {
      en: 'The embedding model did not answer. {en}',
      zh: '嵌入模型没有返回结果。{zh}',
    },
  },
} satisfies ErrorTable
