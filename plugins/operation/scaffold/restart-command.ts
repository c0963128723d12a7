import { statSync } from 'node:fs'
import { join } from 'node:path'
import { setTimeout as pause } from 'node:timers/promises'
import { type Command, ConfigError, readServerNote } from '#plugin-api'
import { readConfigFile } from '#plugin-api/operation'
import { tryStart } from './trial.ts'

/** The time for the old process to end and the new one to start, in milliseconds. */
const PATIENCE_MS = 60_000
const POLL_MS = 200

/** `svc restart`: has the server that runs on this home drain and start again. */
export const restartCommand: Command<unknown> = {
  name: 'restart',
  summary: 'Drain the server that runs on this home, and start it again',
  database: false,
  async run({ home, env, stdout }) {
    const note = readServerNote(home)
    if (!note || !(await isLive(note.url))) throw new ConfigError(`no server runs on ${home}`)
    const { error } = await tryStart({ home, file: readConfigFile(home) }, { env })
    if (error !== undefined) throw new ConfigError(`the server would not start again: ${error}`)
    const writtenAt = noteTime(home)
    process.kill(note.pid, 'SIGUSR2')
    for (const limit = Date.now() + PATIENCE_MS; Date.now() < limit; await pause(POLL_MS)) {
      const next = noteTime(home) === writtenAt ? undefined : readServerNote(home)
      if (!next || !(await isLive(next.url))) continue
      stdout.write(`Restarted: ${next.url}\n`)
      return 0
    }
    throw new ConfigError('the server did not start again within a minute: see its log')
  },
}

const noteTime = (home: string) => statSync(join(home, 'server.json'), { throwIfNoEntry: false })?.mtimeMs

const isLive = (url: string) =>
  fetch(`${url}/api/health/live`).then(
    ({ ok }) => ok,
    () => false,
  )
