import type { Locale, LocalizedText, TypeOf } from '#kernel'
import { withDeadline } from '#toolbox'
import type { SignInKinds } from './kinds/registry.ts'
import type { testResult } from './schemas.ts'
import type { SignInSettings } from './settings.ts'
import { SignInFailure, type SignInKind } from './sign-in-kind.ts'

const TIMEOUT_MS = 15_000

const MISSING: LocalizedText = { en: 'Still missing: ', zh: '尚缺少：' }
const RIGHT: LocalizedText = {
  en: 'The service accepts the id and the secret. The redirect URI and the scopes are checked when a user signs in.',
  zh: '服务接受了 ID 和密钥。回调地址和权限范围将在用户登录时验证。',
}
const DISCOVERED: LocalizedText = {
  en: 'The issuer was discovered, publishes signing keys and did not reject the client. The redirect URI and the scopes are checked when a user signs in.',
  zh: '已发现签发方，其公布了签名密钥，且未拒绝该客户端。回调地址和权限范围将在用户登录时验证。',
}

/** The result of a test of settings; `detail` explains it to a person. */
type SettingsTest = TypeOf<typeof testResult>

/** Tests what can be tested of the stored settings of a kind without a user. */
export async function testSettings(
  kind: SignInKind,
  { signInSettings, signInKinds }: { signInSettings: SignInSettings; signInKinds: SignInKinds },
  { locale, signal }: { locale: Locale; signal: AbortSignal },
): Promise<SettingsTest> {
  const stored = await signInSettings.find(kind)
  const missing = signInSettings.listMissing(stored, kind)
  if (missing.length > 0)
    return { ok: false, reason: 'misconfigured', detail: MISSING[locale] + missing.join(', ') }
  const settings = signInSettings.open(stored)
  try {
    await withDeadline(TIMEOUT_MS, [signal, signInKinds.signal], (signal) => kind.test(settings, signal))
    return { ok: true, detail: (kind.kind === 'oidc' ? DISCOVERED : RIGHT)[locale] }
  } catch (error) {
    if (signal.aborted) throw signal.reason
    if (error instanceof SignInFailure) return { ok: false, reason: error.reason, detail: error.message }
    throw error
  }
}
