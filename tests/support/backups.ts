import { mkdtempSync, symlinkSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { removeTree } from '../../plugin-api/toolbox/index.ts'
import type { Test } from '../run/file-test.ts'
import { runtimeDirectory } from './home.ts'

/** Creates a folder that contains nothing but a link to the engine's libraries. */
export function createEmptyHome(t: Test): string {
  const home = mkdtempSync(join(tmpdir(), 'svc-test-'))
  symlinkSync(runtimeDirectory(), join(home, 'runtime'))
  t.teardown(() => removeTree(home))
  return home
}
