import { usePasskey } from '../two-factor/browser.ts'
import { type Login, post } from './post.ts'

/** Signs in with a passkey, which the browser asks for. */
export async function signInWithPasskey(): Promise<Login> {
  const assertion = await usePasskey(await post('/auth/passkeys/sign-in/options', {}))
  return post('/auth/passkeys/sign-in', { assertion, cookie: true })
}
