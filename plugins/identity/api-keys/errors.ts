import type { ErrorTable } from '#kernel'

/** The errors of creating API keys. */
export const apiKeyErrors = {
  API_KEY_NAME_TAKEN: {
    status: 409,
    message: { en: 'You already have an API key with this name.', zh: '您已有同名的 API 密钥。' },
  },
  SCOPE_EXCEEDS: {
    status: 403,
    code: 'FORBIDDEN',
    message: {
      en: 'An API key cannot have rights that your account lacks. The details list them.',
      zh: 'API 密钥不能拥有您账号没有的权限，详细信息中列出了缺少的权限。',
    },
  },
} satisfies ErrorTable
