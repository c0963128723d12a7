import { readdirSync } from 'node:fs'
import { readFile, writeFile } from 'node:fs/promises'
import { join } from 'node:path'
import { promisify } from 'node:util'
import { brotliCompress, constants } from 'node:zlib'
import type { Plugin } from 'vite'

const COMPRESSIBLE = /\.(js|css|svg|json|html|map)$/
/** A compressed file of a smaller one saves nothing. */
const MIN_BYTES = 512
/** The best quality takes thirty times as long for a ninth less, which is worth it for a release alone. */
const QUALITY = process.env.SVC_RELEASE ? constants.BROTLI_MAX_QUALITY : 5

/** Writes a `.br` file beside each file that is worth it, so that the server need not compress. */
export const compress = (): Plugin => ({
  name: 'compress',
  apply: 'build',
  async writeBundle({ dir }) {
    const names = readdirSync(dir!, { recursive: true, encoding: 'utf8' })
    await Promise.all(names.filter((name) => COMPRESSIBLE.test(name)).map((name) => write(join(dir!, name))))
  },
})

async function write(path: string): Promise<void> {
  const content = await readFile(path)
  if (content.length < MIN_BYTES) return
  const params = {
    [constants.BROTLI_PARAM_QUALITY]: QUALITY,
    [constants.BROTLI_PARAM_SIZE_HINT]: content.length,
  }
  await writeFile(`${path}.br`, await promisify(brotliCompress)(content, { params }))
}
