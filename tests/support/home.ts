import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Test } from 'tap'

/** Makes an empty home that is removed when the test ends. */
export function createHome(t: Test, config: object = {}): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-test-'))
  writeFileSync(join(home, 'config.json'), JSON.stringify(config))
  t.teardown(() => rmSync(home, { recursive: true, force: true, maxRetries: 20 }))
  return home
}
