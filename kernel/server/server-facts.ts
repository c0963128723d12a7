import { randomUUID } from 'node:crypto'
import type { Clock } from '../clock.ts'
import type { ServerFacts } from '../contract/cradle.ts'
import { isOwnOrigin, isSameOrigin, isSecure } from '../http/network.ts'
import type { Blueprint } from '../loading/blueprint.ts'
import { COMMIT } from '../loading/package.ts'
import { countDroppedLines } from '../log.ts'
import type { Storage } from './storage.ts'

/** Collects the facts about a server that plugins may know. `failed` grows while plugins start. */
export function createServerFacts({
  blueprint: { version, home, config, plugins, absent },
  failed,
  clock,
  storage,
  health,
  onRestart,
}: {
  blueprint: Blueprint
  failed: ReadonlyMap<string, string>
  clock: Clock
  storage: Storage
  health: ServerFacts['health']
  onRestart: (() => void) | undefined
}): ServerFacts {
  const { http } = config.values
  return {
    version,
    commit: COMMIT,
    home,
    node_id: randomUUID(),
    started_at: clock.seconds(),
    public_url: http.public_url,
    isOwnOrigin: (headers) => isOwnOrigin(headers, http),
    isSameOrigin: (headers) => isSameOrigin(headers, http),
    isSecure: (headers) => isSecure(headers, http),
    plugins: () => [
      ...plugins.map(({ plugin: { name }, version, source }) => ({
        name,
        version,
        source,
        state: failed.has(name) ? ('failed' as const) : ('running' as const),
      })),
      ...absent.map(({ name, version, source, failed }) => ({
        name,
        version,
        source,
        state: failed ? ('failed' as const) : ('disabled' as const),
      })),
    ],
    assertStorage: storage.assertRoom,
    droppedLogLines: countDroppedLines,
    health,
    restart() {
      onRestart?.()
      return onRestart !== undefined
    },
  }
}
