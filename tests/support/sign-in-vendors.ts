import { createDingtalkKind } from '../../plugins/identity/sso/kinds/dingtalk.ts'
import { createFeishuKind } from '../../plugins/identity/sso/kinds/feishu.ts'
import { createWecomKind } from '../../plugins/identity/sso/kinds/wecom.ts'
import type { Test } from '../run/file-test.ts'
import { createFakeSignInDingtalk } from './fake-sign-in-dingtalk.ts'
import { createFakeSignInFeishu } from './fake-sign-in-feishu.ts'
import type { FakeSignInVendor } from './fake-sign-in-vendor.ts'
import { createFakeSignInWecom } from './fake-sign-in-wecom.ts'
import { SSO_PUBLIC_URL } from './oidc-client.ts'

/** The redirect URI of the server that the platforms know. */
export const CALLBACK = `${SSO_PUBLIC_URL}/api/auth/oauth/callback`

/** The claims of a user at a platform. */
export type Person = Record<string, unknown>

/** A platform with its kind and its particulars. */
export interface Vendor {
  kind: 'feishu' | 'dingtalk' | 'wecom'
  fake: FakeSignInVendor
  endpoints: Record<string, string>
  create: typeof createFeishuKind
  /** Makes a user with this name. */
  person(name: string): Person
  /** The calls of a sign-in, in order, by a part of their names. */
  calls: string[]
  /** The call that identifies the user, with its required fields. */
  who: { call: string; wrap(person: Person): unknown; ids: string[]; texts: string[] }
  /** Returns the subject of a user. */
  subject(person: Person): string
}

/** Starts the platforms; closes them when the test ends. */
export async function startVendors(t: Test): Promise<{ feishu: Vendor; dingtalk: Vendor; wecom: Vendor }> {
  const [feishu, dingtalk, wecom] = await Promise.all([
    createFakeSignInFeishu(),
    createFakeSignInDingtalk(),
    createFakeSignInWecom(),
  ])
  for (const fake of [feishu, dingtalk, wecom]) {
    fake.redirect_uris.add(CALLBACK)
    t.teardown(() => fake.close())
  }
  return { feishu: feishuVendor(feishu), dingtalk: dingtalkVendor(dingtalk), wecom: wecomVendor(wecom) }
}

const feishuVendor = (fake: FakeSignInVendor): Vendor => ({
  kind: 'feishu',
  fake,
  // Trailing slashes are allowed.
  endpoints: { accounts: `${fake.url}/`, open: `${fake.url}/` },
  create: createFeishuKind,
  person: (name) => ({
    name: `${name} 张`,
    en_name: name,
    open_id: `ou_${name}`,
    union_id: `on_${name}`,
    user_id: `u${name}`,
    tenant_key: '736588c9260f175d',
    enterprise_email: `${name}@example.com`,
    avatar_url: 'https://example.com/a.png',
  }),
  calls: ['oauth/token', 'user_info'],
  who: {
    call: 'user_info',
    wrap: (data) => ({ code: 0, data }),
    ids: ['union_id', 'tenant_key'],
    texts: ['name', 'en_name', 'email', 'enterprise_email'],
  },
  subject: (person) => person.union_id as string,
})

const dingtalkVendor = (fake: FakeSignInVendor): Vendor => ({
  kind: 'dingtalk',
  fake,
  endpoints: { login: fake.url, api: `${fake.url}//` },
  create: createDingtalkKind,
  person: (name) => ({
    nick: `${name} 张`,
    unionId: `${name}iPiE`,
    openId: `o${name}`,
    email: `${name}@example.com`,
    mobile: '13800000000',
    stateCode: '86',
  }),
  calls: ['userAccessToken', '/token', 'users/me'],
  who: { call: 'users/me', wrap: (person) => person, ids: ['unionId'], texts: ['nick', 'email'] },
  subject: (person) => person.unionId as string,
})

const wecomVendor = (fake: FakeSignInVendor): Vendor => ({
  kind: 'wecom',
  fake,
  endpoints: { login: fake.url, api: fake.url },
  create: createWecomKind,
  person: (name) => ({
    userid: name,
    name: `${name} 张`,
    department: [1, 7],
    position: 'engineer',
    biz_mail: `${name}@example.com`,
    status: 1,
  }),
  calls: ['gettoken', 'getuserinfo', 'user/get'],
  who: {
    call: 'user/get',
    wrap: (person) => ({ errcode: 0, errmsg: 'ok', ...person }),
    ids: ['userid'],
    texts: ['name', 'email', 'biz_mail'],
  },
  subject: (person) => String(person.userid).toLowerCase(),
})
