import { AppError, type Command, JSON_OPTION, printJson } from '#kernel'
import type { Cradle } from './manifest.ts'

/** Seconds that a request may take from encrypting a secret until it has stored it. */
const DEFAULT_WAIT = 15

/** `svc admin rotate-secret-key`: a new key in `secret.key`, with which everything stored is encrypted anew. */
export const rotateCommand: Command<Cradle> = {
  name: 'admin rotate-secret-key',
  summary:
    'Replace the key that stored secrets are encrypted with, also while servers run; can be broken off and repeated',
  options: [
    JSON_OPTION,
    {
      flags: '--wait <seconds>',
      summary: `time for writes that are under way, ${DEFAULT_WAIT} by default; 0 will do where no server runs`,
    },
  ],
  audit: 'secret_key.rotate',
  async run({ options, stdout }, { secretRotation }) {
    const wait = Number(options.wait ?? DEFAULT_WAIT)
    if (!(wait >= 0 && wait <= 3600))
      throw new AppError('VALIDATION_FAILED', {
        issues: [{ path: '--wait', rule: 'maximum', message: 'takes a number of seconds, at most 3600' }],
      })
    const report = await secretRotation.run({ patience_ms: wait * 1000 })
    if (options.json) printJson(stdout, report)
    else {
      const { resumed, resealed, unreadable } = report
      const begun = resumed ? 'A rotation that had been broken off is finished' : 'The key is new'
      stdout.write(`${begun}; secrets encrypted anew: ${resealed}.\n`)
      for (const secret of unreadable) stdout.write(`No key opens ${secret}; it was left as it is.\n`)
    }
    return 0
  },
}
