import { AppError, type ErrorDefinition, type ErrorTable } from '#plugin-api'

/** The path prefixes under which the same routes exist: `/auth/oauth` for every kind, `/auth/oidc` for one. */
export type EntryPoint = 'oauth' | 'oidc'

type Refusal = 'DISABLED' | 'NO_PUBLIC_URL' | 'CODE_INVALID'

/** The errors of the routes of one entry point, which clients see as OAUTH_BAD_REQUEST or OIDC_BAD_REQUEST. */
const defineEntryErrors = <const Prefix extends Uppercase<EntryPoint>>(prefix: Prefix) => {
  const refusal = { status: 400, code: `${prefix}_BAD_REQUEST` }
  return {
    [`${prefix}_DISABLED`]: {
      ...refusal,
      message: { en: 'This sign-in method is not enabled.', zh: '此登录方式未启用。' },
    },
    [`${prefix}_NO_PUBLIC_URL`]: {
      ...refusal,
      message: {
        en: 'The callback needs the public URL of the server. Set http.public_url (SVC_PUBLIC_URL).',
        zh: '服务器未配置公开地址，无法完成登录跳转。请设置 http.public_url（SVC_PUBLIC_URL）。',
      },
    },
    [`${prefix}_CODE_INVALID`]: {
      ...refusal,
      message: {
        en: 'This sign-in code was already used or has expired. Sign in again.',
        zh: '此次登录已被使用或已超时，请重新登录。',
      },
    },
  } as Record<`${Prefix}_${Refusal}`, ErrorDefinition>
}

/** The errors of single sign-on. */
export const ssoErrors = {
  ...defineEntryErrors('OAUTH'),
  ...defineEntryErrors('OIDC'),
  SSO_PROVIDER_UNREACHABLE: {
    status: 502,
    level: 'warn',
    message: {
      en: 'The sign-in service cannot be reached or does not match its settings.',
      zh: '无法访问登录服务，或其与设置不符。',
    },
  },
} satisfies ErrorTable

const REASONS: Record<Refusal, string> = {
  DISABLED: 'disabled',
  NO_PUBLIC_URL: 'misconfigured',
  CODE_INVALID: 'code',
}

/** Returns the name in the error table of a refusal at an entry point. */
export const refusalCode = (entry: EntryPoint, refusal: Refusal) =>
  `${entry.toUpperCase() as Uppercase<EntryPoint>}_${refusal}` as const

/** Creates the error of a refusal at an entry point. */
export const createRefusal = (entry: EntryPoint, refusal: Refusal): AppError =>
  new AppError(refusalCode(entry, refusal), { reason: REASONS[refusal] })
