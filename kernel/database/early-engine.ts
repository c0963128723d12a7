import type { ChildProcess } from 'node:child_process'
import { once } from 'node:events'
import { existsSync } from 'node:fs'
import { setTimeout as pause } from 'node:timers/promises'
import { readDatabaseUrl } from '../config/config.ts'
import type { Logger } from '../log.ts'
import { EXIT_MS, launchEngine } from './engine.ts'
import { enginePlaceIn, recordPath } from './engine-address.ts'

/**
 * Launches the engine of a home, so that it opens its files while the plugins are loaded. Undefined if the home has no
 * database yet, as one that is configured wrongly must not get one; if the configuration names a server; or if an engine
 * serves the home already.
 */
export function launchEarly(home: string, env: NodeJS.ProcessEnv, log: Logger): ChildProcess | undefined {
  const place = enginePlaceIn(home)
  if (!existsSync(place.directory) || readDatabaseUrl(home, env) || existsSync(recordPath(place.directory)))
    return undefined
  return launchEngine({ ...place, log })
}

/** Ends an engine that was launched early, unless it has ended; one that another process has joined goes on. */
export async function endEarly(launched: ChildProcess | undefined): Promise<void> {
  if (!launched?.kill()) return
  launched.ref()
  await Promise.race([once(launched, 'exit'), pause(EXIT_MS, undefined, { ref: false })])
  launched.unref()
}
