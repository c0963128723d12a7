import { fork } from 'node:child_process'
import { fileURLToPath } from 'node:url'
import { createDeadline } from '#plugin-api'
import type { ConfigContent } from './config-file.ts'
import type { PluginRow } from './plugin-rows.ts'

/** The time that a trial may take, in milliseconds. */
const TRIAL_MS = 30_000

/** A start that is tried. */
export interface TrialRequest {
  home: string
  /** Content in place of that of `config.json`. */
  file: ConfigContent
  /** One more folder to load. */
  folder?: string
}

/** The plugins as a start would list them, or the sentence with which it would end. */
export type TrialResult = { rows: PluginRow[]; error?: undefined } | { error: string; rows?: undefined }

/** Reads configuration and plugins in a process of its own, as a start would, because it runs code of third parties. */
export async function tryStart(
  request: TrialRequest,
  { env, signal }: { env: NodeJS.ProcessEnv; signal?: AbortSignal },
): Promise<TrialResult> {
  const deadline = createDeadline([signal], { milliseconds: TRIAL_MS })
  const child = fork(fileURLToPath(new URL('trial-program.js', import.meta.url)), {
    stdio: ['ignore', 'ignore', 'ignore', 'ipc'],
    execArgv: [],
    env,
  })
  try {
    return await new Promise<TrialResult>((resolve) => {
      const kill = () => resolve({ error: 'loading the plugins takes too long' })
      deadline.signal.addEventListener('abort', kill, { once: true })
      child.once('message', (result) => resolve(result as TrialResult))
      child.once('error', ({ message }) => resolve({ error: message }))
      child.once('exit', (code, ended) =>
        resolve({ error: `a plugin ended the process while it was loaded (${ended ?? code})` }),
      )
      child.send(request)
    })
  } finally {
    deadline.release()
    child.kill('SIGKILL')
  }
}
