import {
  AppError,
  type Command,
  JSON_OPTION,
  type KernelServices,
  printJson,
  readBlueprint,
} from '#plugin-api'
import { openDatabase } from '#plugin-api/operation'
import { rotateSecretKey } from './rotation.ts'

/** The time in seconds that a request may take between encrypting a secret and storing it. */
const DEFAULT_WAIT_SECONDS = 15

/** `svc admin rotate-secret-key`: puts a new key in `secret.key` and re-encrypts every stored secret with it. */
export const rotateCommand: Command<KernelServices> = {
  name: 'admin rotate-secret-key',
  summary:
    'Replace the key that encrypts stored secrets; works while servers run, and can be interrupted and resumed',
  options: [
    JSON_OPTION,
    {
      flags: '--wait <seconds>',
      summary: `time for writes in progress, ${DEFAULT_WAIT_SECONDS} by default; 0 is enough if no server runs`,
    },
  ],
  audit: 'secret_key.rotate',
  async run({ options, stdout, home, env }, { clock, log, server: { node_id } }) {
    const wait = Number(options.wait ?? DEFAULT_WAIT_SECONDS)
    if (!(wait >= 0 && wait <= 3600))
      throw new AppError('VALIDATION_FAILED', {
        issues: [{ path: '--wait', rule: 'maximum', message: 'must be a number of seconds, at most 3600' }],
      })
    const { url } = (await readBlueprint({ home, env })).config.values.database
    // The secrets are in the collections of other plugins.
    const database = await openDatabase({ url, home, log })
    const patience_ms = wait * 1000
    const report = await rotateSecretKey({
      home,
      db: database.db,
      clock,
      holder: node_id,
      patience_ms,
    }).finally(() => database.close())
    if (options.json) printJson(stdout, report)
    else {
      const { resumed, resealed, unreadable } = report
      const begun = resumed ? 'The interrupted rotation was finished' : 'The key was replaced'
      stdout.write(`${begun}; secrets encrypted with the new key: ${resealed}.\n`)
      for (const secret of unreadable) stdout.write(`No key decrypts ${secret}; it was left unchanged.\n`)
    }
    return 0
  },
}
