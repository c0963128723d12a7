import { mkdtempSync, writeFileSync } from 'node:fs'
import { rm } from 'node:fs/promises'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** Makes an empty home that is removed when the test ends. */
export function createHome(t: Test, config: object = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-test-'))
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  // An engine may write while it is removed; unlike the synchronous one this looks again for what is new.
  t.teardown(() => rm(home, { recursive: true, force: true, maxRetries: 20 }))
  return home
}
