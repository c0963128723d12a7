import { t, type WordKey } from '../i18n/words.ts'

const REASONS: Record<string, WordKey> = {
  NotAllowedError: 'two-factor.cancelled',
  AbortError: 'two-factor.cancelled',
  InvalidStateError: 'two-factor.already_here',
}

/** Asks the browser for something of a passkey; throws the failure in words. */
async function ask<T>(work: Promise<T>): Promise<T> {
  try {
    return await work
  } catch (error) {
    const reason = error instanceof Error ? REASONS[error.name] : undefined
    throw { code: 'PASSKEY_UNAVAILABLE', message: t(reason ?? 'two-factor.unsupported') }
  }
}

/** Makes a passkey by the options of the server. */
export async function createPasskey(options: Record<string, unknown>) {
  const { startRegistration } = await import('@simplewebauthn/browser')
  return ask(startRegistration({ optionsJSON: options as never }))
}

/** Signs the challenge of the server with a passkey. */
export async function usePasskey(options: Record<string, unknown>) {
  const { startAuthentication } = await import('@simplewebauthn/browser')
  return ask(startAuthentication({ optionsJSON: options as never }))
}
