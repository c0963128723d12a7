import type { Command } from '#kernel'
import type { Cradle } from './manifest.ts'

/** `svc admin rotate-jwt-secret`: a new signing key, after which everybody must log in again. */
export const rotateCommand: Command<Cradle> = {
  name: 'admin rotate-jwt-secret',
  summary: 'Replace the secret that tokens are signed with; everybody must log in again',
  options: [{ flags: '--json', summary: 'print JSON' }],
  audit: 'auth.rotate_jwt_secret',
  database: true,
  async run({ options, stdout }, { signingKeys, sessions }) {
    const epoch = await signingKeys.rotate()
    // After the rotation, so that a session opened meanwhile either ends here or has a token of the new key.
    const sessions_ended = await sessions.endEverybody()
    const text = options.json
      ? JSON.stringify({ epoch, sessions_ended })
      : `The secret is new (epoch ${epoch}), sessions ended: ${sessions_ended}. Everybody must log in again.`
    stdout.write(`${text}\n`)
    return 0
  },
}
