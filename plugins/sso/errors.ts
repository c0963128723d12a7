import type { ErrorDefinition, ErrorTable } from '#kernel'
import type { EntryName } from './types.ts'

/** What a way to sign in under these names is refused with; all of it is read as OAUTH_BAD_REQUEST or OIDC_BAD_REQUEST. */
const entryErrors = <const Prefix extends Uppercase<EntryName>>(prefix: Prefix) => {
  const refusal = { status: 400, code: `${prefix}_BAD_REQUEST` }
  return {
    [`${prefix}_DISABLED`]: {
      ...refusal,
      message: { en: 'This way to sign in is not switched on.', zh: '此登录方式未启用。' },
    },
    [`${prefix}_NO_PUBLIC_URL`]: {
      ...refusal,
      message: {
        en: 'The server does not know its own address, to which people come back. Set http.public_url (SVC_PUBLIC_URL).',
        zh: '服务器未配置公开地址，无法完成登录跳转。请设置 http.public_url（SVC_PUBLIC_URL）。',
      },
    },
    [`${prefix}_CODE_INVALID`]: {
      ...refusal,
      message: {
        en: 'This sign-in was used already or took too long. Sign in again.',
        zh: '此次登录已被使用或已超时，请重新登录。',
      },
    },
  } as Record<`${Prefix}_${'DISABLED' | 'NO_PUBLIC_URL' | 'CODE_INVALID'}`, ErrorDefinition>
}

/** What single sign-on is refused with. */
export const ssoErrors = {
  ...entryErrors('OAUTH'),
  ...entryErrors('OIDC'),
  SSO_PROVIDER_UNREACHABLE: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The service to sign in with cannot be reached, or is not what the settings say.',
      zh: '无法访问登录服务，或其与设置不符。',
    },
  },
} satisfies ErrorTable
