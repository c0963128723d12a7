import { type Api, isRefusal } from './api.ts'

const MAX_ATTEMPTS = 5

/** Asks without echo; undefined if the person leaves. */
export type AskSecret = (label: string) => Promise<string | undefined>

/** Asks for the code that the authenticator app of an account shows; throws if the person leaves. */
export async function askCode(askSecret: AskSecret, username: string): Promise<string> {
  const code = (await askSecret(`Code of ${username}: `))?.trim()
  if (!code) throw new Error('Not signed in.')
  return code
}

/**
 * Sets up an authenticator app for a new session that must have one: shows its secret as a QR code, asks for the first
 * code and shows the recovery codes. Throws the server's refusal.
 */
export async function setUpApp({
  api,
  token,
  username,
  askSecret,
  say,
}: {
  api: Api
  token: string
  username: string
  askSecret: AskSecret
  say(text: string): void
}): Promise<void> {
  const begun = await api({ method: 'POST', path: '/auth/totp', body: {}, token })
  const { secret, otpauth_url } = begun.data as { secret: string; otpauth_url: string }
  say(`This server requires two-factor sign-in for ${username}. Scan this code with an authenticator app:`)
  const { renderUnicodeCompact } = await import('uqr')
  say(renderUnicodeCompact(otpauth_url))
  say(`Or type this key into the app: ${secret.match(/.{1,4}/g)!.join(' ')}`)
  for (let attempt = 1; ; attempt++)
    try {
      const body = { code: await askCode(askSecret, username) }
      const { data } = await api({ method: 'POST', path: '/auth/totp/confirm', body, token })
      const { recovery_codes } = data as { recovery_codes: string[] }
      say('Store these recovery codes: each signs you in once if you lose the app. They are shown only now.')
      for (const code of recovery_codes) say(`  ${code}`)
      return
    } catch (error) {
      if (!isRefusal(error, 'TOTP_INVALID') || attempt === MAX_ATTEMPTS) throw error
      say(error.message)
    }
}
