import type { GuardedFetch } from '#kernel'
import type { SignInKind } from '../sign-in-kind.ts'
import { createDingtalkKind, dingtalkEndpoints } from './dingtalk.ts'
import { createFeishuKind, feishuEndpoints } from './feishu.ts'
import { createOidcKind } from './oidc.ts'
import { createWecomKind, wecomEndpoints } from './wecom.ts'

/** The ways to sign in, in the order in which people are shown them. */
export const KIND_NAMES = ['oidc', 'feishu', 'dingtalk', 'wecom'] as const

export type KindName = (typeof KIND_NAMES)[number]

/** What kinds are made of. */
export interface KindParts {
  fetch: GuardedFetch['fetch']
  /** What replaces a kind's own addresses, by their names. */
  endpoints: Readonly<Record<string, string>>
  /** Whether a host may be reached without encryption. */
  isTrustedHost(hostname: string): boolean
  /** Unix milliseconds. */
  now(): number
}

/** How each kind is made, and the addresses that it has unless the settings name others. */
export const KINDS: Readonly<
  Record<KindName, { create(parts: KindParts): SignInKind; endpoints: Readonly<Record<string, string>> }>
> = {
  oidc: { create: createOidcKind, endpoints: {} },
  feishu: { create: createFeishuKind, endpoints: feishuEndpoints },
  dingtalk: { create: createDingtalkKind, endpoints: dingtalkEndpoints },
  wecom: { create: createWecomKind, endpoints: wecomEndpoints },
}
