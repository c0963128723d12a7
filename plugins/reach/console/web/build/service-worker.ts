import { createHash } from 'node:crypto'
import { readFile } from 'node:fs/promises'
import { join } from 'node:path'
import { type Plugin, transformWithOxc } from 'vite'

const SOURCE = join(import.meta.dirname, '../service-worker/service-worker.ts')

/**
 * Writes `sw.js`, which a browser looks for under the same name after each upgrade. Its content changes with every file of
 * the page, so that each build has a worker of its own.
 */
export const serviceWorker = (): Plugin => ({
  name: 'service-worker',
  apply: 'build',
  async generateBundle(_, bundle) {
    const names = Object.keys(bundle).sort().join('\n')
    const build = createHash('sha256').update(names).digest('hex').slice(0, 12)
    const { code } = await transformWithOxc(await readFile(SOURCE, 'utf8'), SOURCE, {
      define: { BUILD: JSON.stringify(build) },
    })
    this.emitFile({ type: 'asset', fileName: 'sw.js', source: code })
  },
})
